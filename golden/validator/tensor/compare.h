// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/compare.h: a kernel's bytes against a prediction, byte by byte, in
// bounded memory.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/validator/places/marks.h"
#include "nan_alone.h"
#include "tensor_scale.h"

namespace golden::validator {

/// The first stored number that differs, in the order of the hypothesis's blocks.
///   block       its number without the padding that corrections add, where it has the element
///   position    of the element in its block; the first one where only the scale differs
///   element     in the tensor; no value: padding        index  the same along every axis
///   block_bits  the numbers of the block, row by row, without padding
struct difference {
  std::uint64_t block = 0, position = 0;
  std::optional<std::uint64_t> element;
  bool of_scale = false, of_code = false;
  std::uint32_t expected_code = 0, found_code = 0, expected_scale = 0, found_scale = 0;
  std::uint32_t value_bits = 0;
  std::vector<std::uint64_t> index;
  std::vector<std::uint32_t> block_bits;
};

/// An element is a mismatch if its code, its block's scale, its tensor scale or its macro fraction
/// is; padding only if its code is.
///   padding        mismatches that are padding; 0 where corrections mix it with elements
///   independent    differences of which none follows from another one: scales, and codes under a
///                  scale that is right
///   tensor_scales  that differ
struct comparison {
  std::uint64_t elements = 0, mismatches = 0, padding = 0, codes = 0, scales = 0;
  std::uint64_t independent = 0, tensor_scales = 0;
  bool tensor_scales_agree = true;                                  ///< and macro fractions
  std::optional<tensor_scale_pair> tensor_scale;                    ///< the first that differs
  std::size_t tensor_scales_found = 0, tensor_scales_expected = 0;  ///< numbers of them
  nan_alone nan = nan_alone::no;
  std::optional<difference> first;
  std::optional<differing> what;      ///< the kind of the first difference
  std::vector<std::uint64_t> blocks;  ///< that differ; at most 64, evenly spread
  places where;                       ///< of the pass of the first difference, and above it

  [[nodiscard]] bool is_exact() const { return codes == 0 && scales == 0 && tensor_scales_agree; }
};

/// A file's contents at a block's places.
struct found_block {
  std::uint32_t scale = 0;
  std::vector<std::uint8_t> codes;
};
[[nodiscard]] found_block found_at(const prediction& p, std::uint64_t block);

/// All differences.
///   p  requires sizes equal to those of the bytes
[[nodiscard]] comparison compare(const prediction& p, const mx::blocks_done& done = {});

/// Marks the codes and scales that differ, of a prediction's own pass.
///   mask  filled with zeros
void mark_differences(const prediction& p, difference_mask mask);

/// Why a prediction is not that of a file.
///   block  one that differs; no value where a number above blocks does, or a residual
struct refutation {
  std::optional<std::uint64_t> block;
};
/// The first that is found; no value where nothing differs.
[[nodiscard]] std::optional<refutation> refuted(const prediction& p);
[[nodiscard]] inline bool explains_all(const prediction& p) { return !refuted(p); }

/// Whether the scale at a block's place is the predicted one.
///   made  the block; overwritten where its scale is another block's
[[nodiscard]] bool explains_scale(const prediction& p, std::uint64_t block, predicted_block& made);

/// Whether codes and scale of one block, and the contents of its places, are as predicted.
[[nodiscard]] bool explains_block(const prediction& p, std::uint64_t block);

}  // namespace golden::validator
