// SPDX-License-Identifier: Apache-2.0
// mx/block/energy_terms.h: the terms that one element adds to the energy of a quantization error
// and of its parts.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include "mx/block/block_components.h"
#include "mx/block/components.h"

namespace mx {

/// 2^exponent
///   exponent  -1022 to 1023
[[nodiscard]] MX_HD constexpr double power_of_two(int exponent) noexcept {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The operands of one element's terms, each exact in binary64: none has more than 53 bits.
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

/// The same for MXFP4, where the divisor is 3: twelfths are quarters of it.
[[nodiscard]] MX_HD constexpr measured_element measured(const unpacked& x,
                                                        const compared_element& e) noexcept {
  if (x.is_zero()) return {};
  const double unit = x.negative ? -power_of_two(e.exponent - 2) : power_of_two(e.exponent - 2);
  return {exact_binary64(x), static_cast<double>(e.quantized) * unit,
          static_cast<double>(e.ideal) * unit, e.clipped};
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

/// Calls add for the products that involve Q - Q*; part of each_product.
template <class Add>
MX_HD constexpr void each_product_with_scale(const measured_element& e, double scale, double grid,
                                             const Add& add) noexcept {
  const bool dead = e.ideal == 0;
  if (e.clipped) {
    add(energy_term::clip, scale, scale);
    if (dead) {
      add(energy_term::deadzone_clip, scale, grid);
    } else {
      add(energy_term::grid_clip, scale, grid);
    }
    return;
  }
  add(energy_term::scale, scale, scale);
  if (e.quantized == 0) add(energy_term::scale_dead, scale, scale);
  if (dead) {
    add(energy_term::scale_deadzone, scale, grid);
  } else {
    add(energy_term::scale_grid, scale, grid);
  }
}

/// Calls add(term, a, b) for every product a * b that one element adds to its lane; the term of
/// each call is a constant. Products of zero change no sum: none is ever -0.
///   divisor  divisor_of its format
template <class Add>
MX_HD constexpr void each_product(const measured_element& e, double divisor,
                                  const Add& add) noexcept {
  const double x = e.x * divisor;
  const double error = e.quantized - x, scale = e.quantized - e.ideal, grid = e.ideal - x;
  add(energy_term::total, error, error);
  if (e.ideal == 0) {
    add(energy_term::deadzone, grid, grid);
  } else {
    add(energy_term::grid, grid, grid);
  }
  each_product_with_scale(e, scale, grid, add);
  add(energy_term::x_squared, e.x, e.x);
  add(energy_term::x_quantized, e.x, e.quantized);
}

/// Whether a nonzero element is zero under the unrounded scale; under the chosen scale.
[[nodiscard]] MX_HD constexpr bool is_dead(const measured_element& e) noexcept {
  return e.ideal == 0 && e.x != 0;
}
[[nodiscard]] MX_HD constexpr bool is_dead_actually(const measured_element& e) noexcept {
  return e.quantized == 0 && e.x != 0;
}

/// A block of any format, prepared for comparing its elements.
///   decoded  the decoded stored scale
///   amax     zero in a special block
struct measured_block {
  chosen_scale chosen;
  scale_ratio decoded;
  unpacked amax;
};

/// Quantizes a block; arguments as for mx::quantize_block.
[[nodiscard]] MX_HD constexpr measured_block measured(const quantization& q, const float* x,
                                                      const unpacked& tensor, std::uint64_t number,
                                                      std::uint8_t* codes) noexcept {
  const block_format& f = q.format;
  measured_block block{quantize_block(q, x, tensor, number, codes), {}, {}};
  if (block.chosen.special) return block;
  block.amax = extent_of(x, f.size()).amax;
  const bool stored = f.precision == scale_precision::stored;
  block.decoded = stored ? ratio_of(f, block.chosen.code, tensor) : block.chosen.ratio;
  return block;
}

/// One element of such a block, and whether its parts add up.
struct checked_element {
  measured_element measured;
  bool adds_up;
};

///   x     not zero, of a block whose amax is not zero
///   code  returned by the quantizer
[[nodiscard]] MX_HD constexpr checked_element checked(const block_format& f, const unpacked& x,
                                                      std::uint32_t code,
                                                      const measured_block& block) noexcept {
  const compared_magnitudes e = compare(f, x, block.amax, code, block.chosen.ratio);
  return {measured(x, e), parts_add_up(e, x, numerator_of(f.element, code, block.decoded))};
}

}  // namespace mx
