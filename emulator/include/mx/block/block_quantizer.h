// SPDX-License-Identifier: Apache-2.0
// mx/block/block_quantizer.h: blocks of any format, under any rule and rounding.
// Source: OCP Microscaling Formats (MX) v1.0, clauses 5.1 and 6.3. Open choices: D-001 to D-006,
// D-040.
#pragma once
#include "mx/block/block.h"
#include "mx/block/scale_search.h"
#include "mx/number/random_bits.h"

namespace mx {

/// Everything that decides the codes of a tensor.
struct quantization {
  block_format format;
  scale_rule rule = scale_rule::floor;
  mx::rounding rounding = rounding::ties_to_even;
  random_source random = {};  ///< of stochastic rounding

  friend constexpr bool operator==(const quantization&, const quantization&) = default;
};

/// Why a quantization is invalid.
enum class refusal : std::uint8_t {
  none,
  shape,            ///< a block has 1 to 2^20 elements
  element,          ///< elements have at most 8 bits, and a zero
  random_bits,      ///< stochastic rounding takes 1 to 24 bits an element
  needs_e2m1,       ///< static_four and four over six map to 4
  needs_fractions,  ///< four over six needs a scale with fraction bits
  quest,            ///< takes blocks of at most 256, and no tensor scale
  search_range,     ///< mse takes elements whose exponents span at most 34 binades, as E5M2's
  exact_rule,       ///< an exact scale is the rule `ideal`, and has no tensor scale
  tensor_scale      ///< beside a tensor scale a scale has at most 8 fraction bits
};

[[nodiscard]] MX_HD constexpr bool is_four_over_six(scale_rule rule) noexcept {
  return basis_of(rule) == scale_basis::targets;
}

/// Returns refusal::none if quantize_block accepts q.
[[nodiscard]] MX_HD constexpr refusal refusal_of(const quantization& q) noexcept {
  const block_format& f = q.format;
  const bool to_four = q.rule == scale_rule::static_four || is_four_over_six(q.rule);
  const bool small = f.rows >= 1 && f.columns >= 1 && f.rows <= 1024 &&
                     static_cast<std::int64_t>(f.rows) * f.columns <= 1 << 20;
  if (!small) return refusal::shape;
  if (f.element.width() > 8 || f.element.lowest_field != lowest_field::subnormal) {
    return refusal::element;
  }
  const bool drawn = q.rounding == rounding::stochastic;
  if (drawn && (q.random.bits < 1 || q.random.bits > 24)) return refusal::random_bits;
  if (to_four && f.element != formats::e2m1) return refusal::needs_e2m1;
  if (is_four_over_six(q.rule) && f.scale.fraction_bits == 0) return refusal::needs_fractions;
  if (q.rule == scale_rule::quest && (f.size() > most_quest_numbers || f.has_tensor_scale())) {
    return refusal::quest;
  }
  if (q.rule == scale_rule::mse && !has_search_range(f.element)) return refusal::search_range;
  const bool exact = f.precision == scale_precision::exact;
  if (exact && (q.rule != scale_rule::ideal || f.has_tensor_scale())) return refusal::exact_rule;
  if (f.has_tensor_scale() && f.scale.fraction_bits > 8) return refusal::tensor_scale;
  return refusal::none;
}

/// A block's scale: its code, and the exact number by which elements are divided.
struct chosen_scale {
  std::uint32_t code = 0;  ///< 0 if the precision is exact and the block is not special
  bool special = false;    ///< the code is NaN: the block contains a NaN or an Inf, or has no scale
  scale_ratio ratio;
};

/// Scale code of a block that contains no NaN and no Inf.
[[nodiscard]] MX_HD constexpr std::uint32_t finite_scale_code(const quantization& q, const float* x,
                                                              int count, const unpacked& amax,
                                                              const unpacked& tensor) noexcept {
  if (amax.is_zero()) return 0;
  switch (basis_of(q.rule)) {
    case scale_basis::neighbours:
      return searched_scale(q.format, x, count, amax, tensor);
    case scale_basis::targets:
      return four_over_six_scale(q.format, q.rule, x, count, amax, tensor);
    case scale_basis::deviation:
      return power_of_two_code(q.format.scale, quest_exponent(q.format, x, count, amax));
    case scale_basis::exponent:
    case scale_basis::quotient:
    case scale_basis::none:
      break;
  }
  return scale_code_of(q.format, q.rule, amax, tensor);
}

/// The scale of a block.
///   x       `count` values: the block's, zeros where the tensor ends, which quest counts (D-027)
///   tensor  the tensor scale, or no_tensor_scale; under one that is_tensor_scale rejects, a block
///           that is not all zeros is special
[[nodiscard]] MX_HD constexpr chosen_scale scale_of(const quantization& q, const float* x,
                                                    int count, const unpacked& tensor) noexcept {
  const block_extent extent = extent_of(x, count);
  if (extent.special) return {q.format.scale.nan_code(), true, {}};
  if (q.format.precision == scale_precision::exact) {
    return {0, false, exact_ratio(q.format, extent.amax)};
  }
  if (!extent.amax.is_zero() && !is_tensor_scale(tensor)) {
    return {q.format.scale.nan_code(), true, {}};
  }
  const std::uint32_t code = finite_scale_code(q, x, count, extent.amax, tensor);
  return {code, false, ratio_of(q.format, code, tensor)};
}

/// The rounder of element `index` of the tensor: block number times elements a block, plus
/// position.
[[nodiscard]] MX_HD constexpr rounder rounder_of(const quantization& q,
                                                 std::uint64_t index) noexcept {
  if (q.rounding != rounding::stochastic) return q.rounding;
  return {q.random.bits, random_bits_of(q.random, index)};
}

/// Codes and scale of one block.
///   x       q.format.size() values, row-major in a tile, zeros where the tensor ends
///   number  of the block, in the order of the scales
///   codes   receives as many codes; all 0 in a special block
///   errors  refusal_of(q) is none
MX_HD constexpr chosen_scale quantize_block(const quantization& q, const float* x,
                                            const unpacked& tensor, std::uint64_t number,
                                            std::uint8_t* codes) noexcept {
  const int size = q.format.size();
  const chosen_scale scale = scale_of(q, x, size, tensor);
  const std::uint64_t first = number * static_cast<std::uint64_t>(size);
  for (int i = 0; i < size; ++i) {
    const auto index = first + static_cast<std::uint64_t>(i);
    codes[i] = scale.special
                   ? std::uint8_t{0}
                   : static_cast<std::uint8_t>(element_code(q.format.element, unpack(x[i]),
                                                            scale.ratio, rounder_of(q, index)));
  }
  return scale;
}

/// The exact value of element times scale times tensor scale, rounded once to FP32.
///   NaN, and Inf under a scale of zero, give the canonical NaN
///   signs multiply, including those of Inf and of zeros
[[nodiscard]] MX_HD constexpr float dequantize_element(const block_format& f, std::uint32_t code,
                                                       const scale_ratio& scale) noexcept {
  const unpacked value = decode(f.element, code);
  if (value.kind == kind::nan || (value.is_special() && scale.numerator.is_zero())) {
    return float_of(nan_bits);
  }
  if (value.is_special()) {
    return to_binary32({value.negative != scale.numerator.negative, value.kind, 0, 0});
  }
  return to_binary32(quotient(multiplied(value, scale.numerator), scale.denominator));
}

/// The same from the scale's code; a scale that is NaN or Inf gives the canonical NaN (D-040).
[[nodiscard]] MX_HD constexpr float dequantize_element(const block_format& f, std::uint32_t code,
                                                       std::uint32_t scale_code,
                                                       const unpacked& tensor) noexcept {
  if (is_special_scale(f, scale_code, tensor)) return float_of(nan_bits);
  return dequantize_element(f, code, ratio_of(f, scale_code, tensor));
}

}  // namespace mx
