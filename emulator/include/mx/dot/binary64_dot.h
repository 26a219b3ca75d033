// SPDX-License-Identifier: Apache-2.0
// mx/dot/binary64_dot.h: dot products of FP64 as a chain of fused multiply-adds, decided on
// integers, and the instructions that compute them so. A code has 64 bits here, unlike those of
// mx/dot/dot.h.
// Source: PTX ISA, mma with .f64 (multiplication and addition have the precision of fma.rn.f64);
// microsoft/MMA-Sim 2.1, arithmetic/fma.py (k ascending, from C); IEEE 754-2019, fusedMultiplyAdd.
// Open choices: D-049.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "mx/dot/accumulator.h"
#include "mx/dot/model.h"
#include "mx/dot/product.h"

namespace mx::binary64 {

/// Fields of a code. Masks of a `format` have 32 bits, so that only its exponents serve here.
inline constexpr format fields{11, 52, 1023, specials::ieee};
inline constexpr std::uint64_t sign_mask = std::uint64_t{1} << 63;
inline constexpr std::uint64_t infinity_code = std::uint64_t{0x7FF} << 52;
inline constexpr std::uint64_t nan_code = infinity_code | std::uint64_t{1} << 51;

/// The exact value of a code.
[[nodiscard]] MX_HD constexpr unpacked decode(std::uint64_t code) noexcept {
  const bool negative = (code & sign_mask) != 0;
  const std::uint64_t magnitude = code & ~sign_mask;
  if (magnitude > infinity_code) return {negative, kind::nan};
  if (magnitude == infinity_code) return {negative, kind::infinite};
  // Subnormal numbers have the exponent of field 1, without its leading bit.
  const int field = larger_of(static_cast<int>(magnitude >> 52), 1);
  const std::uint64_t significand = magnitude - (static_cast<std::uint64_t>(field - 1) << 52);
  return unpacked::finite(negative, significand, field - 1075);
}

/// The nearest code, a tie to the even one; Inf beyond the largest number.
///   value  significand below 2^63, its lowest bit may be a sticky bit
[[nodiscard]] MX_HD constexpr std::uint64_t encode(const unpacked& value) noexcept {
  if (value.kind == kind::nan) return nan_code;
  const std::uint64_t sign = value.negative ? sign_mask : 0;
  if (value.is_zero()) return sign;
  const bool large = value.kind == kind::infinite || value.floor_log2() > fields.bias;
  if (large) return sign | infinity_code;
  const std::uint64_t rounded = rounded_magnitude(fields, value, rounding::ties_to_even);
  return sign | (rounded > infinity_code ? infinity_code : rounded);
}

/// Adds (-1)^negative * x * y * 2^exponent: 106 bits, in four parts.
MX_HD constexpr void add_product(wide_fixed& sum, bool negative, std::uint64_t x, std::uint64_t y,
                                 int exponent) noexcept {
  constexpr std::uint64_t low = 0xFFFFFFFF;
  sum.add(negative, (x & low) * (y & low), exponent);
  sum.add(negative, (x >> 32) * (y & low), exponent + 32);
  sum.add(negative, (x & low) * (y >> 32), exponent + 32);
  sum.add(negative, (x >> 32) * (y >> 32), exponent + 64);
}

/// a * b + c of numbers, before the rounding, of which the last bit is a sticky bit.
/// The register begins 576 bits below the larger term's top. A term that would begin lower is moved
/// up to its begin: it stays below 2^-470 of the other's top, whose last bit is above 2^-110, so
/// that it decides no more than on which side of that number the sum lies.
[[nodiscard]] MX_HD constexpr unpacked sum_of_finite(const unpacked& a, const unpacked& b,
                                                     const unpacked& c) noexcept {
  const bool no_product = a.is_zero() || b.is_zero();
  const int unit = a.exponent + b.exponent;
  const int of_product = unit + 106, of_c = c.exponent + 53;
  const int top = c.is_zero() || (!no_product && of_product > of_c) ? of_product : of_c;
  const auto place = [top](int exponent) {
    return larger_of(exponent - top, int{wide_fixed::lowest_exponent});
  };
  wide_fixed sum;
  if (!no_product) {
    add_product(sum, a.negative != b.negative, a.significand, b.significand, place(unit));
  }
  if (!c.is_zero()) sum.add(c.negative, c.significand, place(c.exponent));
  return sum.value().scaled_by_power_of_two(top);
}

/// The sign and kind of a number.
[[nodiscard]] MX_HD constexpr unpacked kind_of(const unpacked& x) noexcept {
  return x.kind == kind::finite ? unpacked::finite(x.negative, 1, 0) : x;
}

/// The code of a * b + c, rounded once to the nearest, a tie to even. A sum of zero is -0 only if
/// product and C are -0.
[[nodiscard]] MX_HD constexpr std::uint64_t fused_multiply_add(std::uint64_t a, std::uint64_t b,
                                                               std::uint64_t c) noexcept {
  const unpacked x = decode(a), y = decode(b), z = decode(c);
  operand_kinds kinds;
  kinds.see(product_of(kind_of(x), kind_of(y)));
  kinds.see(z);
  if (kinds.is_special()) return encode(kinds.special());
  unpacked sum = sum_of_finite(x, y, z);
  if (sum.is_zero()) sum.negative = kinds.only_negative_zeros;
  return encode(sum);
}

/// The code of c + sum of a[k] * b[k]: k ascending, from C, rounded after each.
[[nodiscard]] MX_HD constexpr std::uint64_t dot(const std::uint64_t* a, const std::uint64_t* b,
                                                int k, std::uint64_t c) noexcept {
  for (int i = 0; i < k; ++i) c = fused_multiply_add(a[i], b[i], c);
  return c;
}

/// An instruction whose result is `dot`.
struct named_model {
  std::string_view name;
  model_evidence rests_on = model_evidence::one_model;
  std::string_view source;
  std::string_view doubts = "which NaN is written is not compared by the source";
};

inline constexpr std::string_view nvidia =
    "PTX ISA, mma with .f64: each step is fma.rn.f64; their order: microsoft/MMA-Sim 2.1";
inline constexpr std::string_view amd = "microsoft/MMA-Sim 2.1, amd/sim.py";
inline constexpr auto one_model = model_evidence::one_model;

inline constexpr std::array model_table{named_model{"ampere.mma.f64.f64", one_model, nvidia},
                                        named_model{"ada.mma.f64.f64", one_model, nvidia},
                                        named_model{"hopper.mma.f64.f64", one_model, nvidia},
                                        named_model{"blackwell.mma.f64.f64", one_model, nvidia},
                                        named_model{"rtxblackwell.mma.f64.f64", one_model, nvidia},
                                        named_model{"cdna2.mfma.f64.f64", one_model, amd},
                                        named_model{"cdna3.mfma.f64.f64", one_model, amd}};

/// The entry of a name; null if there is none.
[[nodiscard]] constexpr const named_model* model_named(std::string_view name) noexcept {
  for (const named_model& entry : model_table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104: the product is not rounded. Halves of the least number.
static_assert(fused_multiply_add(0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002) ==
              0x3970000000000000);
static_assert(fused_multiply_add(1, 0x3FE0000000000000, 0) == 0);
static_assert(fused_multiply_add(3, 0x3FE0000000000000, 0) == 2);
static_assert(fused_multiply_add(3, 0x3FE0000000000000, sign_mask | 1) == 0);
// (1 + 2^-27) (1 + 2^-26) is a tie, and 2^-1074 above or below decides it.
static_assert(fused_multiply_add(0x3FF0000002000000, 0x3FF0000004000000, 1) == 0x3FF0000006000001);
static_assert(fused_multiply_add(0x3FF0000002000000, 0x3FF0000004000000, sign_mask | 1) ==
              0x3FF0000006000000);
static_assert(fused_multiply_add(1, 1, 0x3FF0000000000000) == 0x3FF0000000000000);
static_assert(fused_multiply_add(0, sign_mask, sign_mask) == sign_mask);
static_assert(fused_multiply_add(0x7FEFFFFFFFFFFFFF, 0x4000000000000000, 0) == infinity_code);
static_assert(fused_multiply_add(infinity_code, 0, 0) == nan_code);

}  // namespace mx::binary64
