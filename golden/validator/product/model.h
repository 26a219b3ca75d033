// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/model.h: the named models of dot products that accept operands of given
// formats.
#pragma once
#include <optional>
#include <vector>

#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace golden::validator {

using mx::product_formats;

/// A named model bound to the formats of the operands.
struct product_model {
  const mx::named_model* entry = nullptr;
  mx::dot_model model;
};

/// Arithmetic of a named model for operands of these formats; no value where it does not accept
/// them or they do not fit.
[[nodiscard]] std::optional<mx::dot_model> arithmetic_for(const mx::named_model& entry,
                                                          const product_formats& formats);

/// Every named model that accepts them, in the order of the tables.
[[nodiscard]] std::vector<product_model> models_taking(const product_formats& formats);

}  // namespace golden::validator
