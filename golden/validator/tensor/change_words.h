// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/change_words.h: the words of one change of a declared hypothesis.
#pragma once
#include <span>

#include "golden/validator/dimension.h"
#include "golden/validator/verdict.h"
#include "prediction.h"

namespace golden::validator {

/// Both words of a dimension, with both numbers where tensor scales differ. The words are equal
/// only where the hypotheses agree in the dimension.
[[nodiscard]] change change_of(dimension what, const hypothesis& declared, const hypothesis& found,
                               std::span<const subject> subjects);

}  // namespace golden::validator
