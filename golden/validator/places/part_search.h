// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_search.h: explanations by a habit in a part of a tensor alone,
// beside which the declared recipe holds.
#pragma once
#include <span>

#include "golden/validator/tensor/diagnose.h"

namespace golden::validator {

/// Fewest independent differences from which a habit of a part is inferred: that a lone wrong byte,
/// or a lone wrong scale with the codes under it, is what some rule would write says nothing.
inline constexpr std::uint64_t least_evidence = 8;

/// Explanations of every byte by one change in the part around the differences; else by codes or
/// scales there that are one number, or those of other places. None where corrections or tensor
/// scales differ; no contents where padding does.
[[nodiscard]] std::vector<explanation> explained_in_parts(const hypothesis& declared,
                                                          std::span<const subject> subjects,
                                                          std::span<const tensor_result> results);

}  // namespace golden::validator
