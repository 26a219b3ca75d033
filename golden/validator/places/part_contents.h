// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_contents.h: codes or scales in a part of a tensor that are one
// number, or those of other places.
#pragma once
#include "part_search.h"

namespace golden::validator {

/// The simplest contents that give every byte; none where codes or scales have no such.
[[nodiscard]] std::vector<explanation> contents_in_parts(const hypothesis& declared,
                                                         std::span<const subject> subjects,
                                                         std::span<const tensor_result> results);

}  // namespace golden::validator
