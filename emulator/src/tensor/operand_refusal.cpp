// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_refusal.cpp: valid operands.
#include "mx/presets/bulk_variants.h"
#include "mx/tensor/operand.h"

namespace mx {
namespace {

bool is_known_preset(const recipe& r) {
  if (r.preset < 0 || static_cast<std::size_t>(r.preset) >= variant_table.size()) return false;
  const variant_entry& entry = variant_table[static_cast<std::size_t>(r.preset)];
  return is_quantizer(entry) && is_decoder(entry) && covers(entry.about, r.format());
}

/// Whether parts of the quantizer can be switched on: blocks of any number of columns under a rule
/// that mx::compare accepts; from a deviation a scale may be any power of two below amax / 6.
bool is_toggled_format(const recipe& r) {
  block_format f = r.format();
  f.columns = block_formats::mxfp4.columns;
  return f == block_formats::mxfp4 && r.rules.rounding == rounding::ties_to_even &&
         basis_of(r.rules.rule) != scale_basis::deviation && r.is_plain();
}

}  // namespace

operand_refusal refusal_of(const operand& f) noexcept {
  const bool toggled = f.toggle != toggle::none;
  if (!f.is_coded()) return toggled ? operand_refusal::toggled : operand_refusal::none;
  if (refusal_of(f.recipe) != recipe_refusal::none) return operand_refusal::recipe;
  if (f.recipe.has_preset() && !is_known_preset(f.recipe)) return operand_refusal::preset;
  if (toggled && !is_toggled_format(f.recipe)) return operand_refusal::toggled;
  return operand_refusal::none;
}

operand_refusal line_refusal_of(const operand& f) noexcept {
  const operand_refusal refusal = refusal_of(f);
  if (refusal != operand_refusal::none || !f.is_coded()) return refusal;
  const bool whole = f.recipe.format().rows > 1 || f.recipe.passes == passes::twice;
  return whole ? operand_refusal::whole : operand_refusal::none;
}

}  // namespace mx
