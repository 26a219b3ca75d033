// SPDX-License-Identifier: Apache-2.0
// mx/energy.h: how much of a quantization error each of its parts is, summed over blocks.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include "mx/block_components.h"
#include "mx/components.h"
#include "mx/energy_sums.h"

namespace mx {

/// 2^exponent
///   exponent  -1022 to 1023
[[nodiscard]] MX_HD constexpr double power_of_two(int exponent) noexcept {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// twelfths * 2^exponent / 12, rounded once.
///   twelfths  below 2^53; exponent  above -1023
[[nodiscard]] MX_HD constexpr double number_of(std::int64_t twelfths, int exponent) noexcept {
  return static_cast<double>(twelfths) * power_of_two(exponent) / 12;
}

/// One element as the sums take it, each number exact in binary64 since none has more than 53 bits.
///   x                 its magnitude
///   quantized, ideal  |Q| and |Q*| times divisor_of the format
struct measured_element {
  double x = 0, quantized = 0, ideal = 0;
  bool clipped = false;
};

/// The exact binary64 number.
///   value  zero or finite, significand below 2^53
[[nodiscard]] MX_HD constexpr double exact_binary64(const unpacked& value) noexcept {
  if (value.is_zero()) return 0;
  return static_cast<double>(value.significand) * power_of_two(value.exponent);
}

[[nodiscard]] MX_HD constexpr measured_element measured(const unpacked& x,
                                                        const compared_magnitudes& e) noexcept {
  return {exact_binary64(x), exact_binary64(e.quantized), exact_binary64(e.ideal), e.clipped};
}

/// The same of MXFP4, where the divisor is 3: twelfths are quarters of it.
[[nodiscard]] MX_HD constexpr measured_element measured(const unpacked& x,
                                                        const compared_element& e) noexcept {
  if (x.is_zero()) return {};
  const double unit = x.negative ? -power_of_two(e.exponent - 2) : power_of_two(e.exponent - 2);
  return {exact_binary64(x), static_cast<double>(e.quantized) * unit,
          static_cast<double>(e.ideal) * unit, e.clipped};
}

/// RNE64(a * b + c), one rounding.
[[nodiscard]] MX_HD inline double fused_multiply_add(double a, double b, double c) noexcept {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// What is summed in lanes. No element has both e_scale and e_clip, or both e_deadzone and e_grid.
enum class energy_term : std::uint8_t {
  total,
  scale,
  clip,
  deadzone,
  grid,
  scale_dead,
  scale_deadzone,
  scale_grid,
  deadzone_clip,
  grid_clip,
  x_squared,
  x_quantized
};
inline constexpr int energy_terms = 12;

/// Element i of a block goes to lane i mod 16.
inline constexpr int energy_lanes = 16;

/// Consecutive blocks whose sums share their lanes: about 2^16 elements. It is part of the meaning of
/// the sums, and independent of how the work is split.
[[nodiscard]] MX_HD constexpr std::int64_t blocks_a_share(std::int64_t block_size) noexcept {
  constexpr std::int64_t elements = 1 << 16;
  return block_size < elements ? elements / block_size : 1;
}

/// The sums over one share. Each term of an element is a product of two of its numbers and their
/// differences; a difference is rounded to binary64 where it must be, a product is added to its lane
/// with one rounding. A lane adds its elements in their order, a tree adds the lanes, and the divisor
/// is taken out last.
struct energy_share {
  double lanes[energy_terms][energy_lanes] = {};
  std::int64_t divisor;  ///< divisor_of the blocks' elements
  error_energy counts;   ///< its sums stay zero

  MX_HD explicit energy_share(const format& element = formats::e2m1) noexcept
      : divisor(static_cast<std::int64_t>(divisor_of(element))) {}

  MX_HD void add(energy_term term, int position, double a, double b) noexcept {
    double& lane = lanes[static_cast<int>(term)][position % energy_lanes];
    lane = fused_multiply_add(a, b, lane);
  }

  /// Takes up one element.
  ///   position  in its block
  MX_HD void add(int position, const measured_element& e) noexcept {
    const double x = e.x * static_cast<double>(divisor);
    const double error = e.quantized - x, scale = e.quantized - e.ideal, grid = e.ideal - x;
    const bool dead = e.ideal == 0;
    add(energy_term::total, position, error, error);
    add(e.clipped ? energy_term::clip : energy_term::scale, position, scale, scale);
    add(dead ? energy_term::deadzone : energy_term::grid, position, grid, grid);
    if (!e.clipped && e.quantized == 0) add(energy_term::scale_dead, position, scale, scale);
    const energy_term with_clip = dead ? energy_term::deadzone_clip : energy_term::grid_clip;
    const energy_term with_scale = dead ? energy_term::scale_deadzone : energy_term::scale_grid;
    add(e.clipped ? with_clip : with_scale, position, scale, grid);
    add(energy_term::x_squared, position, e.x, e.x);
    add(energy_term::x_quantized, position, e.x, e.quantized);
    counts.dead += dead && e.x != 0 ? 1 : 0;
    counts.dead_actual += e.quantized == 0 && e.x != 0 ? 1 : 0;
  }

  /// Takes up one block of MXFP4.
  ///   x     `count` values, 1 to 32; zeros are thought behind them and counted nowhere
  ///   rule  a power-of-two rule
  MX_HD void add(const float* x, int count, scale_rule rule) noexcept {
    float padded[mxfp4::size] = {};
    for (int i = 0; i < count; ++i) padded[i] = x[i];
    const mxfp4 quantized = quantize(padded, rule);
    if (!starts(count, quantized.scale.is_nan())) return;
    const unpacked amax = extent_of(x, count).amax;
    for (int i = 0; i < count; ++i) {
      const unpacked value = unpack(x[i]);
      const compared_element e = compare(value, amax, quantized.scale);
      add(i, measured(value, e));
      const bool exact = parts_add_up(e, value, quantized.elements[i], quantized.scale);
      counts.identity_violations += exact ? 0 : 1;
    }
  }

  /// Takes up one block of any format.
  ///   x         q.format.size() values, zeros where the tensor ends
  ///   elements  those inside the tensor
  ///   number    of the block, in the order of the scales
  ///   codes     space for as many codes
  MX_HD void add(const quantization& q, const float* x, std::int64_t elements,
                 const unpacked& tensor, std::uint64_t number, std::uint8_t* codes) noexcept {
    const block_format& f = q.format;
    const chosen_scale chosen = quantize_block(q, x, tensor, number, codes);
    if (!starts(elements, chosen.special)) return;
    const unpacked amax = extent_of(x, f.size()).amax;
    if (amax.is_zero()) return;
    const bool stored = f.precision == scale_precision::stored;
    const scale_ratio decoded = stored ? ratio_of(f, chosen.code, tensor) : chosen.ratio;
    for (int i = 0; i < f.size(); ++i) {
      const unpacked value = unpack(x[i]);
      if (value.is_zero()) continue;
      const compared_magnitudes e = compare(f, value, amax, codes[i], chosen.ratio);
      add(i, measured(value, e));
      const bool exact = parts_add_up(e, value, numerator_of(f.element, codes[i], decoded));
      counts.identity_violations += exact ? 0 : 1;
    }
  }

  [[nodiscard]] MX_HD constexpr error_energy finished() const noexcept {
    error_energy energy = counts;
    energy_sums& s = energy.sums;
    s.total = squared(energy_term::total), s.scale = squared(energy_term::scale);
    s.clip = squared(energy_term::clip), s.deadzone = squared(energy_term::deadzone);
    s.grid = squared(energy_term::grid), s.scale_dead = squared(energy_term::scale_dead);
    s.scale_deadzone = squared(energy_term::scale_deadzone);
    s.scale_grid = squared(energy_term::scale_grid);
    s.deadzone_clip = squared(energy_term::deadzone_clip);
    s.grid_clip = squared(energy_term::grid_clip);
    s.x_squared = total_of(energy_term::x_squared);
    s.x_quantized = total_of(energy_term::x_quantized) / static_cast<double>(divisor);
    return energy;
  }

 private:
  /// Counts a block; whether it has anything to sum.
  MX_HD constexpr bool starts(std::int64_t elements, bool special) noexcept {
    ++counts.blocks;
    counts.special_blocks += special ? 1 : 0;
    counts.elements += special ? 0 : elements;
    return !special;
  }

  /// Sum of a term of two numbers that are both times the divisor.
  [[nodiscard]] MX_HD constexpr double squared(energy_term term) const noexcept {
    return total_of(term) / static_cast<double>(divisor * divisor);
  }
  [[nodiscard]] MX_HD constexpr double total_of(energy_term term) const noexcept {
    double sums[energy_lanes] = {};
    for (int i = 0; i < energy_lanes; ++i) sums[i] = lanes[static_cast<int>(term)][i];
    for (int half = energy_lanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    return sums[0];
  }
};

}  // namespace mx
