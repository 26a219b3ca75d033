// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/block_rules.h: a hypothesis's rules for a block's special values.
#pragma once
#include "prediction.h"

namespace golden::validator {

/// Puts zeros in place of a block's numbers that a reach leaves out; of each half, the second.
void hide_beyond(amax_reach reach, std::vector<float>& block);

/// Kinds of numbers in a block.
struct block_kind {
  mx::block_extent extent;
  bool nan = false, infinite = false;
};
[[nodiscard]] block_kind kind_of(const std::vector<float>& x);

/// Scale and codes of a block under the core's rules, with the hypothesis's rules for special
/// blocks, blocks of zeros and shifted scales.
///   number  of the block      tensor  the tensor scale
void quantize_by_rules(const hypothesis& r, std::uint64_t number, const mx::unpacked& tensor,
                       predicted_block& block);

/// The same by the preset of a hypothesis, with its own rounding of elements if it has one; the
/// scale is of the numbers for the scale.
void quantize_by_mx(const hypothesis& r, predicted_block& block);

/// The same by a preset or an order of operations of NVFP4.
///   number  of the block, for random bits
void quantize_by_nvfp4(const hypothesis& r, std::uint64_t number, const mx::nvfp4_tensor& tensor,
                       predicted_block& block);

/// A scale code as written, after the hypothesis's shift.
[[nodiscard]] std::uint32_t shifted_scale(const hypothesis& r, std::uint32_t scale, bool is_zero);

/// Puts the code below the largest element in its place.
void lose_largest_code(const mx::format& element, predicted_block& block);

/// Applies the hypothesis's signs of zeros and its flush of subnormal elements to the codes.
void flush_codes(const hypothesis& r, predicted_block& block);

}  // namespace golden::validator
