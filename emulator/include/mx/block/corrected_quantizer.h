// SPDX-License-Identifier: Apache-2.0
// mx/block/corrected_quantizer.h: quantization of a vector with all its corrections.
// In order: rotation, macro-block factor, gain, quantizer; then the same for the residual; decoding
// in the opposite order. Source: as mx/block/corrections.h, mx/block/rotation.h,
// mx/block/fallback.h.
#pragma once
#include "mx/block/block_quantizer.h"
#include "mx/block/corrections.h"
#include "mx/block/fallback.h"
#include "mx/block/rotation.h"

namespace mx {

/// Corrections around a quantizer; by default none.
struct corrections {
  mx::rotation rotation = {};
  pre_gain gain = pre_gain::one;
  int macro_block = 0;  ///< elements that share a factor, a multiple of the block; 0: no factor
  int macro_bits = 8;   ///< fraction bits of the factor: 1 to 16
  fallback_mode fallback = fallback_mode::none;
  float alpha = 0.5F;  ///< weight of the residual
  fallback_score score = fallback_score::dead_energy;
  float threshold = 0.0F;  ///< of a selective fallback
  int granule = 0;  ///< elements that fall back together, a multiple of the block; 0: one block

  [[nodiscard]] MX_HD constexpr bool has_residual() const noexcept {
    return fallback != fallback_mode::none;
  }
  friend constexpr bool operator==(const corrections&, const corrections&) = default;
};

/// Why corrections cannot be combined with a quantization.
enum class correction_refusal : std::uint8_t {
  none,
  tile,         ///< corrections work along a vector: blocks must have one row
  rotation,     ///< 0, 16, 32, 64 or 128
  macro_block,  ///< a multiple of the block, at most 2^16; 1 to 16 bits
  macro_rule,   ///< under a factor the scale must follow from amax alone, and be stored
  granule,      ///< a multiple of the block, at most 2^16
  number        ///< alpha is finite; a threshold is finite and not negative
};

[[nodiscard]] MX_HD constexpr bool is_finite(float x) noexcept { return !unpack(x).is_special(); }

/// Returns correction_refusal::none if quantize_line accepts q and c.
[[nodiscard]] MX_HD constexpr correction_refusal refusal_of(const quantization& q,
                                                            const corrections& c) noexcept {
  const auto whole_blocks = [&](int elements) {
    return elements >= 0 && elements <= 1 << 16 && elements % q.format.columns == 0;
  };
  if (c == corrections{}) return correction_refusal::none;
  if (q.format.rows != 1) return correction_refusal::tile;
  if (!is_rotation_size(c.rotation.size)) return correction_refusal::rotation;
  if (!whole_blocks(c.macro_block) || c.macro_bits < 1 || c.macro_bits > 16) {
    return correction_refusal::macro_block;
  }
  const bool by_amax = follows_from_amax(q.rule) && q.format.precision == scale_precision::stored;
  if (c.macro_block != 0 && (!by_amax || q.format.has_tensor_scale())) {
    return correction_refusal::macro_rule;
  }
  if (!whole_blocks(c.granule) || (c.granule == 0 && q.format.columns > 1 << 16)) {
    return correction_refusal::granule;
  }
  if (!is_finite(c.alpha) || !is_finite(c.threshold) || c.threshold < 0) {
    return correction_refusal::number;
  }
  return correction_refusal::none;
}

/// Length of a vector after padding: whole rotations, whole blocks.
[[nodiscard]] MX_HD constexpr std::int64_t padded_length(const quantization& q,
                                                         const corrections& c,
                                                         std::int64_t count) noexcept {
  const std::int64_t block = q.format.columns;
  const int turn = larger_of(c.rotation.size, 1);
  std::int64_t step = block;
  while (step % turn != 0) step += block;
  return (count + step - 1) / step * step;
}

/// One pass over a vector: its codes, scales and factors. Each array has one entry for each
/// element, block or macro block of the padded vector.
struct coded_line {
  std::uint8_t* codes;
  std::uint32_t* scales;
  std::uint16_t* macro_fractions;  ///< null without macro blocks
};

/// Both passes over a vector.
///   residual  of the second one, over RNE32(x - values); ignored without a fallback
struct coded_passes {
  coded_line first, residual;
};

/// Numbers of a vector's blocks within the tensor, for random bits: first, first + step, ...
struct block_numbers {
  std::uint64_t first = 0, step = 1;
};

/// A padded vector's place in its tensor.
///   count  of its elements: padded_length, whole blocks
///   scale  of the tensor
struct line_place {
  int count;
  unpacked scale = no_tensor_scale;
  block_numbers numbers = {};
};

/// The scale applied to the elements of a block, including all factors.
[[nodiscard]] MX_HD constexpr scale_ratio seen_ratio(const scale_ratio& scale, const corrections& c,
                                                     std::uint32_t macro_fraction) noexcept {
  return with_prefactor(scale, prefactor_of({c.macro_bits, macro_fraction}, c.gain));
}

/// Scale of one block under its macro factor.
[[nodiscard]] MX_HD constexpr chosen_scale scale_under_factor(const quantization& q,
                                                              const corrections& c,
                                                              std::uint32_t macro_fraction,
                                                              const float* x,
                                                              const unpacked& tensor) noexcept {
  chosen_scale scale = scale_of(q, x, q.format.columns, tensor);
  if (!scale.special && c.macro_block > 0) {
    const macro_factor factor{c.macro_bits, macro_fraction};
    const unpacked amax = factor.times(extent_of(x, q.format.columns).amax);
    scale.code = amax.is_zero() ? 0 : scale_code_of(q.format, q.rule, amax, tensor);
    scale.ratio = ratio_of(q.format, scale.code, tensor);
  }
  return scale;
}

/// Quantizes one block under its factors and writes its dequantized values.
///   index  of its first element in the tensor, for random bits
MX_HD constexpr std::uint32_t quantize_under_factor(const quantization& q, const corrections& c,
                                                    std::uint32_t macro_fraction, const float* x,
                                                    const unpacked& tensor, std::uint64_t index,
                                                    std::uint8_t* codes, float* values) noexcept {
  const chosen_scale scale = scale_under_factor(q, c, macro_fraction, x, tensor);
  const scale_ratio seen = seen_ratio(scale.ratio, c, macro_fraction);
  for (int i = 0; i < q.format.columns; ++i) {
    const rounder how = rounder_of(q, index + static_cast<std::uint64_t>(i));
    codes[i] =
        scale.special
            ? std::uint8_t{0}
            : static_cast<std::uint8_t>(element_code(q.format.element, unpack(x[i]), seen, how));
    values[i] = scale.special ? float_of(nan_bits) : dequantize_element(q.format, codes[i], seen);
  }
  return scale.code;
}

/// The factor of a macro block; 0 without macro blocks.
[[nodiscard]] MX_HD constexpr std::uint32_t macro_fraction_of(const quantization& q,
                                                              const corrections& c, const float* x,
                                                              int count) noexcept {
  if (c.macro_block == 0) return 0;
  return macro_factor_of(q.format.element, extent_of(x, count).amax, c.macro_bits).fraction;
}

/// One pass over a padded vector that has already been rotated.
///   values  RNE32 of code times scale over the factors; may alias x
MX_HD constexpr void quantize_pass(const quantization& q, const corrections& c, const float* x,
                                   const line_place& place, const coded_line& out,
                                   float* values) noexcept {
  const int size = q.format.columns, count = place.count;
  const int span = c.macro_block > 0 ? c.macro_block : count;
  for (int begin = 0; begin < count; begin += span) {
    const int end = begin + span < count ? begin + span : count;
    const std::uint32_t fraction = macro_fraction_of(q, c, x + begin, end - begin);
    if (c.macro_block > 0) {
      out.macro_fractions[begin / span] = static_cast<std::uint16_t>(fraction);
    }
    for (int i = begin; i < end; i += size) {
      const std::uint64_t number =
          place.numbers.first + static_cast<std::uint64_t>(i / size) * place.numbers.step;
      out.scales[i / size] = quantize_under_factor(q, c, fraction, x + i, place.scale,
                                                   number * static_cast<std::uint64_t>(size),
                                                   out.codes + i, values + i);
    }
  }
}

/// The dequantized values of one pass.
MX_HD constexpr void dequantize_pass(const block_format& f, const corrections& c,
                                     const coded_line& in, const line_place& place,
                                     float* values) noexcept {
  const unpacked& tensor = place.scale;
  for (int i = 0; i < place.count; ++i) {
    const std::uint32_t code = in.scales[i / f.columns];
    const std::uint32_t fraction = c.macro_block > 0 ? in.macro_fractions[i / c.macro_block] : 0;
    const bool special = is_special_scale(f, code, tensor);
    values[i] = special ? float_of(nan_bits)
                        : dequantize_element(f, in.codes[i],
                                             seen_ratio(ratio_of(f, code, tensor), c, fraction));
  }
}

/// Drops the residual of granules whose score does not exceed the threshold: codes and scales
/// become 0, values +0.
///   returns  the number of granules that fall back; a granule with NaN or Inf does not
MX_HD constexpr int select_residuals(const quantization& q, const corrections& c, const float* x,
                                     int count, const std::uint8_t* codes,
                                     const coded_line& residual, float* values) noexcept {
  const int size = q.format.columns, span = c.granule != 0 ? c.granule : size;
  int fallen = 0;
  for (int begin = 0; begin < count; begin += span) {
    const int length = begin + span < count ? span : count - begin;
    const block_extent extent = extent_of(x + begin, length);
    const granule_energy energy =
        extent.special
            ? granule_energy{}
            : granule_energy_of(q.format.element, x + begin, codes + begin, length, extent.amax);
    const bool kept =
        c.fallback == fallback_mode::all ||
        (!extent.special && is_fallen_back(c.score, c.threshold, energy, length, extent.amax));
    fallen += kept ? 1 : 0;
    if (kept) continue;
    for (int i = begin; i < begin + length; ++i) {
      residual.codes[i] = 0;
      residual.scales[i / size] = 0;
      values[i] = 0.0F;
    }
  }
  return fallen;
}

/// Counts of a corrected vector.
struct line_counts {
  int special_blocks = 0;
  int fallen_back = 0;  ///< granules with a residual
};

/// Quantizes one vector and writes its dequantized values.
///   x        zeros after the end of the vector; overwritten
///   values   RNE32(x1 + alpha x2), rotated back; where a granule does not fall back x2 is +0, so
///            that -0 becomes +0
///   scratch  as long as x, used only with a fallback
///   errors   requires both refusals to be none
///   pass     quantize_pass, or its equal
template <class Pass>
MX_HD line_counts quantize_line_by(const Pass& pass, const quantization& q, const corrections& c,
                                   float* x, const line_place& place, const coded_passes& out,
                                   float* values, float* scratch) noexcept {
  const int count = place.count;
  line_counts counts;
  rotate(c.rotation, x, count);
  pass(q, c, x, place, out.first, values);
  for (int i = 0; i < count; i += q.format.columns) {
    counts.special_blocks += extent_of(x + i, q.format.columns).special ? 1 : 0;
  }
  if (c.has_residual()) {
    for (int i = 0; i < count; ++i) scratch[i] = fp32::subtract(x[i], values[i]);
    quantization second = q;
    ++second.random.stream;
    pass(second, c, scratch, place, out.residual, scratch);
    counts.fallen_back = select_residuals(q, c, x, count, out.first.codes, out.residual, scratch);
    for (int i = 0; i < count; ++i) values[i] = with_residual(values[i], c.alpha, scratch[i]);
  }
  rotate_back(c.rotation, values, count);
  return counts;
}

/// The same by quantize_pass.
MX_HD inline line_counts quantize_line(const quantization& q, const corrections& c, float* x,
                                       const line_place& place, const coded_passes& out,
                                       float* values, float* scratch) noexcept {
  const auto pass = [](const auto&... given) { quantize_pass(given...); };
  return quantize_line_by(pass, q, c, x, place, out, values, scratch);
}

/// Decodes a stored vector: the values of quantize_line.
///   place  its numbers are ignored
MX_HD inline void dequantize_line(const block_format& f, const corrections& c,
                                  const coded_passes& in, const line_place& place, float* values,
                                  float* scratch) noexcept {
  dequantize_pass(f, c, in.first, place, values);
  if (c.has_residual()) {
    dequantize_pass(f, c, in.residual, place, scratch);
    for (int i = 0; i < place.count; ++i) {
      values[i] = with_residual(values[i], c.alpha, scratch[i]);
    }
  }
  rotate_back(c.rotation, values, place.count);
}

}  // namespace mx
