// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/case_inputs_test.cpp: inputs of quantizers lie at the decision thresholds of
// their rules: both sides of the threshold of a scale, ties of elements, NaN and Inf.
#include <algorithm>
#include <map>

#include "case_table.h"
#include "catch.h"
#include "matrices.h"

using namespace mx;
using namespace mx::kernels;

namespace {

std::uint32_t code_at(const kernel_case& one, const case_input& input, std::size_t index) {
  std::uint32_t code = 0;
  const std::size_t size = bytes_of(one.type);
  for (std::size_t b = 0; b < size; ++b)
    code |= std::uint32_t{input.x[index * size + b]} << (8 * b);
  return code;
}

float value_of(number_type type, std::uint32_t code) {
  if (type == number_type::fp32) return float_of(code);
  return to_binary32(
      decode(type == number_type::bf16 ? formats::bfloat16 : formats::binary16, code));
}

/// The inputs of a quantization's cases: blocks whose scale is the first, or the last, before it
/// changes.
struct held {
  int first_above = 0, last_below = 0, special = 0, zero = 0, cases = 0;
};

std::uint32_t scale_of(const quantization& how, const std::vector<float>& x) {
  std::vector<std::uint8_t> codes(x.size());
  return quantize_block(how, x.data(), no_tensor_scale, 0, codes.data()).code;
}

/// Magnitudes of a whole block of a row, in the codes of their type.
std::vector<std::uint32_t> magnitudes_of(const kernel_case& one, const case_input& input,
                                         std::size_t first, std::size_t stride) {
  const std::uint32_t sign = 1U << (widths_of(one.type).code - 1);
  std::vector<std::uint32_t> magnitudes(static_cast<std::size_t>(one.how.format.size()));
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    magnitudes[i] = code_at(one, input, first + i * stride) & (sign - 1);
  }
  return magnitudes;
}

void count_block(const kernel_case& one, const std::vector<std::uint32_t>& magnitudes, held& sum) {
  const std::uint32_t amax = *std::max_element(magnitudes.begin(), magnitudes.end());
  const type_widths widths = widths_of(one.type);
  const std::uint32_t infinity = ((1U << (widths.code - 1 - widths.fraction)) - 1)
                                 << widths.fraction;
  if (amax >= infinity || amax == 0) {
    ++(amax == 0 ? sum.zero : sum.special);
    return;
  }
  const auto scale_with = [&](std::uint32_t largest) {
    std::vector<float> x;
    for (const std::uint32_t m : magnitudes) {
      x.push_back(value_of(one.type, m == amax ? largest : std::min(m, largest)));
    }
    return scale_of(one.how, x);
  };
  const std::uint32_t scale = scale_with(amax);
  sum.first_above += scale != scale_with(amax - 1) ? 1 : 0;
  sum.last_below += amax + 1 < infinity && scale != scale_with(amax + 1) ? 1 : 0;
}

void count_blocks(const kernel_case& one, held& sum) {
  const case_input input = input_of(one);
  const auto rows = static_cast<std::size_t>(one.shape.rows);
  const auto columns = static_cast<std::size_t>(one.shape.columns);
  const auto size = static_cast<std::size_t>(one.how.format.size());
  ++sum.cases;
  for (std::size_t r = 0; one.results != wanted::columns && r < rows; ++r) {
    for (std::size_t c = 0; c + size <= columns; c += size) {
      count_block(one, magnitudes_of(one, input, r * columns + c, 1), sum);
    }
  }
  for (std::size_t c = 0; one.results != wanted::rows && c < columns; ++c) {
    for (std::size_t r = 0; r + size <= rows; r += size) {
      count_block(one, magnitudes_of(one, input, r * columns + c, columns), sum);
    }
  }
}

/// Whether the rule follows from amax, in powers of two.
bool has_threshold(const kernel_case& one) {
  const bool searched = one.how.rule == scale_rule::mse || one.how.rule == scale_rule::quest;
  return one.what == operation::quantize && one.how.format.scale == format{formats::e8m0} &&
         !searched;
}

}  // namespace

TEST_CASE("inputs_stand_on_both_sides_of_every_threshold_of_a_scale") {
  std::map<std::string, held> by_rule;
  for (const kernel_case& one : case_table()) {
    if (!has_threshold(one)) continue;
    const std::string type = std::to_string(static_cast<int>(one.type));
    const std::string lines = one.results == wanted::columns ? " columns" : " rows";
    std::string format_and_rule = one.name.substr(0, one.name.find(".", one.name.find(".", 9) + 1));
    count_blocks(one, by_rule[format_and_rule + " type " + type + lines]);
  }
  CHECK(by_rule.size() > 25);
  for (const auto& [rule, sum] : by_rule) {
    INFO(rule << ": " << sum.first_above << " " << sum.last_below << " of " << sum.cases);
    CHECK(sum.first_above > 0);
    CHECK(sum.last_below > 0);
  }
}

TEST_CASE("inputs_hold_ties_of_elements_and_blocks_that_are_special_or_zero") {
  held by_type[3];
  int nearest = 0;
  for (const kernel_case& one : case_table()) {
    if (one.what != operation::quantize) continue;
    if (has_threshold(one)) count_blocks(one, by_type[static_cast<int>(one.type)]);
    const bool is_large = one.shape.rows * one.shape.columns > 1000;
    // A few large blocks under scales of many bits need not contain a tie.
    const bool has_ties = one.how.format.size() <= 256 &&
                          (!one.how.format.has_tensor_scale() || one.shape.rows % 2 == 0);
    if (one.how.rounding != rounding::ties_to_even || !is_large || !has_ties) continue;
    kernel_case away = one;
    away.how.rounding = rounding::ties_away;
    INFO(one.name);
    const case_input input = input_of(one);
    CHECK(!difference_between(results_of_core(one, input), results_of_core(away, input)).empty());
    ++nearest;
  }
  CHECK(nearest > 50);
  for (const held& of_type : by_type) {
    CHECK(of_type.special > 100);
    CHECK(of_type.zero > 100);
  }
}
