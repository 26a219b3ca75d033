// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/model.cpp: the named models of dot products that accept operands of
// given formats.
#include "model.h"

#include <stdexcept>

namespace golden::validator {

std::optional<mx::dot_model> arithmetic_for(const mx::named_model& entry,
                                            const product_formats& f) {
  if (entry.operands == mx::operands::any) {
    try {
      return mx::model_for(entry, f);
    } catch (const std::invalid_argument&) {
      return {};
    }
  }
  const mx::dot_model& m = entry.model;
  const bool scaled = m.block > 0;
  const bool same_scales = m.block == f.block && (!scaled || (f.scale && *f.scale == m.scale));
  if (!(m.a == f.a) || !(m.b == f.b) || !same_scales) return {};
  return m;
}

std::vector<product_model> models_taking(const product_formats& formats) {
  std::vector<product_model> found;
  const auto look = [&](const mx::named_model& entry) {
    if (const auto model = arithmetic_for(entry, formats)) found.push_back({&entry, *model});
  };
  for (const mx::named_model& entry : mx::model_table) look(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) look(entry);
  return found;
}

}  // namespace golden::validator
