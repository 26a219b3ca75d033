// SPDX-License-Identifier: Apache-2.0
// mx/block/energy.h: energies of the parts of a quantization error, summed over blocks.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include "mx/block/energy_sums.h"
#include "mx/block/energy_terms.h"

namespace mx {

/// RNE64(a * b + c), one rounding.
[[nodiscard]] MX_HD inline double fused_multiply_add(double a, double b, double c) noexcept {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// Element i of a block goes to lane i mod 16.
inline constexpr int energy_lanes = 16;

/// Consecutive blocks whose sums share their lanes: about 2^11 elements, so that a matrix of 4096
/// rows and columns has work for every thread of a device. Part of the definition of the sums, and
/// independent of how the work is split.
[[nodiscard]] MX_HD constexpr std::int64_t blocks_a_share(std::int64_t block_size) noexcept {
  constexpr std::int64_t elements = 1 << 11;
  return block_size < elements ? elements / block_size : 1;
}

/// The sum of a term's lanes, by a tree of halves.
template <int Count = energy_lanes>
[[nodiscard]] MX_HD constexpr double sum_of_lanes(const double* lanes) noexcept {
  constexpr int half = Count / 2;
  if constexpr (half == 0) {
    return lanes[0];
  } else {
    double sums[half] = {};
    for (int i = 0; i < half; ++i) sums[i] = lanes[i] + lanes[i + half];
    return sum_of_lanes<half>(sums);
  }
}

/// The terms of a share, summed over its lanes.
struct energy_totals {
  double of[energy_terms] = {};

  /// Divides the divisor out of the sums.
  ///   counts  its sums are ignored
  [[nodiscard]] MX_HD constexpr error_energy finished(const error_energy& counts,
                                                      std::int64_t divisor) const noexcept {
    // Most terms are products of two numbers that are both times the divisor.
    const auto squared = [this, divisor](energy_term term) {
      return of[static_cast<int>(term)] / static_cast<double>(divisor * divisor);
    };
    error_energy energy = counts;
    energy_sums& s = energy.sums;
    s.total = squared(energy_term::total), s.scale = squared(energy_term::scale);
    s.clip = squared(energy_term::clip), s.deadzone = squared(energy_term::deadzone);
    s.grid = squared(energy_term::grid), s.scale_dead = squared(energy_term::scale_dead);
    s.scale_deadzone = squared(energy_term::scale_deadzone);
    s.scale_grid = squared(energy_term::scale_grid);
    s.deadzone_clip = squared(energy_term::deadzone_clip);
    s.grid_clip = squared(energy_term::grid_clip);
    s.x_squared = of[static_cast<int>(energy_term::x_squared)];
    s.x_quantized = of[static_cast<int>(energy_term::x_quantized)] / static_cast<double>(divisor);
    return energy;
  }
};

/// The sums over one share. Each term of an element is a product of two of its numbers and their
/// differences; an inexact difference is rounded to binary64, a product is added to its lane with
/// one rounding. A lane adds its elements in order, a tree adds the lanes, and the divisor is
/// divided out last.
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

  /// Adds one element.
  ///   position  in its block
  MX_HD void add(int position, const measured_element& e) noexcept {
    each_product(
        e, static_cast<double>(divisor),
        [this, position](energy_term term, double a, double b) { add(term, position, a, b); });
    counts.dead += is_dead(e) ? 1 : 0;
    counts.dead_actual += is_dead_actually(e) ? 1 : 0;
  }

  /// Counts an element whose parts do not add up.
  MX_HD constexpr void check_identity(bool holds) noexcept {
    counts.identity_violations += holds ? 0 : 1;
  }

  /// Adds one block of MXFP4.
  ///   x     `count` values, 1 to 32; implicitly padded with zeros, which are counted nowhere
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
      check_identity(parts_add_up(e, value, quantized.elements[i], quantized.scale));
    }
  }

  /// Adds one block of any format.
  ///   x         q.format.size() values, zeros where the tensor ends
  ///   elements  those inside the tensor
  ///   number    of the block, in the order of the scales
  ///   codes     space for as many codes
  MX_HD void add(const quantization& q, const float* x, std::int64_t elements,
                 const unpacked& tensor, std::uint64_t number, std::uint8_t* codes) noexcept {
    const measured_block block = measured(q, x, tensor, number, codes);
    if (!starts(elements, block.chosen.special) || block.amax.is_zero()) return;
    for (int i = 0; i < q.format.size(); ++i) {
      const unpacked value = unpack(x[i]);
      if (value.is_zero()) continue;
      const checked_element e = checked(q.format, value, codes[i], block);
      add(i, e.measured);
      check_identity(e.adds_up);
    }
  }

  [[nodiscard]] MX_HD constexpr error_energy finished() const noexcept {
    energy_totals totals;
    for (int term = 0; term < energy_terms; ++term) totals.of[term] = sum_of_lanes(lanes[term]);
    return totals.finished(counts, divisor);
  }

 private:
  /// Counts a block; returns whether it contributes to the sums.
  MX_HD constexpr bool starts(std::int64_t elements, bool special) noexcept {
    ++counts.blocks;
    counts.special_blocks += special ? 1 : 0;
    counts.elements += special ? 0 : elements;
    return !special;
  }
};

}  // namespace mx
