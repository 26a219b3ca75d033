// SPDX-License-Identifier: Apache-2.0
// tests/rtl/element_round_test.cpp: mx_element_round and mx_macro_factor over their whole spaces.
#include <type_traits>

#include "Vmx_element_bfloat16_e8m0.h"
#include "Vmx_element_bfloat16_e8m3.h"
#include "Vmx_macro_factor_bfloat16.h"
#include "Vmx_macro_factor_binary32.h"
#include "catch.h"
#include "mx/block/corrections.h"
#include "rtl_models/systemc/quantizer_block.h"

namespace {

constexpr mx::format bfloat16 = mx::formats::bfloat16;

/// Parameters of an element's rounding, beside its scale.
struct surroundings {
  mx::rounder how = mx::rounding::ties_to_even;
  std::uint32_t fraction = 0;
};

/// Roundings, factors and random bits other than the plain ones, by a hash of the place.
surroundings scattered(std::uint32_t place) {
  const std::uint32_t hash = place * 0x9E3779B1U;
  const std::uint32_t fraction = (hash >> 16 & 3) == 0 ? 0 : hash >> 24;
  switch (hash >> 13 & 7) {
    case 0:
      return {mx::rounding::toward_zero, fraction};
    case 1:
      return {mx::rounding::ties_to_even, fraction};
    case 2:
      return {mx::rounder(8, 255), fraction};
    case 3:
      return {mx::rounder(8, 0), fraction};
    default:
      return {mx::rounder(8, hash >> 5 & 255), fraction};
  }
}

template <class Top>
std::uint32_t rounded_by(Top& top, std::uint32_t x, std::uint32_t scale, const surroundings& s) {
  top.x_i = static_cast<std::uint16_t>(x);
  top.scale_i = static_cast<std::remove_reference_t<decltype(top.scale_i)>>(scale);
  top.factor_i = static_cast<std::uint8_t>(s.fraction);
  top.rounding_i = hardware::rounding_pins(s.how.mode);
  top.random_i = static_cast<std::uint8_t>(s.how.random);
  top.eval();
  return static_cast<std::uint32_t>(top.dead_o << 4 | top.code_o);
}

/// Code, and bit 4 if the element is zero and x is not.
std::uint32_t expected(const mx::unpacked& x, const mx::unpacked& scale, const surroundings& s) {
  if (scale.is_special()) return 0;
  const mx::scale_ratio seen =
      with_prefactor({scale}, prefactor_of({8, s.fraction}, mx::pre_gain::one));
  const std::uint32_t code = element_code(mx::formats::e2m1, x, seen, s.how);
  const bool dead = !x.is_zero() && (code & mx::formats::e2m1.magnitude_mask()) == 0;
  return (dead ? 16U : 0U) | code;
}

/// Elements that differ, of every finite x under every scale.
template <class Top, class Surroundings>
long differences(const mx::format& scale_format, Surroundings surroundings_of) {
  Top top;
  long different = 0;
  for (std::uint32_t code = 0; code < 1U << scale_format.width(); ++code) {
    const mx::unpacked scale = mx::decode(scale_format, code);
    for (std::uint32_t x = 0; x < 1U << bfloat16.width(); ++x) {
      const mx::unpacked value = mx::decode(bfloat16, x);
      if (value.is_special()) continue;  // of a special block, whose scale is NaN
      const surroundings s = surroundings_of(code << 16 | x);
      different += rounded_by(top, x, code, s) != expected(value, scale, s) ? 1 : 0;
    }
  }
  return different;
}

constexpr auto plain = [](std::uint32_t) { return surroundings{}; };

TEST_CASE("every_bfloat16_under_every_e8m0_scale_rounds_as_in_the_core") {
  CHECK(differences<Vmx_element_bfloat16_e8m0>(mx::formats::e8m0, plain) == 0);
}
TEST_CASE("random_bits_and_factors_round_as_in_the_core") {
  CHECK(differences<Vmx_element_bfloat16_e8m0>(mx::formats::e8m0, scattered) == 0);
}
TEST_CASE("every_bfloat16_under_every_e8m3_scale_rounds_as_in_the_core", "[.][nightly]") {
  CHECK(differences<Vmx_element_bfloat16_e8m3>(mx::formats::e8m(3), plain) == 0);
  CHECK(differences<Vmx_element_bfloat16_e8m3>(mx::formats::e8m(3), scattered) == 0);
}

template <class Top>
long factor_differences(const mx::format& in, std::uint32_t first, std::uint32_t last) {
  Top top;
  long different = 0;
  for (std::uint32_t amax = first; amax < last; ++amax) {
    top.amax_i = static_cast<std::remove_reference_t<decltype(top.amax_i)>>(amax);
    top.eval();
    different += top.factor_o != macro_factor_of(mx::decode(in, amax), 8).fraction ? 1 : 0;
  }
  return different;
}

TEST_CASE("every_bfloat16_amax_has_the_macro_factor_of_the_core") {
  CHECK(factor_differences<Vmx_macro_factor_bfloat16>(bfloat16, 0, bfloat16.infinity_code()) == 0);
}
TEST_CASE("binary32_subnormals_and_two_binades_have_the_macro_factor_of_the_core") {
  // Between normal numbers the exponent does not matter.
  constexpr std::uint32_t binade = 1U << 23;
  CHECK(factor_differences<Vmx_macro_factor_binary32>(mx::formats::binary32, 0, 2 * binade) == 0);
  CHECK(factor_differences<Vmx_macro_factor_binary32>(mx::formats::binary32, 254 * binade,
                                                      255 * binade) == 0);
}

}  // namespace
