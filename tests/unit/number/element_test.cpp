// SPDX-License-Identifier: Apache-2.0
// tests/unit/number/element_test.cpp: mx/number/element.h. Exhaustive for tiny formats, then the
// real ones.
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/number/element.h"

namespace {

using mx::format;
using mx::kind;
using mx::overflow;
using mx::specials;
using mx::unpacked;
constexpr mx::rounding even = mx::rounding::ties_to_even;

/// Magnitudes of a tiny format as integers, in units of a quarter of its smallest subnormal.
/// Written out from the definition of a floating-point code, not by decode.
std::vector<std::int64_t> magnitudes_of(const format& f) {
  std::vector<std::int64_t> result;
  const std::uint32_t last_field = (1U << f.exponent_bits) - (f.specials == specials::ieee ? 2 : 1);
  for (std::uint32_t field = 0; field <= last_field; ++field) {
    for (std::int64_t fraction = 0; fraction < 1 << f.fraction_bits; ++fraction) {
      const std::int64_t hidden = field == 0 ? 0 : 1 << f.fraction_bits;
      result.push_back((hidden + fraction) * 4 << (field == 0 ? 0 : field - 1));
    }
  }
  return result;
}

/// Code of the nearest magnitude; one above the last if the next number, were it representable,
/// would be nearer. Of two equally near ones the even code, also without fraction bits.
std::uint32_t nearest_by_search(const std::vector<std::int64_t>& magnitudes, std::int64_t x) {
  std::vector<std::int64_t> extended = magnitudes;
  const auto count = magnitudes.size();
  extended.push_back(2 * magnitudes[count - 1] - magnitudes[count - 2]);
  std::uint32_t best = 0;
  for (std::uint32_t code = 1; code < extended.size(); ++code) {
    const std::int64_t now = std::llabs(extended[code] - x);
    const std::int64_t before = std::llabs(extended[best] - x);
    const bool preferred = code % 2 == 0;
    if (now < before || (now == before && preferred)) best = code;
  }
  return x > extended.back() ? static_cast<std::uint32_t>(count) : best;
}

std::vector<format> tiny_formats() {
  std::vector<format> result;
  for (int exponent_bits = 1; exponent_bits <= 3; ++exponent_bits) {
    for (int fraction_bits = 0; fraction_bits <= 3; ++fraction_bits) {
      for (const int bias : {-2, 0, 1, 3}) {
        if (exponent_bits + fraction_bits < 2) continue;
        result.push_back({exponent_bits, fraction_bits, bias, specials::none});
        if (exponent_bits > 1 && fraction_bits > 0) {
          result.push_back({exponent_bits, fraction_bits, bias, specials::ieee});
        }
      }
    }
  }
  return result;
}

TEST_CASE("tiny_formats_decode_every_code_to_its_definition") {
  for (const format& f : tiny_formats()) {
    const std::vector<std::int64_t> magnitudes = magnitudes_of(f);
    const int unit = f.emin() - f.fraction_bits - 2;
    for (std::uint32_t code = 0; code < 2 * f.sign_mask(); ++code) {
      const unpacked value = mx::decode(f, code);
      const std::uint32_t magnitude = code & (f.sign_mask() - 1);
      CHECK(value.negative == (code >= f.sign_mask()));
      if (magnitude >= magnitudes.size()) {
        CHECK(value.kind == (magnitude == f.infinity_code() ? kind::infinite : kind::nan));
      } else if (magnitude == 0) {
        CHECK(value.is_zero());
      } else {
        const auto found = static_cast<std::int64_t>(value.significand << (value.exponent - unit));
        CHECK(found == magnitudes[magnitude]);
      }
    }
  }
}

TEST_CASE("tiny_formats_encode_every_number_to_the_nearest_code_and_ties_to_the_even_one") {
  for (const format& f : tiny_formats()) {
    const std::vector<std::int64_t> magnitudes = magnitudes_of(f);
    const int unit = f.emin() - f.fraction_bits - 2;
    std::int64_t wrong = 0;
    for (std::int64_t x = 0; x <= 4 * magnitudes.back(); ++x) {
      const std::uint32_t nearest = nearest_by_search(magnitudes, x);
      const bool beyond = nearest == magnitudes.size();
      for (const bool negative : {false, true}) {
        const std::uint32_t sign = negative ? f.sign_mask() : 0;
        const unpacked value = unpacked::finite(negative, static_cast<std::uint64_t>(x), unit);
        const std::uint32_t saturated = sign | (beyond ? f.max_code() : nearest);
        if (mx::encode(f, value, even, overflow::saturate) != saturated) ++wrong;
        if (f.specials == specials::none) continue;
        // The code above the last is the one of infinity.
        if (mx::encode(f, value, even, overflow::to_infinity) != (sign | nearest)) ++wrong;
      }
    }
    INFO("e" << f.exponent_bits << "m" << f.fraction_bits << " bias " << f.bias);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a_sticky_bit_far_below_breaks_every_tie_of_a_tiny_format_upwards") {
  for (const format& f : tiny_formats()) {
    const std::vector<std::int64_t> magnitudes = magnitudes_of(f);
    const int unit = f.emin() - f.fraction_bits - 2;
    for (std::uint32_t code = 0; code + 1 < magnitudes.size(); ++code) {
      const auto tie = static_cast<std::uint64_t>(magnitudes[code] + magnitudes[code + 1]);
      const unpacked above = unpacked::positive(tie << 40 | 1, unit - 41);
      const unpacked below = unpacked::positive((tie << 40) - 1, unit - 41);
      CHECK(mx::encode(f, above, even, overflow::saturate) == code + 1);
      CHECK(mx::encode(f, below, even, overflow::saturate) == code);
    }
  }
}

TEST_CASE("e2m1_encode_is_the_inverse_of_decode_on_all_16_codes") {
  for (std::uint8_t code = 0; code < 16; ++code) {
    CHECK(mx::e2m1::nearest(mx::e2m1{code}.value()) == mx::e2m1{code});
  }
}

TEST_CASE("all_65536_bfloat16_codes_survive_the_way_through_their_value") {
  const format& f = mx::formats::bfloat16;
  int wrong = 0;
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const unpacked value = mx::decode(f, code);
    const std::uint32_t expected = value.kind == kind::nan ? f.nan_code() : code;
    if (mx::encode(f, value, even, overflow::to_infinity) != expected) ++wrong;
    // The upper half of binary32 is bfloat16: rounding changes nothing.
    if (mx::bits_of(mx::rounded_to_bfloat16(mx::float_of(code << 16))) != expected << 16) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("rounding_to_bfloat16_takes_the_nearer_neighbour_and_ties_to_even") {
  std::mt19937 random(5);
  const auto upper = [](std::uint32_t bits) {
    const std::uint32_t low = bits & 0xFFFF, kept = bits >> 16;
    const bool up = low > 0x8000 || (low == 0x8000 && kept % 2 == 1);
    return (kept + (up ? 1 : 0)) << 16;
  };
  for (int i = 0; i < 200000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    if (i % 3 == 0) bits = (bits & 0xFFFF0000) | 0x8000;
    if (i % 3 == 1) bits = (bits & 0xFFFF0000) + 0x7FFF + bits % 3;
    if ((bits & 0x7F800000) == 0x7F800000) continue;
    REQUIRE(mx::bits_of(mx::rounded_to_bfloat16(mx::float_of(bits))) == upper(bits));
  }
  CHECK(mx::bits_of(mx::rounded_to_bfloat16(mx::float_of(0x7F7FFFFF))) == 0x7F800000);
}

TEST_CASE("binary32_round_trips_through_its_value") {
  std::mt19937 random(6);
  for (int i = 0; i < 300000; ++i) {
    const auto bits =
        i < 70000 ? static_cast<std::uint32_t>(i) * 61361U : static_cast<std::uint32_t>(random());
    const unpacked value = mx::unpack(mx::float_of(bits));
    REQUIRE(mx::bits_of(mx::to_binary32(value)) == (value.kind == kind::nan ? mx::nan_bits : bits));
  }
}

TEST_CASE("rounding_to_binary32_is_the_machine_s_conversion_from_binary64") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t significand = random() >> 11 | std::uint64_t{1} << 52;
    const int exponent = static_cast<int>(random() % 290) - 210;
    const double exact = std::ldexp(static_cast<double>(significand), exponent);
    const float rounded = mx::to_binary32(unpacked::finite(true, significand, exponent));
    REQUIRE(mx::bits_of(rounded) == mx::bits_of(static_cast<float>(-exact)));
  }
}

TEST_CASE("negating_a_number_negates_its_code_alone") {
  std::mt19937 random(8);
  for (int i = 0; i < 100000; ++i) {
    const float x = mx::float_of(random() & 0x7F7FFFFF);
    REQUIRE(mx::e2m1::nearest(mx::unpack(-x)).code == (mx::e2m1::nearest(mx::unpack(x)).code | 8));
  }
}

TEST_CASE("larger_numbers_never_get_smaller_codes") {
  int last = 0;
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 997) {
    const int code = mx::e2m1::nearest(mx::unpack(mx::float_of(bits))).code;
    REQUIRE(code >= last);
    last = code;
  }
  CHECK(last == 7);
}

TEST_CASE("every_format_encodes_the_value_of_every_code_to_that_code") {
  for (const format f :
       {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2, mx::formats::e4m3,
        mx::formats::e5m2, mx::formats::int8, mx::formats::e4m3fnuz, mx::formats::e5m2fnuz,
        mx::formats::binary16, mx::formats::e8m0, mx::formats::e8m(5), mx::formats::e8m(16),
        mx::formats::ue4m3, mx::formats::ue5m3}) {
    for (const mx::rounding mode :
         {even, mx::rounding::toward_zero, mx::rounding::away_from_zero}) {
      int wrong = 0;
      for (std::uint32_t code = 0; code < 1U << f.width(); code += code < 1024 ? 1 : 37) {
        const unpacked value = mx::decode(f, code);
        const bool minus_two = f == mx::formats::int8 && code == 0x80;
        const std::uint32_t expected =
            value.kind == kind::nan ? f.nan_code() : (minus_two ? 0x81 : code);
        const overflow beyond = minus_two ? overflow::saturate : overflow::to_infinity;
        if (mx::encode(f, value, mode, beyond) != expected) ++wrong;
      }
      INFO("e" << f.exponent_bits << "m" << f.fraction_bits);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("elements_with_types_are_the_nearest_of_their_format") {
  CHECK(mx::e2m3::nearest(mx::unpack(7.25F)).code == 0x1E);   // 7, of the tie 7 and 7.5
  CHECK(mx::e3m2::nearest(mx::unpack(-30.0F)).code == 0x3F);  // -28
  CHECK(mx::e4m3::nearest(mx::unpack(1e9F)).code == 0x7E);
  CHECK(mx::e5m2::nearest(mx::unpack(61440.0F)).code == 0x7B);  // the tie would be Inf
  CHECK(mx::int8::nearest(mx::unpack(0x1.8p-6F)).code == 2);    // 1.5 units
  CHECK(mx::int8::nearest(mx::unpack(-0x1.fcp0F)).code == 0x81);
  CHECK(mx::encode(mx::formats::e4m3fnuz, mx::unpack(-0x1p-12F), even, {}) == 0);
  CHECK(mx::encode(mx::formats::e5m2, mx::unpack(61440.0F), even, overflow::to_infinity) == 0x7C);
  CHECK(mx::encode(mx::formats::e4m3, mx::unpack(-465.0F), even, overflow::to_infinity) == 0xFF);
}

}  // namespace
