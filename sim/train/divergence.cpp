// SPDX-License-Identifier: Apache-2.0
// sim/train/divergence.cpp: see divergence.h.
#include "sim/train/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The order in which the backward pass completes gradients. That of the embedding, which is the head
/// too, gets its last part at the end.
std::vector<parameter> backward_order(const parameter_table& table) {
  std::vector<parameter> order{table.final_norm()};
  for (int i = table.shape().layers - 1; i >= 0; --i) {
    const layer_parameters& l = table.layer(i);
    order.insert(order.end(), {l.of(linear::down), l.of(linear::gate), l.of(linear::up),
                               l.post_norm, l.of(linear::o), l.q_norm, l.k_norm, l.of(linear::q),
                               l.of(linear::k), l.of(linear::v), l.input_norm});
  }
  order.push_back(table.embedding());
  return order;
}

void expect_below(float limit, const parameter_table& table, const std::string& prefix,
                  const std::vector<float>& values) {
  if (values.empty()) return;
  for (const parameter& p : table.all()) {
    if (const auto value = first_outside(p, values, limit)) {
      throw divergence("update", prefix + p.name, double{*value});
    }
  }
}

}  // namespace

divergence::divergence(std::string in_pass, std::string of_tensor, double found)
    : input_error("{} is {} in {}", of_tensor, found, in_pass),
      pass(std::move(in_pass)),
      tensor(std::move(of_tensor)),
      value(found) {}

std::optional<float> first_outside(const parameter& p, const std::vector<float>& values,
                                   float limit) {
  const auto begin = values.begin() + p.offset, end = begin + p.count();
  const auto found = std::find_if(begin, end, [&](float v) { return !(std::abs(v) < limit); });
  return found == end ? std::nullopt : std::optional(*found);
}

void expect_finite(const parameter_table& table, const std::vector<float>& gradient, float norm) {
  if (std::isfinite(norm)) return;
  for (const parameter& p : backward_order(table)) {
    if (const auto value = first_outside(p, gradient, infinity)) {
      throw divergence("backward", p.name + ".gradient", double{*value});
    }
  }
  throw divergence("backward", "gradient_norm", double{norm});
}

void expect_finite(const parameter_table& table, const adam_state& moments,
                   const std::vector<float>& weights) {
  expect_below(saturated_weight, table, "", weights);
  expect_below(infinity, table, "optimizer.m.", moments.m);
  expect_below(infinity, table, "optimizer.v.", moments.v);
}

}  // namespace sim
