// SPDX-License-Identifier: Apache-2.0
// mx/block/fallback.h: selection of the granules that take a second, residual quantization, and
// control of its threshold. Source: arXiv 2503.08040 (fallback by amax, controlled threshold),
// arXiv 2605.20402 (on every block); the other scores are ours. Open choice: D-020 (sums of cut
// squares).
#pragma once
#include "mx/block/block.h"
#include "mx/number/fp32.h"

namespace mx {

///   none       no residual
///   all        every granule has one
///   selective  where the granule's score exceeds the threshold
enum class fallback_mode : std::uint8_t { none, all, selective };

/// Score of a granule under a selective fallback.
///   dead_energy  the share of sum x^2 that quantizes to zero: in [0, 1]
///   amax         the largest magnitude
///   crest        amax over the root of the mean square: from 1 to the root of the granule's size
enum class fallback_score : std::uint8_t { dead_energy, amax, crest };

/// Sums of squares of one granule, each magnitude cut to 31 bits below the granule's amax (D-020).
/// Of up to 2^16 elements both are below 2^78.
struct granule_energy {
  wide_integer all = 0, dead = 0;
  wide_integer amax_squared = 0;
};

///   x      `count` finite values, at most 2^16      codes  what they quantize to
///   dead   elements whose code is a zero
[[nodiscard]] MX_HD constexpr granule_energy granule_energy_of(const format& element,
                                                               const float* x,
                                                               const std::uint8_t* codes, int count,
                                                               const unpacked& amax) noexcept {
  granule_energy energy;
  if (amax.is_zero()) return energy;
  const int unit = cut_exponent(amax);
  const auto square = [](std::uint64_t size) { return static_cast<wide_integer>(size) * size; };
  for (int i = 0; i < count; ++i) {
    const wide_integer term = square(cut_magnitude(unpack(x[i]), unit));
    energy.all += term;
    if (decode(element, codes[i]).is_zero()) energy.dead += term;
  }
  energy.amax_squared = square(cut_magnitude(amax, unit));
  return energy;
}

/// Whether left > right * 2^-shift; right not negative, shift >= 0. Since left is an integer, the
/// bits of right below 2^shift cannot matter.
[[nodiscard]] MX_HD constexpr bool exceeds(wide_integer left, wide_integer right,
                                           int shift) noexcept {
  return left > right >> smaller_of(shift, 127);
}

/// Whether a granule's score exceeds the threshold.
///   threshold  finite, not negative; dead_energy never exceeds 1, crest never 256
[[nodiscard]] MX_HD constexpr bool is_fallen_back(fallback_score score, float threshold,
                                                  const granule_energy& energy, int count,
                                                  const unpacked& amax) noexcept {
  const unpacked bound = unpack(threshold);
  if (score == fallback_score::amax) return compare_magnitudes(amax, bound) > 0;
  const auto significand = static_cast<wide_integer>(bound.significand);
  if (score == fallback_score::dead_energy) {
    if (bound.is_zero()) return energy.dead > 0;
    // A threshold with a last bit of 1 or more is at least 1 and is never exceeded.
    return bound.exponent < 0 && exceeds(energy.dead, significand * energy.all, -bound.exponent);
  }
  if (bound.is_zero()) return energy.all > 0;
  // significand^2 * all < 2^48 * 2^78.
  return bound.exponent < 0 && exceeds(energy.amax_squared * count,
                                       significand * significand * energy.all, -2 * bound.exponent);
}

/// Keeps the share of granules that fall back within [lowest, highest]. It acts one step late, so
/// that the threshold of a step depends on earlier steps alone.
struct threshold_control {
  float factor = 1.3F;  ///< above 1
  float lowest = 0.1F, highest = 0.3F;
};

/// The next threshold, one FP32 operation from the last: times the factor if more than `highest` of
/// the granules fell back, divided by it if fewer than `lowest` did.
///   granules  1 to 2^39
[[nodiscard]] MX_HD constexpr float next_threshold(const threshold_control& control,
                                                   float threshold, std::uint64_t fallen,
                                                   std::uint64_t granules) noexcept {
  const unpacked share = unpacked::positive(fallen, 0);
  const unpacked all = unpacked::positive(granules, 0);
  if (compare_magnitudes(share, multiplied(unpack(control.highest), all)) > 0) {
    return fp32::multiply(threshold, control.factor);
  }
  if (compare_magnitudes(share, multiplied(unpack(control.lowest), all)) < 0) {
    return fp32::divide(threshold, control.factor);
  }
  return threshold;
}

static_assert(next_threshold({}, 1.0F, 31, 100) == 1.3F);
static_assert(next_threshold({}, 1.0F, 20, 100) == 1.0F);

}  // namespace mx
