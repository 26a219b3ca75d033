// SPDX-License-Identifier: Apache-2.0
// mx/block/energy_sums.h: sums and counts of the energy of a quantization error and of its parts.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx {

/// Sums over elements.
struct energy_sums {
  double total = 0, scale = 0, deadzone = 0, grid = 0, clip = 0;  ///< squares of Q - x, its parts
  double scale_dead = 0;  ///< squares of e_scale where Q is zero and Q* is not
  double scale_deadzone = 0, scale_grid = 0, scale_clip = 0;  ///< products of two parts
  double deadzone_grid = 0, deadzone_clip = 0, grid_clip = 0;
  double x_squared = 0, x_quantized = 0;  ///< <x, x> and <Q, x>

  MX_HD constexpr energy_sums& operator+=(const energy_sums& other) noexcept {
    total += other.total, scale += other.scale, deadzone += other.deadzone;
    grid += other.grid, clip += other.clip, scale_dead += other.scale_dead;
    scale_deadzone += other.scale_deadzone, scale_grid += other.scale_grid;
    scale_clip += other.scale_clip, deadzone_grid += other.deadzone_grid;
    deadzone_clip += other.deadzone_clip, grid_clip += other.grid_clip;
    x_squared += other.x_squared, x_quantized += other.x_quantized;
    return *this;
  }
  friend constexpr bool operator==(const energy_sums&, const energy_sums&) = default;
};

/// Energies and counts over any number of blocks. The sums depend on the order in which blocks are
/// added and on nothing else.
struct error_energy {
  energy_sums sums;
  std::int64_t elements = 0;             ///< of the blocks included in the sums
  std::int64_t dead = 0;                 ///< Q* is zero and x is not
  std::int64_t dead_actual = 0;          ///< Q is zero and x is not
  std::int64_t blocks = 0;               ///< all, special ones included
  std::int64_t special_blocks = 0;       ///< with NaN or Inf: counted, excluded from the sums
  std::int64_t identity_violations = 0;  ///< elements at which the parts do not add up

  MX_HD constexpr error_energy& operator+=(const error_energy& other) noexcept {
    sums += other.sums;
    elements += other.elements, dead += other.dead, dead_actual += other.dead_actual;
    blocks += other.blocks, special_blocks += other.special_blocks;
    identity_violations += other.identity_violations;
    return *this;
  }
  friend constexpr bool operator==(const error_energy&, const error_energy&) = default;
};

/// The sum of shares: of neighbours, then of neighbouring pairs, and so on, where the last of an
/// odd number goes on alone. Part of the definition of the sums.
///   shares  `count`, at least 0; overwritten
[[nodiscard]] MX_HD constexpr error_energy sum_of_shares(error_energy* shares,
                                                         std::int64_t count) noexcept {
  for (std::int64_t step = 1; step < count; step *= 2) {
    for (std::int64_t i = 0; i + step < count; i += 2 * step) shares[i] += shares[i + step];
  }
  return count > 0 ? shares[0] : error_energy{};
}

}  // namespace mx
