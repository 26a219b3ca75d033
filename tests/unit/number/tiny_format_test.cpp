// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/tiny_format_test.cpp: mx/number/element.h for formats of every kind with few
// bits, exhaustively: every code, every number on a fine grid, every rounding, both overflows.
#include <vector>

#include "catch.h"
#include "mx/number/element.h"

namespace {

using mx::format;
using mx::kind;
using mx::lowest_field;
using mx::specials;
using mx::unpacked;

constexpr int grid = 4;  // numbers are multiples of 2^-4 of the smallest step

std::uint32_t magnitude_codes(const format& f) { return 1U << (f.exponent_bits + f.fraction_bits); }

/// Magnitude of a code in steps of the grid, from the definition of a field and a fraction. Codes
/// continue beyond the format as if it had more exponent bits.
std::int64_t defined(const format& f, std::uint32_t code) {
  const std::int64_t steps = std::int64_t{1} << f.fraction_bits;
  const std::int64_t field = code / steps, fraction = code % steps;
  if (f.lowest_field == lowest_field::normal) return (steps + fraction) << field << grid;
  return field == 0 ? fraction << grid : (steps + fraction) << (field - 1) << grid;
}

/// Exponent of one step of the grid.
int grid_exponent(const format& f) {
  const int lowest = f.lowest_field == lowest_field::normal ? -f.bias : 1 - f.bias;
  return lowest - f.fraction_bits - grid;
}

/// Finite magnitudes come first; the number of other codes follows from the specials.
std::uint32_t finite_codes(const format& f) {
  if (f.specials == specials::ieee || f.specials == specials::top_field) {
    return magnitude_codes(f) - (1U << f.fraction_bits);
  }
  return magnitude_codes(f) - (f.specials == specials::top_code ? 1 : 0);
}

struct draw {
  mx::rounder how;
  std::uint64_t random = 0;
};

/// Code that a number of grid steps is rounded to, by a search from below.
std::uint32_t searched(const format& f, std::int64_t x, const draw& d) {
  if (x <= defined(f, 0)) return 0;
  std::uint32_t lower = 0;
  while (defined(f, lower + 1) <= x) ++lower;
  const std::int64_t low = defined(f, lower), step = defined(f, lower + 1) - low, rest = x - low;
  const bool odd = lower % 2 == 1;
  bool up = false;
  switch (d.how.mode) {
    case mx::rounding::ties_to_even:
      up = 2 * rest > step || (2 * rest == step && odd);
      break;
    case mx::rounding::ties_away:
      up = 2 * rest >= step;
      break;
    case mx::rounding::ties_toward_zero:
      up = 2 * rest > step;
      break;
    case mx::rounding::toward_zero:
      break;
    case mx::rounding::away_from_zero:
      up = rest > 0;
      break;
    case mx::rounding::stochastic: {
      const std::int64_t all = std::int64_t{1} << d.how.random_bits;
      up = rest * all / step + static_cast<std::int64_t>(d.random) >= all;
      break;
    }
  }
  return lower + (up ? 1 : 0);
}

std::uint32_t with_sign(const format& f, bool negative, std::uint32_t magnitude) {
  if (!negative || f.signedness == mx::signedness::without_sign) return magnitude;
  const std::uint32_t half = magnitude_codes(f);
  if (f.sign_form == mx::sign_form::twos_complement)
    return magnitude == 0 ? 0 : 2 * half - magnitude;
  if (f.specials == specials::fnuz && magnitude == 0) return 0;
  return half + magnitude;
}

std::uint32_t overflowed(const format& f, bool negative, mx::overflow beyond) {
  const std::uint32_t largest = finite_codes(f) - 1;
  if (beyond == mx::overflow::saturate || f.specials == specials::none) {
    return with_sign(f, negative, largest);
  }
  // NaN keeps the sign bit of the number if the NaN code leaves it one.
  if (f.specials == specials::fnuz) return magnitude_codes(f);
  return with_sign(f, negative, largest + 1);
}

std::vector<draw> draws() {
  std::vector<draw> list{{mx::rounding::ties_to_even},
                         {mx::rounding::ties_away},
                         {mx::rounding::ties_toward_zero},
                         {mx::rounding::toward_zero},
                         {mx::rounding::away_from_zero}};
  for (std::uint32_t random = 0; random < 4; ++random) list.push_back({{2, random}, random});
  list.push_back({{5, 21}, 21});
  return list;
}

bool makes_sense(const format& f) {
  const bool field_is_special = f.specials == specials::ieee || f.specials == specials::top_field;
  if (f.exponent_bits + f.fraction_bits < 2 || (field_is_special && f.exponent_bits < 2)) {
    return false;
  }
  if (f.specials == specials::ieee && f.fraction_bits == 0) return false;
  return f.specials != specials::fnuz ||
         (f.signedness == mx::signedness::with_sign && f.lowest_field == lowest_field::subnormal);
}

std::vector<format> every_kind() {
  std::vector<format> list;
  for (const specials special :
       {specials::none, specials::ieee, specials::top_code, specials::top_field, specials::fnuz}) {
    for (const auto sign : {mx::signedness::with_sign, mx::signedness::without_sign}) {
      for (const auto lowest : {lowest_field::subnormal, lowest_field::normal}) {
        for (int code = 0; code < 36; ++code) {
          const format f{1 + code % 3, code / 3 % 4, code / 12 * 2 - 1,
                         special,      sign,         mx::sign_form::sign_magnitude,
                         lowest};
          if (makes_sense(f)) list.push_back(f);
        }
      }
    }
  }
  for (int fraction_bits = 1; fraction_bits < 6; ++fraction_bits) {
    list.push_back({1, fraction_bits, fraction_bits - 2, specials::none, mx::signedness::with_sign,
                    mx::sign_form::twos_complement});
  }
  return list;
}

void tell(const format& f) {
  UNSCOPED_INFO("e" << f.exponent_bits << "m" << f.fraction_bits << " bias " << f.bias
                    << ", specials " << static_cast<int>(f.specials) << ", signedness "
                    << static_cast<int>(f.signedness) << ", sign form "
                    << static_cast<int>(f.sign_form) << ", lowest field "
                    << static_cast<int>(f.lowest_field));
}

/// Whether decode agrees with the definition for a code below 2^width.
bool decodes(const format& f, std::uint32_t code) {
  const unpacked value = mx::decode(f, code);
  const std::uint32_t half = magnitude_codes(f);
  const bool negative = code >= half;
  if (f.sign_form == mx::sign_form::twos_complement) {
    const auto size = static_cast<std::int64_t>(negative ? 2 * half - code : code) << grid;
    const auto found = static_cast<std::int64_t>(
        value.is_zero() ? 0 : value.significand << (value.exponent - grid_exponent(f)));
    return found == size && value.negative == negative;
  }
  if (f.specials == specials::fnuz && code == half) return value.kind == kind::nan;
  const std::uint32_t magnitude = code % half;
  if (magnitude >= finite_codes(f)) {
    const bool infinite = f.specials == specials::ieee && magnitude == finite_codes(f);
    return value.kind == (infinite ? kind::infinite : kind::nan) && value.negative == negative;
  }
  if (defined(f, magnitude) == 0) return value.is_zero() && value.negative == negative;
  return value.kind == kind::finite && value.negative == negative &&
         static_cast<std::int64_t>(value.significand << (value.exponent - grid_exponent(f))) ==
             defined(f, magnitude);
}

TEST_CASE("tiny_formats_of_every_kind_decode_every_code_to_its_definition") {
  for (const format& f : every_kind()) {
    for (std::uint32_t code = 0; code < 1U << f.width(); ++code) {
      tell(f);
      INFO("code " << code);
      REQUIRE(decodes(f, code));
      // Bits above the width are ignored.
      REQUIRE(mx::decode(f, code | 1U << f.width()).significand == mx::decode(f, code).significand);
    }
  }
}

TEST_CASE("tiny_formats_of_every_kind_encode_every_number_as_a_search_does_in_every_rounding") {
  const std::vector<draw> all_draws = draws();
  for (const format& f : every_kind()) {
    int wrong = 0;
    const std::int64_t last = 3 * defined(f, finite_codes(f));
    for (std::int64_t x = 0; x <= last; x += x > 4096 ? 5 : 1) {
      for (const draw& d : all_draws) {
        const std::uint32_t code = searched(f, x, d);
        for (const bool negative : {false, true}) {
          const unpacked value =
              unpacked::finite(negative, static_cast<std::uint64_t>(x), grid_exponent(f));
          for (const auto beyond : {mx::overflow::saturate, mx::overflow::to_infinity}) {
            const std::uint32_t expected = code < finite_codes(f) ? with_sign(f, negative, code)
                                                                  : overflowed(f, negative, beyond);
            if (mx::encode(f, value, d.how, beyond) != expected) ++wrong;
          }
        }
      }
    }
    tell(f);
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("tiny_formats_of_every_kind_encode_what_no_number_is") {
  for (const format& f : every_kind()) {
    tell(f);
    const unpacked nan{true, kind::nan, 0, 0};
    const std::uint32_t code = mx::encode(f, nan, mx::rounding::ties_to_even, {});
    if (f.specials == specials::none) CHECK(code == finite_codes(f) - 1);
    if (f.specials != specials::none) CHECK(mx::decode(f, code).kind == kind::nan);
    for (const bool negative : {false, true}) {
      const unpacked infinite{negative, kind::infinite, 0, 0};
      for (const auto beyond : {mx::overflow::saturate, mx::overflow::to_infinity}) {
        CHECK(mx::encode(f, infinite, mx::rounding::toward_zero, beyond) ==
              overflowed(f, negative, beyond));
      }
    }
  }
}

}  // namespace
