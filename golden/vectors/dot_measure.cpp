// SPDX-License-Identifier: Apache-2.0
// golden/vectors/dot_measure.cpp: the lengths and exponents at which a dot product rule decides.
#include "golden/vectors/dot_measure.h"

#include <algorithm>

namespace golden {
namespace {

/// Products a step for rules that accept any number.
constexpr std::size_t unbounded_step = 16;

struct measuring {
  std::size_t block;  // elements a scale; 1 without scales

  dot_measure operator()(const truncated_fused& rule) const {
    return {rule.length, {rule.fraction_bits}, rule.zero_exponent, rule.output};
  }
  dot_measure operator()(const emulated_fp8& rule) const {
    return {rule.length, {rule.half.fraction_bits}, rule.half.zero_exponent, rule.sum};
  }
  dot_measure operator()(const grouped_fused& rule) const {
    return {rule.length, {rule.fraction_bits}, rule.zero_exponent, rule.output, deciding::blocks};
  }
  dot_measure operator()(const floored_fused& rule) const {
    return {rule.length,
            {rule.product_bits, rule.product_bits + 1, rule.sum_bits},
            std::nullopt,
            rule.output};
  }
  dot_measure operator()(const flushing_pairwise& rule) const {
    return {rule.group, {24}, std::nullopt, rule.output};
  }
  dot_measure operator()(const exact_fused& rule) const {
    const std::size_t whole = std::max(block, unbounded_step);
    const std::size_t step = rule.span == rounding_span::elements ? rule.length
                             : rule.span == rounding_span::block  ? block
                                                                  : whole;
    return {step, {24}, std::nullopt, rule.output, deciding::both};
  }
  dot_measure operator()(const dequantized_fma& rule) const {
    return {1, {24}, std::nullopt, rule.output, deciding::both};
  }
  dot_measure operator()(const pairwise_blocks& rule) const {
    return {block, {24}, std::nullopt, rule.output, deciding::both};
  }
  dot_measure operator()(const sticky_fused& rule) const {
    return {rule.length, {rule.fraction_bits}, std::nullopt, rule.output, deciding::both};
  }
};

}  // namespace

dot_measure measure_of(const device_model& model) {
  return std::visit(measuring{model.block_size.value_or(1)}, model.rule);
}

}  // namespace golden
