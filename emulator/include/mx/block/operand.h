// SPDX-License-Identifier: Apache-2.0
// mx/block/operand.h: the format of one operand of a quantized product, and its application.
#pragma once
#include "mx/block/block_quantizer.h"
#include "mx/block/components.h"
#include "mx/block/corrections.h"

namespace mx {

/// Number format of an operand; microscaled: MXFP4.
enum class number : std::uint8_t { fp32, bf16, microscaled };

/// Everything applied to an operand along the contraction axis before it is multiplied.
/// A toggled quantizer supports neither a macro-block factor nor an outlier fallback.
struct operand_format {
  number numbers = number::fp32;
  scale_rule rule = scale_rule::rceil;
  mx::toggle toggle = toggle::none;
  component parts = component::all;  ///< parts switched on, unless toggle is none
  int macro_block = 0;               ///< elements that share a macro-block factor; 0: none
  int macro_bits = 8;                ///< fraction bits of that factor
  float fallback_alpha = 0.0F;       ///< weight of the quantized residual; 0: no fallback

  friend constexpr bool operator==(const operand_format&, const operand_format&) = default;
};

/// Whether a format is valid: MXFP4 requires a valid scale rule; under a macro-block factor the
/// scale must follow from amax alone; and toggled parts require a rule that mx::compare accepts:
/// under `quest` a scale may be any power of two below amax / 6.
[[nodiscard]] MX_HD constexpr bool is_applicable(const operand_format& f) noexcept {
  if (f.numbers != number::microscaled) return true;
  if (f.macro_block > 0 && f.rule > scale_rule::ideal) return false;
  if (f.toggle != toggle::none && f.rule > scale_rule::mse) return false;
  return refusal_of(quantization{block_formats::mxfp4, f.rule}) == refusal::none;
}

/// Scale of a block without NaN and Inf, from its `count` values and the zeros that pad it.
[[nodiscard]] MX_HD constexpr e8m0 operand_scale(scale_rule rule, const float* x, int count,
                                                 const unpacked& amax) noexcept {
  if (is_power_of_two_rule(rule)) return shared_scale<formats::e2m1>(rule, amax);
  float padded[mxfp4::size] = {};
  for (int i = 0; i < count; ++i) padded[i] = x[i];
  return {static_cast<std::uint8_t>(
      finite_scale_code({block_formats::mxfp4, rule}, padded, mxfp4::size, amax, no_tensor_scale))};
}

/// One block of at most 32 values, padded with zeros, through a quantizer without corrections.
///   special  a block that contains a NaN or an Inf becomes the canonical NaN throughout, unless
///            every part of a toggled quantizer is off: then it is the identity
MX_HD constexpr void apply_block(const operand_format& f, const float* x, int count,
                                 float* out) noexcept {
  const block_extent extent = extent_of(x, count);
  const bool identity = f.toggle != toggle::none && f.parts == component::none;
  const e8m0 scale = extent.special ? e8m0::nan() : operand_scale(f.rule, x, count, extent.amax);
  for (int i = 0; i < count; ++i) {
    const unpacked value = unpack(x[i]);
    if (identity || (!extent.special && value.is_zero())) {
      out[i] = x[i];
    } else if (extent.special) {
      out[i] = float_of(nan_bits);
    } else if (f.toggle == toggle::injection) {
      out[i] = inject(value, extent.amax, scale, f.parts);
    } else if (f.toggle == toggle::operation) {
      out[i] = operate(value, extent.amax, scale, f.parts);
    } else {
      out[i] = dequantize(quantize_element(value, scale), scale);
    }
  }
}

/// Scale of a block without NaN and Inf under the factor of its macro block.
///   amax  already multiplied by that factor
[[nodiscard]] MX_HD constexpr e8m0 operand_scale_with_factor(scale_rule rule,
                                                             const unpacked& amax) noexcept {
  if (amax.is_zero()) return e8m0::smallest();
  return {
      static_cast<std::uint8_t>(scale_code_of(block_formats::mxfp4, rule, amax, no_tensor_scale))};
}

/// One block under the factor of its macro block.
MX_HD constexpr void apply_block_with_factor(scale_rule rule, macro_factor factor, const float* x,
                                             int count, float* out) noexcept {
  const block_extent extent = extent_of(x, count);
  const e8m0 scale = operand_scale_with_factor(rule, factor.times(extent.amax));
  for (int i = 0; i < count; ++i) {
    out[i] =
        extent.special ? float_of(nan_bits) : quantize_with_factor(unpack(x[i]), scale, factor);
  }
}

/// Quantizes one vector, block by block, without a residual.
///   x, out  `count` values along the contraction axis; may alias
///   count   any; the last block is padded with zeros, the last macro block may be short
MX_HD constexpr void apply_once(const operand_format& f, const float* x, int count,
                                float* out) noexcept {
  const int span = f.macro_block > 0 ? f.macro_block : mxfp4::size;
  for (int begin = 0; begin < count; begin += span) {
    const int length = count - begin < span ? count - begin : span;
    const macro_factor factor = macro_factor_of(extent_of(x + begin, length).amax, f.macro_bits);
    for (int i = begin; i < begin + length; i += mxfp4::size) {
      const int rest = begin + length - i < mxfp4::size ? begin + length - i : mxfp4::size;
      if (f.macro_block > 0) {
        apply_block_with_factor(f.rule, factor, x + i, rest, out + i);
      } else {
        apply_block(f, x + i, rest, out + i);
      }
    }
  }
}

/// The values of one vector as an operand of this format.
///   x, out    `count` values along the contraction axis; may alias
///   scratch   2 * count values, used only with an outlier fallback
///   fallback  RNE32(x1 + alpha x2) with x1 = Q(x), x2 = Q(RNE32(x - x1)), each with its own scales
///   errors    requires is_applicable(f)
MX_HD inline void apply(const operand_format& f, const float* x, int count, float* out,
                        float* scratch) noexcept {
  if (f.numbers == number::microscaled && f.fallback_alpha != 0.0F) {
    float* first = scratch;
    float* residual = scratch + count;
    apply_once(f, x, count, first);
    for (int i = 0; i < count; ++i) residual[i] = x[i] - first[i];
    apply_once(f, residual, count, residual);
    for (int i = 0; i < count; ++i) {
      out[i] = with_residual(first[i], f.fallback_alpha, residual[i]);
    }
  } else if (f.numbers == number::microscaled) {
    apply_once(f, x, count, out);
  } else {
    for (int i = 0; i < count; ++i) {
      out[i] = f.numbers == number::bf16 ? rounded_to_bfloat16(x[i]) : x[i];
    }
  }
}

}  // namespace mx
