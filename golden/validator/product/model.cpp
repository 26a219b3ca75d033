// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/model.cpp: the named models of dot products that accept operands of
// given formats.
#include "model.h"

namespace golden::validator {
namespace {

/// A definition's arithmetic for the user's formats.
std::optional<mx::dot_model> composed(const mx::dot_model& definition, const product_formats& f) {
  using mx::formats::tf32;
  if ((f.a == tf32) != (f.b == tf32))
    return {};  // TF32 occupies the upper bits of 32, other formats do not
  mx::dot_model m = mx::with_formats(definition, f.a, f.b);
  m.unread_bits = f.a == tf32 ? 13 : 0;
  m.block = f.block;
  if (f.scale) m.scale = *f.scale;
  if (!mx::is_sound(m)) return {};
  return m;
}

}  // namespace

std::optional<mx::dot_model> arithmetic_for(const mx::named_model& entry,
                                            const product_formats& f) {
  if (entry.operands == mx::operands::any) return composed(entry.model, f);
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
