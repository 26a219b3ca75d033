// SPDX-License-Identifier: Apache-2.0
// tests/cross/element_code_cross_test.cpp: one element under any exact scale, in every rounding;
// for stochastic rounding every draw, so that the probability of each number is tested.
#include "catch.h"
#include "critical.h"

namespace {

using cross::format_twins;
using golden::rational;
using mx::unpacked;

rational ratio_value(const mx::scale_ratio& scale) {
  return cross::magnitude_of(scale.numerator) / cross::magnitude_of(scale.denominator);
}

std::uint32_t core_code(const format_twins& element, float x, const mx::scale_ratio& scale,
                        const mx::rounder& how) {
  return mx::element_code(element.core, mx::unpack(x), scale, how);
}

std::uint32_t reference_code(const format_twins& element, float x, const mx::scale_ratio& scale,
                             golden::rounding mode, golden::random_draw draw = {}) {
  golden::signed_value value = golden::value_of(x);
  value.magnitude /= ratio_value(scale);
  return golden::rounded_element(*element.reference, value, mode, draw);
}

// Significands as scales have them: powers of two, 4, 9, 17 and 24 bits, some under a tensor scale
// of 24 bits; and the exact scale, whose denominator is the largest element.
mx::scale_ratio any_ratio(const format_twins& element, std::mt19937& random) {
  constexpr int widths[] = {1, 4, 9, 17, 24, 28, 31};
  const int width = widths[random() % 7];
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  const std::uint64_t low = random() | std::uint64_t{random()} << 32;
  const int exponent = static_cast<int>(random() % 40) - 20;
  const unpacked numerator = unpacked::positive(top | (low & (top - 1)), exponent - width);
  if (random() % 5 == 0 && width == 24) return {numerator, mx::largest_of(element.core)};
  return {numerator};
}

// A float on or beside a tie, or `part` of the way between two elements, under the scale.
float float_at(const format_twins& element, const mx::scale_ratio& scale, std::mt19937& random) {
  const golden::number_format& format = *element.reference;
  const auto code = static_cast<std::uint32_t>(random()) % (format.magnitudes() - 1);
  const rational here = format.magnitude(code);
  const rational part = random() % 2 == 0 ? rational(1, 2) : rational(random() % 512, 512);
  const rational x = here + (format.magnitude(code + 1) - here) * part;
  const float found = cross::near(x * ratio_value(scale), random);
  return random() % 2 == 0 ? found : -found;
}

TEST_CASE("an_element_under_any_scale_is_rounded_as_the_exact_quotient_is") {
  std::mt19937 random(11);
  for (const format_twins& element : cross::element_formats()) {
    for (int i = 0; i < 600; ++i) {
      const mx::scale_ratio scale = any_ratio(element, random);
      const float x = float_at(element, scale, random);
      for (const auto& mode : cross::roundings()) {
        if (mode.core == mx::rounding::stochastic) continue;
        INFO(element.name << ", " << mode.name << ", x " << mx::bits_of(x) << ", scale "
                          << ratio_value(scale));
        REQUIRE(core_code(element, x, scale, mode.core) ==
                reference_code(element, x, scale, mode.reference));
      }
    }
  }
}

// floor(delta 2^bits), delta the place of a quotient between its neighbours; none beyond the last.
std::optional<golden::integer> exact_share(const format_twins& element, float x,
                                           const mx::scale_ratio& scale, int bits) {
  const rational quotient = golden::value_of(x).magnitude / ratio_value(scale);
  const std::uint32_t lower = element.reference->last_not_above(quotient).value();
  if (lower + 1 == element.reference->magnitudes()) return {};
  const rational low = element.reference->magnitude(lower);
  const rational delta = (quotient - low) / (element.reference->magnitude(lower + 1) - low);
  return golden::floor_of(delta * golden::power_of_two(bits));
}

TEST_CASE("of_all_draws_exactly_the_discarded_share_rounds_up") {
  std::mt19937 random(12);
  for (const format_twins& element : cross::element_formats()) {
    for (int i = 0; i < 150; ++i) {
      const int bits = i % 3 == 0 ? 1 + i % 8 : 8;
      const mx::scale_ratio scale = any_ratio(element, random);
      const float x = float_at(element, scale, random);
      const auto share = exact_share(element, x, scale, bits);
      const std::uint32_t down = core_code(element, x, scale, mx::rounding::toward_zero);
      std::uint32_t up = 0;
      for (std::uint32_t draw = 0; draw < 1U << bits; ++draw) {
        up += core_code(element, x, scale, {bits, draw}) != down ? 1 : 0;
      }
      INFO(element.name << ", " << bits << " bits, x " << mx::bits_of(x) << ", scale "
                        << ratio_value(scale));
      REQUIRE(up == share.value_or(0));
    }
  }
}

TEST_CASE("with_9_to_24_bits_the_first_draw_that_rounds_up_is_the_exact_one") {
  std::mt19937 random(13);
  for (const format_twins& element : cross::element_formats()) {
    for (int i = 0; i < 1000; ++i) {
      const int bits = i % 2 == 0 ? 24 : 9 + i % 16;
      const mx::scale_ratio scale = any_ratio(element, random);
      const float x = float_at(element, scale, random);
      const auto share = exact_share(element, x, scale, bits);
      if (!share) continue;
      const auto all = std::uint32_t{1} << bits;
      const std::uint32_t first = all - share->convert_to<std::uint32_t>();
      const std::uint32_t down = core_code(element, x, scale, mx::rounding::toward_zero);
      INFO(element.name << ", " << bits << " bits, x " << mx::bits_of(x) << ", scale "
                        << ratio_value(scale) << ", first " << first);
      REQUIRE(core_code(element, x, scale, {bits, first - 1}) == down);
      if (first < all) REQUIRE(core_code(element, x, scale, {bits, first}) != down);
    }
  }
}

TEST_CASE("draws_of_every_width_and_map_are_the_reference_s") {
  std::mt19937_64 random(14);
  for (int bits = 1; bits <= 24; ++bits) {
    for (const mx::byte_map map : {mx::byte_map::ptx, mx::byte_map::te_soft}) {
      const auto reference_map =
          map == mx::byte_map::ptx ? golden::byte_map::ptx : golden::byte_map::te_soft;
      for (int i = 0; i < 40; ++i) {
        const std::uint64_t seed = random();
        const std::uint64_t index = i < 20 ? static_cast<std::uint64_t>(i) : random() >> (i % 40);
        const golden::random_draw draw = golden::draw_for({seed, bits, reference_map}, index);
        INFO("bits " << bits << ", index " << index);
        REQUIRE(draw.bits == bits);
        REQUIRE(mx::random_bits_of({seed, bits, map}, index) == draw.value);
      }
    }
  }
}

}  // namespace
