// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/format_test.cpp: mx/number/format.h.
#include "catch.h"
#include "mx/number/element.h"

namespace {

TEST_CASE("widths_and_masks_follow_from_the_fields") {
  for (int exponent_bits = 1; exponent_bits <= 8; ++exponent_bits) {
    for (int fraction_bits = 0; fraction_bits <= 10; ++fraction_bits) {
      const mx::format f{exponent_bits, fraction_bits, 3, mx::specials::none};
      CHECK(f.width() == 1 + exponent_bits + fraction_bits);
      CHECK(f.sign_mask() == std::uint32_t{1} << (exponent_bits + fraction_bits));
      CHECK(f.max_code() == f.sign_mask() - 1);
      CHECK(f.max_significand() == (std::uint64_t{1} << (fraction_bits + 1)) - 1);
    }
  }
}

TEST_CASE("a_format_without_specials_uses_its_top_exponent_for_numbers") {
  const mx::format plain{3, 2, 3, mx::specials::none}, ieee{3, 2, 3, mx::specials::ieee};
  CHECK(plain.emax() == 4);
  CHECK(ieee.emax() == 3);
  CHECK(plain.emin() == -2);
  CHECK(ieee.emin() == -2);
  CHECK(ieee.infinity_code() == 0b11100);
  CHECK(ieee.max_code() == 0b11011);
  CHECK(ieee.nan_code() == 0b11110);
}

TEST_CASE("the_largest_code_decodes_to_the_largest_significand_at_emax") {
  for (const mx::specials specials : {mx::specials::none, mx::specials::ieee}) {
    for (int exponent_bits = 2; exponent_bits <= 5; ++exponent_bits) {
      const mx::format f{exponent_bits, 3, 4, specials};
      const mx::unpacked largest = mx::decode(f, f.max_code());
      CHECK(largest.significand == f.max_significand());
      CHECK(largest.exponent == f.emax() - f.fraction_bits);
    }
  }
}

TEST_CASE("formats_are_compared_as_values") {
  CHECK(mx::format{2, 1, 1, mx::specials::none} == mx::formats::e2m1);
  CHECK_FALSE(mx::format{2, 1, 1, mx::specials::ieee} == mx::formats::e2m1);
  CHECK_FALSE(mx::format{2, 1, 0, mx::specials::none} == mx::formats::e2m1);
}

TEST_CASE("specials_decide_which_codes_are_numbers") {
  const auto of = [](mx::specials specials) { return mx::format{3, 2, 3, specials}; };
  CHECK(of(mx::specials::none).max_code() == 31);
  CHECK(of(mx::specials::ieee).max_code() == 27);
  CHECK(of(mx::specials::top_code).max_code() == 30);
  CHECK(of(mx::specials::top_field).max_code() == 27);
  CHECK(of(mx::specials::fnuz).max_code() == 31);
  CHECK(of(mx::specials::ieee).nan_code() == 30);
  CHECK(of(mx::specials::top_code).nan_code() == 31);
  CHECK(of(mx::specials::top_field).nan_code() == 28);
  CHECK(of(mx::specials::fnuz).nan_code() == 32);
  CHECK_FALSE(of(mx::specials::none).has_nan());
  for (const auto specials :
       {mx::specials::ieee, mx::specials::top_code, mx::specials::top_field, mx::specials::fnuz}) {
    CHECK(of(specials).has_nan());
    CHECK(mx::decode(of(specials), of(specials).nan_code()).kind == mx::kind::nan);
    CHECK(of(specials).has_negative_zero() == (specials != mx::specials::fnuz));
  }
}

TEST_CASE("a_format_without_sign_is_one_bit_narrower_and_has_no_negative_zero") {
  const mx::format with{3, 2, 3},
      without{3, 2, 3, mx::specials::none, mx::signedness::without_sign};
  CHECK(with.width() == without.width() + 1);
  CHECK(without.sign_mask() == 0);
  CHECK(with.max_code() == without.max_code());
  CHECK(with.has_negative_zero());
  CHECK_FALSE(without.has_negative_zero());
}

TEST_CASE("a_normal_lowest_field_reaches_one_binade_lower_and_has_no_zero") {
  mx::format f{3, 2, 3};
  CHECK(f.emin() == -2);
  f.lowest_field = mx::lowest_field::normal;
  CHECK(f.emin() == -3);
  CHECK(mx::decode(f, 0).significand == 4);
  CHECK(mx::decode(f, 0).exponent == -5);
}

TEST_CASE("twos_complement_has_no_negative_zero") {
  const mx::format f{
      1, 6, 1, mx::specials::none, mx::signedness::with_sign, mx::sign_form::twos_complement};
  CHECK_FALSE(f.has_negative_zero());
  CHECK(f.emax() == 0);
  CHECK_FALSE(f == mx::format{1, 6, 1});
}

}  // namespace
