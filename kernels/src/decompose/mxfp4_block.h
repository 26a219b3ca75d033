// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/mxfp4_block.h: the contribution of an element of an MXFP4 block under a
// power-of-two rule, ties to even, to the energies of its lane. Equals mx::energy_share::add
// (tests/kernels/decompose/decompose_test.cpp).
//
// In the unit of mx::compare, a twelfth of the last place of x, 3x, 3Q and 3Q* are integers below
// 2^34: their differences are exact in binary64, in any order of evaluation. With X = 3x:
//   E = X - 3Q, G = X - 3Q*, S = E - G
// are the negated differences of the sums, and 3Q x = Q X. A product of zero changes no sum, since
// no sum is ever -0: an addend that is zero may be added to a sum that has no such term.
#pragma once
#include <type_traits>

#include "decompose/ideal_mxfp4.h"
#include "decompose/shares.h"
#include "quantize/mxfp4_pairs.h"

namespace mx::kernels {

/// Whether |x| can exceed 6 times the scale that a rule selects. Only then is there e_clip; and
/// only then, if the scale is below the ideal one, can Q* be zero where Q is not.
enum class clipping : std::uint8_t { never, possible };

/// For amax in [1, 2), fractions up to 127 - carry, as rounded_to_odd leaves them, select the
/// scale 2^-shift, others 2^(1 - shift), which covers 2 where 2^-shift covers 1. An odd last
/// fraction stands for all numbers below the next one, and then is not the even limit.
[[nodiscard]] constexpr clipping clipping_of(const scale_step& step) noexcept {
  const std::uint32_t last = 128 + 127 - step.carry;
  return last << step.shift <= 6 * 128 ? clipping::never : clipping::possible;
}

/// Comparison values of the elements of a block.
///   largest  6 scale
///   core     its scale's code if the core must measure its elements, because amax is close to an
///            end of binary32's range; otherwise negative
template <number_type Type>
struct alignas(16) mxfp4_figures {
  using factors = std::conditional_t<Type == number_type::fp32, wide_factors, narrow_factors>;

  float scale = 1;  // a block of zeros contributes nothing under any scale
  factors ideal;
  double minus_half_amax = 0;
  float largest = 6;
  int core = -1;
};

///   amax  bits of a finite magnitude
template <number_type Type>
[[nodiscard]] MX_HD mxfp4_figures<Type> figures_of(std::uint32_t amax,
                                                   const scale_step& step) noexcept {
  mxfp4_figures<Type> result;
  if (amax == 0) return result;
  const std::uint32_t code = scale_code_of(step, pairs::rounded_to_odd(amax, 0) & 0xFFFF);
  result.minus_half_amax = static_cast<double>(float_of(amax)) / -2;
  if (amax < least_plain_amax || amax >= beyond_plain_amax) {
    result.core = static_cast<int>(code);
    return result;
  }
  result.scale = float_of(code << 23);
  result.largest = result.scale * 6;
  result.ideal = typename mxfp4_figures<Type>::factors(rough_reciprocal(float_of(amax)));
  return result;
}

/// An element of a plain block and its quantized values.
///   quantized, ideal  |Q|; |Q*| over amax / 6
struct plain_element {
  float magnitude, quantized, ideal;
};

/// The factors of an element's terms.
///   error, scale, grid  E, S and G
struct plain_products {
  double x, tripled, quantized, error, scale, grid;

  MX_HD plain_products(const plain_element& e, double minus_half_amax) noexcept
      : x(static_cast<double>(e.magnitude)),
        tripled(x * 3),
        quantized(static_cast<double>(e.quantized)),
        error(fused_multiply_add(quantized, -3, tripled)),
        scale(0),
        grid(fused_multiply_add(static_cast<double>(e.ideal), minus_half_amax, tripled)) {
    scale = error - grid;
  }
};

/// Adds an element of a plain block to its lane.
template <clipping Clipping, number_type Type>
MX_HD void add_plainly(const plain_element& e, const mxfp4_figures<Type>& block,
                       lane_energy& lane) noexcept {
  const plain_products p(e, block.minus_half_amax);
  const bool dead = e.ideal == 0 && e.magnitude != 0;
  const bool dead_actual = e.quantized == 0 && e.magnitude != 0;
  const bool clipped = Clipping == clipping::possible && e.magnitude > block.largest;
  lane.add_product(energy_term::total, p.error, p.error);
  lane.add_product(energy_term::x_squared, p.x, p.x);
  lane.add_product(energy_term::x_quantized, p.tripled, p.quantized);
  add_where(dead, lane.sum(energy_term::deadzone), p.grid, p.grid);
  add_where(!dead, lane.sum(energy_term::grid), p.grid, p.grid);
  add_where(!clipped, lane.sum(energy_term::scale), p.scale, p.scale);
  add_where(dead_actual, lane.sum(energy_term::scale_dead), p.scale, p.scale);
  if constexpr (Clipping == clipping::possible) {
    // Every rule selects a scale above amax / 12: above 6 scale is above amax / 2, hence not dead.
    add_where(clipped, lane.sum(energy_term::clip), p.scale, p.scale);
    add_where(clipped, lane.sum(energy_term::grid_clip), p.scale, p.grid);
    add_where(dead, lane.sum(energy_term::scale_deadzone), p.scale, p.grid);
    add_where(!dead && !clipped, lane.sum(energy_term::scale_grid), p.scale, p.grid);
  } else {
    lane.add_product(energy_term::scale_grid, p.scale, p.grid);
  }
  count_where(dead, lane.dead);
  count_where(dead_actual, lane.dead_actual);
}

/// An element of a block close to an end of the range.
template <number_type Type>
[[nodiscard]] MX_HD measured_element measured_by_core(float magnitude,
                                                      const mxfp4_figures<Type>& block) noexcept {
  const unpacked x = unpack(magnitude);
  const auto amax = static_cast<float>(block.minus_half_amax * -2);
  return measured(x, compare(x, unpack(amax), {static_cast<std::uint8_t>(block.core)}));
}

}  // namespace mx::kernels
