// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/distinction.h: data that distinguish two models of dot products.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mx/dot/accumulation.h"

namespace golden::validator {

/// Data that distinguish a consistent model from the declared, or else the first consistent, one.
struct model_distinction {
  std::string_view model, from;
  std::vector<std::string> data;
};

/// Properties of operands on which two models differ, one sentence a parameter; empty where both
/// are the same arithmetic.
[[nodiscard]] std::vector<std::string> telling_data(const mx::dot_model& x, const mx::dot_model& y);

}  // namespace golden::validator
