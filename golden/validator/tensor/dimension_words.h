// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/dimension_words.h: the text of a hypothesis's choice in one dimension.
#pragma once
#include <string>

#include "golden/validator/dimension.h"
#include "golden/validator/hypothesis.h"

namespace golden::validator {

/// One short phrase, such as "floor", "low-first" or "NaN: scale NaN; Inf: scale NaN; codes 0".
[[nodiscard]] std::string word_of(const hypothesis& r, dimension d);

}  // namespace golden::validator
