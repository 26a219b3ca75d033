// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/unpacked_test.cpp: mx/number/unpacked.h.
#include <random>

#include "catch.h"
#include "mx/number/element.h"

namespace {

using mx::kind;
using mx::unpacked;

TEST_CASE("a_zero_significand_is_a_zero_that_keeps_its_sign") {
  for (const bool negative : {false, true}) {
    const unpacked zero = unpacked::finite(negative, 0, 17);
    CHECK(zero.is_zero());
    CHECK(zero.negative == negative);
    CHECK(zero.scaled_by_power_of_two(5).is_zero());
    CHECK(mx::multiplied(zero, 6).is_zero());
    CHECK(mx::quotient(zero, unpacked::positive(3, 0)).negative == negative);
  }
}

TEST_CASE("only_infinities_and_nans_are_special") {
  CHECK(mx::unpack(mx::float_of(0x7F800000)).kind == kind::infinite);
  CHECK(mx::unpack(mx::float_of(0xFF800000)).negative);
  CHECK(mx::unpack(mx::float_of(0x7F800001)).kind == kind::nan);
  CHECK(mx::unpack(mx::float_of(0x7FC00000)).is_special());
  CHECK_FALSE(mx::unpack(mx::float_of(0x7F7FFFFF)).is_special());
  CHECK_FALSE(mx::unpack(0.0F).is_special());
}

TEST_CASE("floor_log2_does_not_depend_on_trailing_zeros") {
  for (int shift = 0; shift < 40; ++shift) {
    CHECK(unpacked::positive(std::uint64_t{5} << shift, 10 - shift).floor_log2() == 12);
  }
}

TEST_CASE("magnitudes_compare_as_the_integers_they_stand_for") {
  for (std::uint64_t a = 0; a < 40; ++a) {
    for (std::uint64_t b = 0; b < 40; ++b) {
      for (int ea = 0; ea < 6; ++ea) {
        for (int eb = 0; eb < 6; ++eb) {
          const auto left = static_cast<std::int64_t>(a << ea);
          const auto right = static_cast<std::int64_t>(b << eb);
          const int expected = (left > right ? 1 : 0) - (left < right ? 1 : 0);
          const int found = mx::compare_magnitudes(unpacked::finite(true, a, ea - 3),
                                                   unpacked::positive(b, eb - 3));
          CHECK((found > 0 ? 1 : 0) - (found < 0 ? 1 : 0) == expected);
        }
      }
    }
  }
}

/// Whether q is a / b truncated with a sticky lowest bit: |q - a / b| < 2^q.exponent, and q is odd
/// if it is not exact.
bool is_cut_quotient(const unpacked& q, const unpacked& a, const unpacked& b) {
  __extension__ using wide = unsigned __int128;
  const int shift = a.exponent - b.exponent - q.exponent;  // a 2^shift = q b + rest
  if (shift < 0 || shift > 125 - mx::bit_width(a.significand)) return false;
  const wide dividend = wide{a.significand} << shift;
  const std::uint64_t whole = q.significand & ~std::uint64_t{1};
  if (wide{q.significand} * b.significand == dividend) return true;
  const bool between =
      wide{whole} * b.significand < dividend && dividend < wide{whole + 2} * b.significand;
  return between && (q.significand & 1) == 1;
}

TEST_CASE("a_quotient_is_cut_off_behind_at_least_32_bits_with_a_sticky_bit") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const unpacked a = unpacked::finite(i % 2 == 0, (random() >> (1 + random() % 62)) | 1, 4);
    const unpacked b = unpacked::finite(true, random() >> (2 + random() % 62) | 1, -3);
    const unpacked q = mx::quotient(a, b);
    REQUIRE(mx::bit_width(q.significand) >= 32);
    REQUIRE(mx::bit_width(q.significand) <= 63);
    REQUIRE(is_cut_quotient(q, a, b));
    REQUIRE(q.negative == a.negative);
  }
}

TEST_CASE("a_quotient_rounded_to_binary32_is_the_machine_s_division") {
  std::mt19937 random(4);
  for (int i = 0; i < 200000; ++i) {
    const float a = mx::float_of((random() & 0x807FFFFF) | (random() % 254 + 1) << 23);
    const float b = mx::float_of((random() & 0x007FFFFF) | (random() % 254 + 1) << 23);
    const float quotient = mx::to_binary32(mx::quotient(mx::unpack(a), mx::unpack(b)));
    REQUIRE(mx::bits_of(quotient) == mx::bits_of(a / b));
  }
}

TEST_CASE("products_with_integers_are_exact") {
  const unpacked x = mx::unpack(-0x1.fffffep+3F);
  CHECK(mx::multiplied(x, 12).significand == x.significand * 12);
  CHECK(mx::multiplied(x, 12).exponent == x.exponent);
  CHECK(mx::multiplied(x, 12).negative);
  CHECK(mx::multiplied(mx::unpack(mx::float_of(0x7FC00000)), 3).kind == kind::nan);
}

TEST_CASE("products_and_differences_of_small_numbers_are_those_of_integers") {
  for (int a = -9; a <= 9; ++a) {
    for (int b = -9; b <= 9; ++b) {
      for (const int shift : {0, 3, 7}) {
        const auto of = [](int n, int exponent) {
          return unpacked::finite(n < 0, static_cast<std::uint64_t>(n < 0 ? -n : n), exponent);
        };
        const auto number = [](const unpacked& x) {
          const auto size =
              x.is_zero() ? 0 : static_cast<std::int64_t>(x.significand << (x.exponent + 20));
          return x.negative ? -size : size;
        };
        const std::int64_t left = a, right = b;
        CHECK(number(mx::multiplied(of(a, -6), of(b, shift - 6))) ==
              left * right * (std::int64_t{1} << (8 + shift)));
        CHECK(number(mx::difference(of(a, shift - 5), of(b, -5))) ==
              ((left * (1 << shift)) - right) * (1 << 15));
        CHECK(number(mx::difference(of(b, -5), of(a, shift - 5))) ==
              (right - left * (1 << shift)) * (1 << 15));
      }
    }
  }
}

TEST_CASE("a_product_with_a_zero_is_a_zero_with_the_sign_of_both") {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const unpacked product = mx::multiplied(unpacked::finite(a, 0, 0), unpacked::finite(b, 5, 9));
      CHECK(product.is_zero());
      CHECK(product.negative == (a != b));
      CHECK(mx::multiplied(unpacked::finite(a, 5, 9), unpacked::finite(b, 0, 0)).is_zero());
    }
  }
}

TEST_CASE("a_difference_with_zero_is_the_other_number") {
  const unpacked x = mx::unpack(-2.5F), zero = mx::unpack(0.0F);
  CHECK(mx::to_binary32(mx::difference(x, zero)) == -2.5F);
  CHECK(mx::to_binary32(mx::difference(zero, x)) == 2.5F);
  CHECK(mx::difference(x, x).is_zero());
}

static_assert(mx::difference(unpacked::positive(3, 1), unpacked::positive(5, 0)).significand == 1);

}  // namespace
