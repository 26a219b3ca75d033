// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/product_test.cpp: mx/dot/product.h.
#include <algorithm>

#include "catch.h"
#include "mx/dot/product.h"

namespace {

using mx::kind;
using mx::unpacked;

const mx::format wide_enough[] = {mx::formats::e2m1, mx::formats::e2m3,     mx::formats::e3m2,
                                  mx::formats::e4m3, mx::formats::e5m2,     mx::formats::e4m3fnuz,
                                  mx::formats::int8, mx::formats::e5m2fnuz, mx::formats::e3m2};

TEST_CASE("products_of_all_codes_are_exact_and_have_the_sum_of_their_fields") {
  for (const mx::format& f : wide_enough) {
    for (std::uint32_t a = 0; a < 1U << f.width(); ++a) {
      for (std::uint32_t b = 0; b < 1U << f.width(); ++b) {
        const unpacked x = mx::decode(f, a), y = mx::decode(f, b);
        if (x.is_special() || y.is_special()) continue;
        const mx::factor p = mx::product_of(mx::factor_of(f, a), mx::factor_of(f, b));
        // Eight significant bits a factor: a double holds the product.
        const double wanted = static_cast<double>(mx::to_binary32(x)) * mx::to_binary32(y);
        REQUIRE(static_cast<double>(mx::to_binary32(p.value)) == wanted);
        REQUIRE(p.value.negative == (x.negative != y.negative));
        if (p.value.is_zero()) continue;
        // -2 of INT8 is read like all of its numbers.
        const auto field = [&f](const unpacked& n) {
          return std::clamp(n.floor_log2(), f.emin(), f.emax());
        };
        REQUIRE(p.exponent == field(x) + field(y));
      }
    }
  }
}

TEST_CASE("zero_times_inf_is_nan_and_signs_multiply") {
  const unpacked inf{true, kind::infinite, 0, 0}, nan{false, kind::nan, 0, 0}, zero{};
  const unpacked two = unpacked::finite(true, 1, 1);
  CHECK(mx::product_of(inf, zero).kind == kind::nan);
  CHECK(mx::product_of(zero, inf).kind == kind::nan);
  CHECK(mx::product_of(inf, two).kind == kind::infinite);
  CHECK_FALSE(mx::product_of(inf, two).negative);
  CHECK(mx::product_of(nan, zero).kind == kind::nan);
  CHECK(mx::product_of(two, zero).negative);
}

TEST_CASE("the_sum_of_operands_kinds_is_ieee_s") {
  const unpacked inf{false, kind::infinite, 0, 0}, minus_inf{true, kind::infinite, 0, 0};
  const unpacked nan{false, kind::nan, 0, 0}, one = unpacked::positive(1, 0);
  const unpacked zero{}, minus_zero{true, kind::zero, 0, 0};
  const auto seen = [](std::initializer_list<unpacked> all) {
    mx::operand_kinds kinds;
    for (const unpacked& x : all) kinds.see(x);
    return kinds;
  };
  CHECK_FALSE(seen({one, zero}).is_special());
  CHECK(seen({one, inf}).special().kind == kind::infinite);
  CHECK(seen({minus_inf, one}).special().negative);
  CHECK(seen({inf, minus_inf}).special().kind == kind::nan);
  CHECK(seen({inf, nan}).special().kind == kind::nan);
  CHECK(seen({minus_zero, minus_zero}).only_negative_zeros);
  CHECK_FALSE(seen({minus_zero, zero}).only_negative_zeros);
  CHECK_FALSE(seen({minus_zero, unpacked::finite(true, 1, 0)}).only_negative_zeros);
}

TEST_CASE("a_model_may_flush_inputs_or_skip_low_bits_of_their_codes") {
  mx::dot_model model;
  model.sum.inputs = mx::subnormals::flushed;
  CHECK(mx::factor_of(model, mx::formats::binary16, 0x83FF).value.is_zero());
  CHECK_FALSE(mx::factor_of(model, mx::formats::binary16, 0x83FF).value.negative);
  CHECK_FALSE(mx::factor_of(model, mx::formats::binary16, 0x8000).value.negative);
  CHECK(mx::factor_of(model, mx::formats::binary16, 0x0400).value.floor_log2() == -14);
  model = {};
  model.unread_bits = 13;
  const mx::factor one = mx::factor_of(model, mx::formats::tf32, 0x3F801FFF);
  CHECK(mx::to_binary32(one.value) == 1.0F);
  CHECK(mx::factor_of(model, mx::formats::tf32, 0x7F800001).value.kind == kind::infinite);
}

TEST_CASE("converted_factors_are_read_at_the_exponent_they_have_in_binary16") {
  const mx::dot_model model{.sum = {.factors = mx::factor_exponent::binary16}};
  for (std::uint32_t code = 0; code < 256; ++code) {
    const unpacked x = mx::decode(mx::formats::e4m3, code), y = mx::decode(mx::formats::e5m2, code);
    if (x.kind == kind::finite) {
      CHECK(mx::factor_of(model, mx::formats::e4m3, code).exponent == x.floor_log2());
    }
    if (y.kind == kind::finite) {
      CHECK(mx::factor_of(model, mx::formats::e5m2, code).exponent ==
            std::max(y.floor_log2(), -14));
    }
  }
}

/// The other reading of D-039.
TEST_CASE("of_e2m1_alone_a_subnormal_may_be_read_at_its_own_exponent") {
  const mx::dot_model model{.sum = {.factors = mx::factor_exponent::normal_e2m1}};
  for (std::uint32_t code = 0; code < 16; ++code) {
    const unpacked x = mx::decode(mx::formats::e2m1, code);
    if (x.kind != kind::finite) continue;
    CHECK(mx::factor_of(model, mx::formats::e2m1, code).exponent == x.floor_log2());
  }
  for (const mx::format& f : {mx::formats::e2m3, mx::formats::e3m2, mx::formats::e4m3,
                              mx::formats::e5m2, mx::formats::binary16}) {
    for (std::uint32_t code = 0; code < 256; ++code) {
      if (mx::decode(f, code).kind != kind::finite) continue;
      CHECK(mx::factor_of(model, f, code).exponent == mx::factor_of(f, code).exponent);
    }
  }
}

TEST_CASE("integers_of_codes_are_multiples_of_the_smallest_number") {
  for (const mx::format& f : {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2}) {
    const mx::integer_codes integers(f);
    CHECK(integers.is_looked_up() == (f == mx::formats::e2m1));
    for (std::uint32_t code = 0; code < 1U << f.width(); ++code) {
      const float wanted = mx::to_binary32(mx::decode(f, code));
      const float unit = mx::to_binary32(mx::unpacked::positive(1, mx::integer_unit(f)));
      CHECK(static_cast<float>(integers[code]) * unit == wanted);
      CHECK(mx::is_negative(f, code) == (code >> (f.width() - 1) != 0));
    }
  }
}

TEST_CASE("dequantized_factors_round_to_fp32_and_overflow_to_inf") {
  const mx::factor six = mx::factor_of(mx::formats::e2m1, 7);
  const mx::factor large = mx::factor_of(mx::formats::e8m0, 254);
  CHECK(mx::dequantized_factor(six, large).value.kind == kind::infinite);
  const mx::factor small = mx::factor_of(mx::formats::e8m0, 0);
  CHECK(mx::to_binary32(mx::dequantized_factor(six, small).value) == 6 * 0x1p-127F);
  const mx::factor third = mx::factor_of(mx::formats::binary32, mx::bits_of(1.0F / 3));
  CHECK(
      mx::to_binary32(mx::dequantized_factor(mx::factor_of(mx::formats::e2m3, 15), third).value) ==
      1.875F * (1.0F / 3));
  CHECK(mx::dequantized_factor(six, mx::factor_of(mx::formats::e8m0, 255)).value.kind == kind::nan);
}

TEST_CASE("large_products_are_inf_only_where_a_model_says_so") {
  const unpacked large = unpacked::finite(true, 1, 128), largest = unpacked::positive(3, 126);
  CHECK(mx::with_large(mx::large_product::infinite, large).kind == kind::infinite);
  CHECK(mx::with_large(mx::large_product::infinite, large).negative);
  CHECK(mx::with_large(mx::large_product::finite, large).kind == kind::finite);
  CHECK(mx::with_large(mx::large_product::infinite, largest).kind == kind::finite);
}

}  // namespace
