// SPDX-License-Identifier: Apache-2.0
// mx/energy.h: how much of a quantization error each of its parts is, summed over blocks.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include <cstddef>
#include <cstdint>

#include "mx/components.h"

namespace mx {

/// Sums over elements. The parts are exact integers in twelfths; each becomes one binary64 number.
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

/// Virtual lanes of a block's sums: element i goes to lane i mod 16, lanes are added by a tree.
inline constexpr int energy_lanes = 16;

[[nodiscard]] MX_HD constexpr energy_sums sum_of_lanes(
    energy_sums (&lanes)[energy_lanes]) noexcept {
  for (int half = energy_lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

/// twelfths * 2^exponent / 12, rounded once.
///   twelfths  below 2^53; exponent  above -1023
[[nodiscard]] MX_HD constexpr double number_of(std::int64_t twelfths, int exponent) noexcept {
  const auto power = __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  return static_cast<double>(twelfths) * power / 12;
}

/// One element's terms of the sums.
[[nodiscard]] MX_HD constexpr energy_sums energy_of(const compared_element& e) noexcept {
  const error_parts parts = parts_of(e);
  const double scale = number_of(parts.scale, e.exponent);
  const double deadzone = number_of(parts.deadzone, e.exponent);
  const double grid = number_of(parts.grid, e.exponent);
  const double clip = number_of(parts.clip, e.exponent);
  const double error = number_of(e.quantized - e.x, e.exponent);
  const double x = number_of(e.x, e.exponent);
  energy_sums terms;
  terms.total = error * error, terms.scale = scale * scale, terms.deadzone = deadzone * deadzone;
  terms.grid = grid * grid, terms.clip = clip * clip;
  terms.scale_dead = parts.scale_dead ? scale * scale : 0;
  terms.scale_deadzone = scale * deadzone, terms.scale_grid = scale * grid;
  terms.scale_clip = scale * clip, terms.deadzone_grid = deadzone * grid;
  terms.deadzone_clip = deadzone * clip, terms.grid_clip = grid * clip;
  terms.x_squared = x * x, terms.x_quantized = x * number_of(e.quantized, e.exponent);
  return terms;
}

/// Whether the parts add up to 12 (Q - x), exactly.
///   code, scale  what the quantizer wrote: Q is decoded from them alone
[[nodiscard]] MX_HD constexpr bool parts_add_up(const compared_element& e, const unpacked& x,
                                                e2m1 code, e8m0 scale) noexcept {
  if (x.is_zero()) return code.value().is_zero();
  const unpacked q = value_of(code, scale);
  // As in compare(): where Q is not zero its unit is not below that of x, and 12 Q < 2^34.
  const std::int64_t magnitude =
      q.is_zero() ? 0 : static_cast<std::int64_t>(q.significand * 12) << (q.exponent - x.exponent);
  const auto twelfths_of_x = static_cast<std::int64_t>(x.significand * 12);
  const error_parts parts = parts_of(e);
  return parts.scale + parts.deadzone + parts.grid + parts.clip ==
         (q.negative ? -magnitude : magnitude) - (x.negative ? -twelfths_of_x : twelfths_of_x);
}

/// Energies and counts over any number of blocks. The sums depend on the order in which blocks are
/// added and on nothing else.
struct error_energy {
  energy_sums sums;
  std::int64_t elements = 0;             ///< of the blocks that are summed
  std::int64_t dead = 0;                 ///< Q* is zero and x is not
  std::int64_t dead_actual = 0;          ///< Q is zero and x is not
  std::int64_t blocks = 0;               ///< all, special ones included
  std::int64_t special_blocks = 0;       ///< with NaN or Inf: counted, left out of the sums
  std::int64_t identity_violations = 0;  ///< elements at which the parts do not add up

  /// Takes up one block.
  ///   x  `count` values, 1 to 32; zeros are thought behind them and counted nowhere
  MX_HD constexpr void add(const float* x, int count, scale_rule rule) noexcept {
    float padded[mxfp4::size] = {};
    for (int i = 0; i < count; ++i) padded[i] = x[i];
    const mxfp4 quantized = quantize(padded, rule);
    ++blocks;
    if (quantized.scale.is_nan()) {
      ++special_blocks;
      return;
    }
    const unpacked amax = extent_of(x, count).amax;
    energy_sums lanes[energy_lanes] = {};
    for (int i = 0; i < count; ++i) {
      const unpacked value = unpack(x[i]);
      const compared_element e = compare(value, amax, quantized.scale);
      lanes[i % energy_lanes] += energy_of(e);
      dead += e.dead() && e.x != 0 ? 1 : 0;
      dead_actual += e.quantized == 0 && e.x != 0 ? 1 : 0;
      identity_violations += parts_add_up(e, value, quantized.elements[i], quantized.scale) ? 0 : 1;
    }
    elements += count;
    sums += sum_of_lanes(lanes);
  }

  MX_HD constexpr error_energy& operator+=(const error_energy& other) noexcept {
    sums += other.sums;
    elements += other.elements, dead += other.dead, dead_actual += other.dead_actual;
    blocks += other.blocks, special_blocks += other.special_blocks;
    identity_violations += other.identity_violations;
    return *this;
  }
  friend constexpr bool operator==(const error_energy&, const error_energy&) = default;
};

/// Energies of a matrix whose blocks lie along its rows: row by row, block by block.
///   shape  rows x count; stride in elements
[[nodiscard]] MX_HD constexpr error_energy energy_of_rows(scale_rule rule, int rows, int count,
                                                          const float* data,
                                                          std::ptrdiff_t stride) noexcept {
  error_energy energy;
  for (int row = 0; row < rows; ++row) {
    for (int first = 0; first < count; first += mxfp4::size) {
      const int rest = count - first;
      energy.add(data + row * stride + first, rest < mxfp4::size ? rest : mxfp4::size, rule);
    }
  }
  return energy;
}

/// The same with blocks along the columns: column by column, block by block.
///   shape  count x columns; stride in elements
[[nodiscard]] MX_HD constexpr error_energy energy_of_columns(scale_rule rule, int count,
                                                             int columns, const float* data,
                                                             std::ptrdiff_t stride) noexcept {
  error_energy energy;
  for (int column = 0; column < columns; ++column) {
    for (int first = 0; first < count; first += mxfp4::size) {
      const int length = count - first < mxfp4::size ? count - first : mxfp4::size;
      float block[mxfp4::size] = {};
      for (int i = 0; i < length; ++i) block[i] = data[(first + i) * stride + column];
      energy.add(block, length, rule);
    }
  }
  return energy;
}

}  // namespace mx
