// SPDX-License-Identifier: Apache-2.0
// golden/validator/recipe.cpp: which recipes are plain, and which are possible.
#include "golden/validator/recipe.h"

namespace golden::validator {

bool is_plain(const recipe& r) {
  return r.variant == nullptr && r.arithmetic == nullptr && r.specials == special_rule{} &&
         r.zeros == zero_rule{} && r.subnormals == subnormal_rule::kept &&
         r.shift == scale_shift{} && r.tail == dropped_tail{} && r.share == scale_share{} &&
         r.unwritten == unwritten_rows{} && r.input.who == rounded_for::everything &&
         r.rules.rounding != mx::rounding::stochastic;
}

bool is_possible(const recipe& r) {
  const bool shares = !(r.share == scale_share{});
  if (shares && (r.variant != nullptr || r.arithmetic != nullptr || r.format().rows > 1 ||
                 (r.share.rows > 1 && r.axis != 0))) {
    return false;
  }
  // Rows with their own tensor scales form no tiles.
  if (r.format().rows > 1 && r.format().tensor == mx::tensor_scaling::per_row) return false;
  if (r.variant != nullptr) {
    const bool quantizes = r.variant->family == mx::variant_family::mx ||
                           r.variant->family == mx::variant_family::nvfp4;
    return quantizes && mx::covers(r.variant->about, r.format()) && r.arithmetic == nullptr;
  }
  if (r.arithmetic != nullptr) {
    return r.format().element == mx::formats::e2m1 && r.format().scale == mx::formats::ue4m3 &&
           r.format().size() == r.arithmetic->size();
  }
  const mx::block_format& f = r.format();
  const bool halves = r.nibbles != mx::nibble_order::split_half || f.columns % 2 == 0;
  return halves && f.precision == mx::scale_precision::stored &&
         mx::refusal_of(r.rules) == mx::refusal::none;
}

}  // namespace golden::validator
