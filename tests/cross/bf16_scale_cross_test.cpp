// SPDX-License-Identifier: Apache-2.0
// tests/cross/bf16_scale_cross_test.cpp: all BF16 numbers as amax under every rule of powers of
// two, and all BF16 numbers under all E8M0 scales: together, all cases of such blocks.
#include "catch.h"
#include "golden/reference/threshold.h"
#include "twins.h"

namespace {

using cross::format_twins;
using golden::rational;

constexpr std::uint32_t finite_patterns = 0x7F80;

float from_bf16(std::uint32_t pattern) { return golden::float_of(pattern << 16); }

// BF16 numbers, in order.
const std::vector<rational>& magnitudes() {
  static const std::vector<rational> list = [] {
    std::vector<rational> all;
    for (std::uint32_t pattern = 0; pattern < finite_patterns; ++pattern) {
      all.push_back(golden::value_of(from_bf16(pattern)).magnitude);
    }
    return all;
  }();
  return list;
}

void expect_equal_scales(const format_twins& element, std::uint32_t step) {
  for (const auto& rule : cross::rules()) {
    if (!mx::is_power_of_two_rule(rule.core)) continue;
    for (std::uint32_t pattern = 1; pattern < finite_patterns; pattern += step) {
      const int expected = golden::shared_exponent({{false, magnitudes()[pattern]}},
                                                   *element.reference, rule.reference);
      const mx::unpacked amax = mx::unpack(from_bf16(pattern));
      INFO(element.name << ", " << rule.name << ", amax " << pattern);
      REQUIRE(mx::shared_scale(element.core, rule.core, amax).exponent() == expected);
    }
  }
}

TEST_CASE("every_rule_of_powers_of_two_agrees_on_all_bf16_amax_of_e2m1") {
  expect_equal_scales(cross::element_formats().front(), 1);
}

TEST_CASE("every_rule_of_powers_of_two_agrees_on_bf16_amax_of_every_format") {
  for (const format_twins& element : cross::element_formats()) expect_equal_scales(element, 7);
}

TEST_CASE("every_rule_agrees_on_all_bf16_amax_of_every_format", "[.nightly]") {
  for (const format_twins& element : cross::element_formats()) expect_equal_scales(element, 1);
}

// First pattern that passes the threshold times the scale; patterns ascend as their values do.
std::uint32_t first_above(const golden::threshold& t, const rational& scale) {
  const rational at = t.at * scale;
  const auto& all = magnitudes();
  const auto found = t.tie == golden::tie_side::upper
                         ? std::lower_bound(all.begin(), all.end(), at)
                         : std::upper_bound(all.begin(), all.end(), at);
  return static_cast<std::uint32_t>(found - all.begin());
}

// A running pointer over the thresholds gives the expected code of every pattern.
void expect_equal_codes(const format_twins& element, const cross::rounding_twins& mode,
                        int scale_step) {
  const auto thresholds = golden::thresholds(*element.reference, mode.reference);
  const mx::block_format format{element.core};
  for (int byte = 0; byte < 255; byte += scale_step) {
    const rational scale = golden::power_of_two(byte - 127);
    const mx::scale_ratio ratio =
        mx::ratio_of(format, static_cast<std::uint32_t>(byte), mx::no_tensor_scale);
    std::size_t passed = 0;
    std::uint32_t next = first_above(thresholds[0], scale), wrong = 0;
    for (std::uint32_t pattern = 0; pattern < finite_patterns; ++pattern) {
      while (passed < thresholds.size() && next <= pattern) {
        if (++passed < thresholds.size()) next = first_above(thresholds[passed], scale);
      }
      const mx::unpacked x = mx::unpack(from_bf16(pattern));
      mx::unpacked minus = x;
      minus.negative = true;
      const auto code = static_cast<std::uint32_t>(passed);
      if (mx::element_code(element.core, x, ratio, mode.core) != code) ++wrong;
      const std::uint32_t negative = element.reference->with_sign(true, code);
      if (mx::element_code(element.core, minus, ratio, mode.core) != negative) ++wrong;
    }
    INFO(element.name << ", " << mode.name << ", scale byte " << byte);
    REQUIRE(wrong == 0);
  }
}

void expect_equal_codes(const format_twins& element, int scale_step) {
  for (const auto& mode : cross::roundings()) {
    if (mode.core != mx::rounding::stochastic) expect_equal_codes(element, mode, scale_step);
  }
}

TEST_CASE("all_bf16_patterns_agree_under_every_eleventh_e8m0_scale_in_every_format") {
  for (const format_twins& element : cross::element_formats()) expect_equal_codes(element, 11);
}

TEST_CASE("all_bf16_patterns_agree_under_all_e8m0_scales_in_every_format", "[.nightly]") {
  for (const format_twins& element : cross::element_formats()) expect_equal_codes(element, 1);
}

}  // namespace
