// SPDX-License-Identifier: Apache-2.0
// sim/study/shape_fault.cpp: see shape_fault.h.
#include "sim/study/shape_fault.h"

#include <fmt/format.h>

namespace sim {

std::optional<shape_fault> fault_of(const policy_shape& shape) {
  const auto fault = [](const char* key, const std::string& expected, int found) {
    return shape_fault{key, expected, fmt::format("{}", found)};
  };
  if (shape.heads % shape.kv_heads != 0) {
    return fault("heads", fmt::format("a multiple of kv_heads = {}", shape.kv_heads), shape.heads);
  }
  // The narrowest products along heads are dgrad of k and v; those of q and o are multiples of it.
  if (shape.kv_heads * shape.head_width % 32 != 0) {
    return fault("head_width",
                 fmt::format("a width whose product with kv_heads = {} is a multiple of the block "
                             "of 32",
                             shape.kv_heads),
                 shape.head_width);
  }
  if (shape.has_experts() && shape.experts.chosen > shape.experts.count) {
    return fault("experts_per_token", fmt::format("at most experts = {}", shape.experts.count),
                 shape.experts.chosen);
  }
  return {};
}

}  // namespace sim
