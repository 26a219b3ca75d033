// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/trailing.h: the end of an output, from which hypotheses about unwritten
// places are drawn.
#pragma once
#include "alternatives.h"

namespace golden::validator {

/// Elements at the end of the axis whose codes are 0 in every vector.
[[nodiscard]] std::uint64_t zeros_at_end(const hypothesis& declared, const subject& s);

/// Rows at the end whose codes are one byte repeated; none unless blocks run along the last axis.
[[nodiscard]] constant_rows constant_rows_at_end(const hypothesis& declared, const subject& s);

/// The traits of several tensors at once.
[[nodiscard]] tensor_traits traits_of(const hypothesis& declared,
                                      std::span<const subject> subjects);

/// Whether a hypothesis leaves all of a tensor unwritten, so that no part of it is.
[[nodiscard]] bool is_all_unwritten(const hypothesis& r, const subject& s);

}  // namespace golden::validator
