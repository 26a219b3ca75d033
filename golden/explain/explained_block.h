// SPDX-License-Identifier: Apache-2.0
// golden/explain/explained_block.h: one block's quantization with every step recorded.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mx/block/block_components.h"

namespace golden::explain {

/// How the code of an element was chosen.
///   exact      the quotient is a code         nearer     one neighbour is nearer
///   tie        both are equally near          cut        toward zero
///   drawn      random bits decided            saturated  beyond the largest
///   zero_scale the scale is zero              special    the block has no scale
enum class decision : unsigned char {
  exact,
  nearer,
  tie,
  cut,
  drawn,
  saturated,
  zero_scale,
  special
};

/// The comparison of stochastic rounding: up where cut + random >= 2^bits.
struct drawn_bits {
  std::uint32_t random = 0, cut = 0;
};

struct explained_element {
  float x = 0;
  std::uint32_t lower = 0, upper = 0;  ///< neighbours in magnitude; equal for an exact code
  decision why = decision::exact;
  drawn_bits draw;
  std::uint32_t code = 0;
  float value = 0;  ///< decoded value of code and scale
  mx::compared_magnitudes compared;
};

struct explained_block {
  mx::quantization q;
  mx::block_extent extent;
  std::optional<float> tensor_scale;
  std::optional<int> exponent;  ///< of a power-of-two rule, before clamping
  mx::chosen_scale scale;
  std::vector<explained_element> elements;  ///< the given ones

  /// Input of the scale rule: amax divided by the tensor scale.
  [[nodiscard]] mx::unpacked tensor() const {
    return tensor_scale ? mx::unpack(*tensor_scale) : mx::no_tensor_scale;
  }
  [[nodiscard]] bool is_stored() const { return q.format.precision == mx::scale_precision::stored; }
};

/// x  1 to q.format.size() values, padded with zeros; the tensor has no other block
[[nodiscard]] explained_block explained(const std::vector<float>& x, const mx::quantization& q);

/// "nearest", "tie_to_even", ...
[[nodiscard]] std::string name_of(const explained_block& b, decision why);

}  // namespace golden::explain
