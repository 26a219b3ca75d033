// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/compare.h: a kernel's bytes against a prediction, byte by byte, in
// bounded memory.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tensor_scale.h"

namespace golden::validator {

/// The first stored number that differs, in the order of the recipe's blocks.
///   position  of the element in its block; the first one where only the scale differs
///   element   in the tensor; nothing: padding
struct difference {
  std::uint64_t block = 0, position = 0;
  std::optional<std::uint64_t> element;
  bool of_scale = false, of_code = false;
  std::uint32_t expected_code = 0, found_code = 0, expected_scale = 0, found_scale = 0;
  std::uint32_t value_bits = 0;
};

/// An element is a mismatch where its code, its block's scale or a tensor scale is; padding counts by
/// its codes.
struct comparison {
  std::uint64_t elements = 0, mismatches = 0, codes = 0, scales = 0;
  bool tensor_scales_agree = true;
  std::optional<unusable_scale> unusable;  ///< among tensor scales that do not agree
  std::optional<difference> first;
  std::string array;  ///< what the first one is of, beside codes and scales: "residual.", a name
  std::vector<std::uint64_t> blocks;  ///< that differ; at most 64 of them, evenly among all

  [[nodiscard]] bool is_exact() const { return codes == 0 && scales == 0 && tensor_scales_agree; }
};

/// What of a file a block's places hold.
struct found_block {
  std::uint32_t scale = 0;
  std::vector<std::uint8_t> codes;
};
[[nodiscard]] found_block found_at(const prediction& p, std::uint64_t block);

/// Everything that differs.
///   p  its sizes are those of the bytes
[[nodiscard]] comparison compare(const prediction& p, const mx::blocks_done& done = {});

/// Whether nothing does; stops where something is seen to.
[[nodiscard]] bool explains_all(const prediction& p);

/// Whether codes and scale of one block, and whether what its places hold, are as predicted.
[[nodiscard]] bool explains_block(const prediction& p, std::uint64_t block);

}  // namespace golden::validator
