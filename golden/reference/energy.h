// SPDX-License-Identifier: Apache-2.0
// golden/reference/energy.h: how much of a quantization error each of its parts is, summed in
// binary64 as the project's sums are: one rounding a product, in a fixed order.
// Source: arXiv 2605.20402 (parts of the error as shares of its energy, and their cosines).
#pragma once
#include <array>
#include <span>

#include "golden/reference/block_quantizer.h"

namespace golden {

/// Sums of squares of the parts of Q - x (components.h), of products of two parts, of x itself, and
/// of x Q. Parts that no element has both are not there.
enum class energy_term : unsigned char {
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

/// Sums over the blocks of one share.
///   dead          elements that are not zero, of which Q* is
///   dead_actual   of which Q is
///   special       blocks with a NaN or an Inf, which are in no sum
struct error_energies {
  std::array<double, energy_terms> sums{};
  std::int64_t elements = 0, dead = 0, dead_actual = 0, blocks = 0, special = 0;

  [[nodiscard]] double of(energy_term term) const { return sums[static_cast<std::size_t>(term)]; }
};

/// A share of blocks. D is the largest element over the step below 2^(emax + 1): 3 of E2M1; with it
/// all of Q, Q* and x are whole multiples of a power of two. An element adds to a sum, in lane i
/// mod 16 for its place i in the block, RNE64(a b + lane), where
///   a, b   are two of Q D - X, Q D - Q* D, Q* D - X, each rounded to binary64, with X = x D
///   x x    and x Q D are added as they are
/// In the end the lanes are added by a tree, lane j and j + 8 first, and divided by D D, by D for
/// x Q, by nothing for x x; each a rounding to binary64.
class energy_share {
 public:
  explicit energy_share(const quantization& how) : how_(how) {}

  /// Takes up a block.
  ///   elements  of it inside the tensor; zeros behind them
  ///   tensor_scale, first_index  as of quantize_block
  void add(const std::vector<float>& block, std::int64_t elements, const rational& tensor_scale = 1,
           std::uint64_t first_index = 0);

  [[nodiscard]] error_energies finished() const;

 private:
  static constexpr std::size_t lanes = 16;

  void add_element(std::size_t lane, const rational& x, const rational& quantized,
                   const rational& ideal, const rational& largest);
  void add_product(energy_term term, std::size_t lane, const rational& a, const rational& b);
  [[nodiscard]] rational divisor() const;

  quantization how_;
  std::array<std::array<rational, lanes>, energy_terms> sums_;
  error_energies counts_;
};

/// Blocks of a share: as many as 2048 elements hold, at least one.
[[nodiscard]] std::size_t blocks_of_share(std::size_t block_size);

/// Shares added in binary64: the sum of the first 2^n, the most below their number, plus the sum of
/// the others.
[[nodiscard]] error_energies sum_of_shares(std::span<const error_energies> shares);

/// The nearest binary64 number, ties to even; within its normal range, or zero.
[[nodiscard]] rational rounded_to_binary64(const rational& value);

}  // namespace golden
