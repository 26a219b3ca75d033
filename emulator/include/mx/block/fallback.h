// SPDX-License-Identifier: Apache-2.0
// mx/block/fallback.h: selection of the granules that take a second, residual quantization.
// Source: arXiv 2503.08040 (fallback by amax), arXiv 2605.20402 (on every block); the other scores
// are ours. Open choice: D-020 (sums of cut squares).
#pragma once
#include "mx/block/block.h"

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

}  // namespace mx
