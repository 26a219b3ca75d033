// SPDX-License-Identifier: Apache-2.0
// tests/unit/format_test.cpp: mx/format.h.
#include "catch.h"
#include "mx/element.h"

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

}  // namespace
