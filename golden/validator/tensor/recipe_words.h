// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/recipe_words.h: the text of a recipe's choice in one dimension.
#pragma once
#include <string>

#include "golden/validator/dimension.h"
#include "golden/validator/recipe.h"

namespace golden::validator {

/// One short phrase, such as "floor", "low-first" or "NaN: scale NaN; Inf: scale NaN; codes 0".
[[nodiscard]] std::string word_of(const recipe& r, dimension d);

}  // namespace golden::validator
