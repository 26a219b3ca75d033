// SPDX-License-Identifier: Apache-2.0
// mx/dot/product.h: exact products of elements and scales, the exponents by which they are aligned,
// and the results determined by Inf, NaN and zeros among them.
// Source: IEEE 754-2019, clauses 6.1 to 6.3 (Inf, NaN, signs); arXiv 2511.10909 (a product's
// exponent is the sum of its factors' fields, its significand is not normalized). Open choices:
// D-030, D-036, D-039.
#pragma once
#include "mx/dot/accumulation.h"
#include "mx/number/element.h"

namespace mx {

/// An exact number and the exponent at which it is read where terms are aligned.
struct factor {
  unpacked value;
  int exponent = 0;  ///< only if the value is finite
};

/// a * b with Inf and NaN: NaN for 0 * Inf.
///   the product of the significands is below 2^64
[[nodiscard]] MX_HD constexpr unpacked product_of(const unpacked& a, const unpacked& b) noexcept {
  if (!a.is_special() && !b.is_special()) return multiplied(a, b);
  const bool negative = a.negative != b.negative;
  const bool nan = a.kind == kind::nan || b.kind == kind::nan || a.is_zero() || b.is_zero();
  return {negative, nan ? kind::nan : kind::infinite};
}

[[nodiscard]] MX_HD constexpr factor product_of(const factor& a, const factor& b) noexcept {
  return {product_of(a.value, b.value), a.exponent + b.exponent};
}

/// The value of a number, read at the exponent field of its own format.
[[nodiscard]] MX_HD constexpr factor factor_of(const format& f, std::uint32_t code) noexcept {
  const unpacked value = decode(f, code);
  return {value, value.exponent + f.fraction_bits};
}

/// A zero or a subnormal of a format that flushes its inputs is +0.
[[nodiscard]] MX_HD constexpr unpacked flushed_input(const format& f, const unpacked& x) noexcept {
  if (x.is_zero() || (x.kind == kind::finite && x.floor_log2() < f.emin())) return {};
  return x;
}

/// Exponent of the smallest number above zero, of which every number of a format is a multiple.
[[nodiscard]] MX_HD constexpr int integer_unit(const format& f) noexcept {
  return f.emin() - f.fraction_bits;
}

/// A number in units of 2^integer_unit.
///   f  a format without Inf and NaN, whose largest number is below 2^62 units
[[nodiscard]] MX_HD constexpr std::int64_t integer_of(const format& f,
                                                      std::uint32_t code) noexcept {
  const unpacked x = decode(f, code);
  const auto units = static_cast<std::int64_t>(x.significand << (x.exponent - integer_unit(f)));
  return x.negative ? -units : units;
}

/// integer_of, from a table for formats of at most 16 codes: decoding is half of a dot product.
class integer_codes {
 public:
  MX_HD constexpr explicit integer_codes(const format& f) noexcept : format_(f) {
    if (!is_looked_up()) return;
    for (std::uint32_t code = 0; code < 16; ++code) table_[code] = integer_of(f, code);
  }
  [[nodiscard]] MX_HD constexpr std::int64_t operator[](std::uint32_t code) const noexcept {
    return is_looked_up() ? table_[code & 15] : integer_of(format_, code);
  }
  [[nodiscard]] MX_HD constexpr bool is_looked_up() const noexcept { return format_.width() <= 4; }

 private:
  const format& format_;
  std::int64_t table_[16] = {};
};

[[nodiscard]] MX_HD constexpr bool is_negative(const format& f, std::uint32_t code) noexcept {
  return (code & f.sign_mask()) != 0;
}

/// The factor that the multiplier reads from an element.
///   f     model.a or model.b
///   code  as stored, including the unread bits
[[nodiscard]] MX_HD constexpr factor factor_of(const dot_model& model, const format& f,
                                               std::uint32_t code) noexcept {
  factor x = factor_of(f, code >> model.unread_bits);
  if (model.sum.inputs == subnormals::flushed) x.value = flushed_input(f, x.value);
  const bool converted = exponent_of_format(model.sum.factors, f) == factor_exponent::binary16;
  if (converted && x.value.kind == kind::finite) {
    x.exponent = larger_of(x.value.floor_log2(), formats::binary16.emin());
  }
  return x;
}

/// An element times its scale, as dequantization gives it: RNE32, Inf beyond FLT_MAX (D-006).
[[nodiscard]] MX_HD constexpr factor dequantized_factor(const factor& element,
                                                        const factor& scale) noexcept {
  const unpacked exact = product_of(element.value, scale.value);
  const unpacked value = unpack(to_binary32(exact));
  return {value, value.exponent + formats::binary32.fraction_bits};
}

/// The scale of elements without scales.
[[nodiscard]] MX_HD constexpr factor unit_factor() noexcept {
  return {unpacked::positive(1, 0), 0};
}

/// Inf, NaN and zeros among the operands, and the result that they alone decide.
struct operand_kinds {
  bool nan = false;
  bool positive_infinity = false;
  bool negative_infinity = false;
  bool only_negative_zeros = true;  ///< every product and C are -0; scales do not count

  MX_HD constexpr void see(const unpacked& x) noexcept {
    see_zero(x.is_zero() && x.negative);
    see_special(x);
  }
  MX_HD constexpr void see_zero(bool negative) noexcept {
    only_negative_zeros = only_negative_zeros && negative;
  }
  MX_HD constexpr void see_nonzero() noexcept { only_negative_zeros = false; }
  MX_HD constexpr void see_special(const unpacked& x) noexcept {
    nan = nan || x.kind == kind::nan;
    if (x.kind == kind::infinite) (x.negative ? negative_infinity : positive_infinity) = true;
  }
  [[nodiscard]] MX_HD constexpr bool is_special() const noexcept {
    return nan || positive_infinity || negative_infinity;
  }
  /// Requires is_special().
  [[nodiscard]] MX_HD constexpr unpacked special() const noexcept {
    if (nan || positive_infinity == negative_infinity) return {false, kind::nan};
    return {negative_infinity, kind::infinite};
  }
};

/// A product under the model's rule for products of 2^128 or more.
[[nodiscard]] MX_HD constexpr unpacked with_large(large_product rule, const unpacked& x) noexcept {
  const bool large = x.kind == kind::finite && x.floor_log2() > formats::binary32.emax();
  if (rule == large_product::infinite && large) return {x.negative, kind::infinite};
  return x;
}

// 1.5 * 3 of E2M1: fields 0 and 1, significands 3 and 3 in units of 2^-1 and 2^0.
static_assert(product_of(factor_of(formats::e2m1, 3), factor_of(formats::e2m1, 5)).exponent == 1);
static_assert(
    to_binary32(product_of(factor_of(formats::e2m1, 3), factor_of(formats::e2m1, 5)).value) ==
    4.5F);
// A subnormal is read at the smallest normal exponent, one that became binary16 at its own.
static_assert(factor_of(dot_model{}, formats::e4m3, 1).exponent == -6);
static_assert(
    factor_of({.sum = {.factors = factor_exponent::binary16}}, formats::e4m3, 1).exponent == -9);
static_assert(factor_of(dot_model{}, formats::e2m1, 1).exponent == 0);
static_assert(
    factor_of({.sum = {.factors = factor_exponent::normal_e2m1}}, formats::e2m1, 1).exponent == -1);
static_assert(
    factor_of({.sum = {.factors = factor_exponent::normal_e2m1}}, formats::e4m3, 1).exponent == -6);

}  // namespace mx
