// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/probe_block.h: an input on which two hypotheses give different bytes, if
// a list of candidates contains one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/validator/hypothesis.h"
#include "mx/tensor/blocks.h"

namespace golden::validator {

/// A small tensor of FP32 numbers.
struct probe_input {
  std::string what;  ///< "a block of zeros"
  std::vector<std::uint64_t> shape;
  std::vector<float> values;
};

/// An input that distinguishes two hypotheses.
///   block  the first of its blocks, as the first hypothesis cuts it, whose codes or scale differ;
///          the first block where only places differ. Under a tensor scale, on which all blocks
///          have an effect, the block if it tells them apart alone, else all numbers as one row;
///          none if these do not
struct telling_probe {
  probe_input input;
  std::vector<float> block;
};

/// The candidates for a format: ordinary numbers, and each kind that kernels treat differently.
[[nodiscard]] std::vector<probe_input> probe_candidates(const mx::block_format& f);

/// The first candidate on which the bytes differ; no value where none does.
///   type  of the input; numbers are rounded to it
[[nodiscard]] std::optional<telling_probe> telling(const hypothesis& a, const hypothesis& b,
                                                   mx::number_type type);

}  // namespace golden::validator
