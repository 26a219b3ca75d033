// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/distinction.h: which data tell two models of dot products apart.
#pragma once
#include <string>
#include <vector>

#include "mx/dot/accumulation.h"

namespace golden::validator {

/// What operands must have for two models that agree on others to differ, one sentence a parameter;
/// empty where they are the same arithmetic.
[[nodiscard]] std::vector<std::string> telling_data(const mx::dot_model& x, const mx::dot_model& y);

}  // namespace golden::validator
