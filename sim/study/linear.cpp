// SPDX-License-Identifier: Apache-2.0
// sim/study/linear.cpp: see linear.h.
#include "sim/study/linear.h"

#include <fmt/format.h>

#include <array>

#include "sim/study/study.h"

namespace sim {

const char* name_of(linear l) noexcept {
  constexpr std::array<const char*, 7> names{"q", "k", "v", "o", "gate", "up", "down"};
  return names[static_cast<std::size_t>(l)];
}

std::vector<product_place> linears_of(const policy_shape& shape, int layer) {
  std::vector<product_place> result;
  for (const linear l : {linear::q, linear::k, linear::v, linear::o}) result.push_back({layer, l});
  for (int e = 0; e < shape.parts_of_layer(); ++e) {
    for (const linear l : {linear::gate, linear::up, linear::down}) result.push_back({layer, l, e});
  }
  return result;
}

std::string name_of(const policy_shape& shape, const product_place& at) {
  const std::string of_layer = fmt::format("model.layers.{}", at.layer), l = name_of(at.which);
  if (!is_of_experts(at.which)) return fmt::format("{}.self_attn.{}_proj", of_layer, l);
  if (!shape.has_experts()) return fmt::format("{}.mlp.{}_proj", of_layer, l);
  return fmt::format("{}.mlp.experts.{}.{}_proj", of_layer, at.expert, l);
}

}  // namespace sim
