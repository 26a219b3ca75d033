// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/model.h: which named models of dot products take operands of given
// formats.
#pragma once
#include <optional>
#include <vector>

#include "mx/dot/mixed_models.h"

namespace golden::validator {

/// What is known of the operands of a product.
///   scale, block  nothing and 0: there are no scales
struct product_formats {
  mx::format a, b;
  std::optional<mx::format> scale;
  int block = 0;
};

/// A named model with the formats of the operands put in.
struct product_model {
  const mx::named_model* entry = nullptr;
  mx::dot_model model;
};

/// The arithmetic of a named model for operands of these formats; nothing where it does not take
/// them, or has no room for them.
[[nodiscard]] std::optional<mx::dot_model> arithmetic_for(const mx::named_model& entry,
                                                          const product_formats& formats);

/// Every named model that takes them, in the order of the tables.
[[nodiscard]] std::vector<product_model> models_taking(const product_formats& formats);

}  // namespace golden::validator
