// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_rules.h: other rules in a part of a tensor alone.
#pragma once
#include "part_search.h"

namespace golden::validator {

/// Every change of one rule, and else every preset or order of operations, that gives all bytes of
/// the part around the differences.
[[nodiscard]] std::vector<explanation> rules_in_parts(const hypothesis& declared,
                                                      std::span<const subject> subjects,
                                                      std::span<const tensor_result> results);

}  // namespace golden::validator
