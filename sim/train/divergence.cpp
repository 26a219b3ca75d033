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

/// The order in which the backward pass completes gradients. That of an embedding that is the head
/// too gets its last part at the end.
std::vector<parameter> backward_order(const parameter_table& table) {
  std::vector<parameter> order;
  if (table.has_own_head()) order.push_back(table.head());
  order.push_back(table.final_norm());
  for (int i = table.shape().layers - 1; i >= 0; --i) {
    const layer_parameters& l = table.layer(i);
    for (int e = 0; e < table.parts_of_layer(); ++e) {
      order.insert(order.end(),
                   {l.of(linear::down, e), l.of(linear::gate, e), l.of(linear::up, e)});
    }
    order.insert(order.end(), {l.router, l.post_norm, l.of(linear::o), l.q_norm, l.k_norm,
                               l.of(linear::q), l.of(linear::k), l.of(linear::v)});
    order.insert(order.end(), l.biases.begin(), l.biases.end());
    order.push_back(l.input_norm);
  }
  order.push_back(table.embedding());
  return order;
}

std::optional<float> first_at_least(float limit, std::span<const float> values) {
  const auto found = std::ranges::find_if(values, [&](float v) { return !(std::abs(v) < limit); });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

divergence::divergence(std::string in_pass, std::string of_tensor, double found)
    : input_error("{} is {} in {}", of_tensor, found, in_pass),
      pass(std::move(in_pass)),
      tensor(std::move(of_tensor)),
      value(found) {}

std::optional<float> first_outside(const parameter& p, const std::vector<float>& values,
                                   float limit) {
  return first_at_least(limit, {values.data() + p.offset, static_cast<std::size_t>(p.count())});
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

void update_watch::take(const parameter& p, std::span<const float> values, updated_numbers what) {
  constexpr std::array prefixes{"", "optimizer.m.", "optimizer.v."};
  const auto at = static_cast<std::size_t>(what);
  if (found_[at]) return;
  const float limit = what == updated_numbers::weights ? saturated_weight : infinity;
  if (const auto value = first_at_least(limit, values)) {
    found_[at].emplace("update", prefixes[at] + p.name, double{*value});
  }
}

void update_watch::expect_finite() const {
  for (const auto& found : found_) {
    if (found) throw *found;
  }
}

}  // namespace sim
