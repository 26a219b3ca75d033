// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/preset_alternatives.cpp: other presets.
#include "alternatives.h"
#include "mx/block/names.h"

namespace golden::validator {
namespace {

/// The preset's format of the same shape as the declared one.
const mx::block_format* format_like(const mx::variant& v, const mx::block_format& f) {
  for (const mx::block_format& own : v.formats) {
    if (own.element == f.element && own.scale == f.scale && own.rows == f.rows &&
        own.columns == f.columns) {
      return &own;
    }
  }
  return nullptr;
}

/// Two codes that share a byte, in another order.
void reorder(hypothesis& r, mx::nibble_order order) {
  if (r.recipe.codes.packing == mx::code_packing::packed) r.recipe.codes.nibbles = order;
}

void append_variant(const mx::variant_entry& v, const mx::block_format& f, alternative_list& list) {
  const auto follow = [&v, f](hypothesis& r) {
    r.follow(&v);
    r.arithmetic = nullptr;
    r.recipe.rules.format = f;
  };
  list.push_back({dimension::variant, [&v, follow](hypothesis& r) {
                    follow(r);
                    reorder(r, v.about.packing);
                  }});
  if (v.about.packing != mx::nibble_order::low_first) list.push_back({dimension::variant, follow});
}

}  // namespace

void append_preset_alternatives(const hypothesis& declared, alternative_list& list) {
  for (const mx::variant_entry& v : mx::variant_table) {
    const mx::block_format* f = format_like(v.about, declared.format());
    if (f == nullptr || draws_bits(v) || &v == declared.variant()) continue;
    append_variant(v, *f, list);
  }
  if (declared.variant() == nullptr) return;
  list.push_back({dimension::variant, [](hypothesis& r) {
                    r.follow(nullptr);
                    r.recipe.rules.rule = mx::default_rule(r.format());
                    r.recipe.rules.rounding = mx::rounding::ties_to_even;
                    reorder(r, mx::nibble_order::low_first);
                  }});
}

}  // namespace golden::validator
