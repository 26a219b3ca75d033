// SPDX-License-Identifier: Apache-2.0
// golden/validator/hypothesis.cpp: which hypotheses are plain, and which are possible.
#include "golden/validator/hypothesis.h"

namespace golden::validator {
namespace {

/// The habits that predictions of whole tensors support: unusable tensor scales.
bool is_possible_of_whole(const hypothesis& r) {
  habits own = r;
  if (makes_own_scale(own)) own.above = tensor_source::computed;
  return own == habits{} && mx::refusal_of(r.recipe) == mx::recipe_refusal::none &&
         mx::storage_refusal_of(r.recipe) == mx::recipe_refusal::none;
}

}  // namespace

const mx::variant_entry* hypothesis::variant() const {
  if (!recipe.has_preset()) return nullptr;
  return &mx::variant_table[static_cast<std::size_t>(recipe.preset)];
}

const mx::nvfp4_variant* hypothesis::nvfp4() const {
  if (arithmetic != nullptr || variant() == nullptr) return arithmetic;
  return order_of(*variant());
}

void hypothesis::follow(const mx::variant_entry* v) {
  recipe.preset = v == nullptr ? mx::no_preset : static_cast<int>(v - mx::variant_table.data());
}

const mx::nvfp4_variant* order_of(const mx::variant_entry& v) {
  return v.family == mx::variant_family::nvfp4 ? &mx::nvfp4_presets::all[v.index] : nullptr;
}

bool makes_own_scale(const habits& h) {
  using enum tensor_source;
  const bool computes = h.above == computed || h.above == unusable || h.above == other_written;
  return computes && h.formula == tensor_formula::own;
}

mx::rounding element_rounding_of(const mx::variant_entry& v) {
  const mx::nvfp4_variant* order = order_of(v);
  if (order != nullptr) return order->element.rounding;
  return v.family == mx::variant_family::mx ? mx::mx_variant_table[v.index].element.rounding
                                            : mx::rounding::ties_to_even;
}

bool is_plain(const hypothesis& r) {
  return !r.recipe.has_preset() && r.arithmetic == nullptr && r.specials == special_rule{} &&
         r.zeros == zero_rule{} && r.subnormals == subnormal_rule::kept &&
         r.shift == scale_shift{} && r.tail == dropped_tail{} && r.share == scale_share{} &&
         r.amax == amax_reach::block && r.unwritten == unwritten_rows{} &&
         r.overflow == overflow_code::saturated && r.input.who == rounded_for::everything &&
         r.recipe.rules.rounding != mx::rounding::stochastic;
}

/// Whether the rule takes as many numbers as share a scale.
bool takes_shared(const hypothesis& r) {
  const std::uint64_t most = mx::most_quest_numbers / static_cast<std::uint64_t>(r.format().size());
  return r.recipe.rules.rule != mx::scale_rule::quest || r.share.source == share_source::first ||
         (r.share.rows <= most && r.share.blocks <= most / r.share.rows);
}

bool is_of_whole(const hypothesis& r) { return !r.recipe.has_preset() && !r.recipe.is_plain(); }

bool is_possible(const hypothesis& r) {
  if (is_of_whole(r)) return is_possible_of_whole(r);
  if (r.recipe.is_corrected() || r.recipe.passes == mx::passes::twice) return false;
  const mx::variant_entry* v = r.variant();
  if (r.element && v == nullptr) return false;
  const bool shares = !(r.share == scale_share{});
  if (shares &&
      (!takes_shared(r) || r.amax != amax_reach::block || v != nullptr || r.arithmetic != nullptr ||
       r.format().rows > 1 || (r.share.rows > 1 && r.axis != 0))) {
    return false;
  }
  // Rows with their own tensor scales form no tiles.
  if (r.format().rows > 1 && r.format().tensor == mx::tensor_scaling::per_row) return false;
  if (v != nullptr) {
    const bool quantizes =
        v->family == mx::variant_family::mx || v->family == mx::variant_family::nvfp4;
    return quantizes && mx::covers(v->about, r.format()) && r.arithmetic == nullptr;
  }
  if (r.arithmetic != nullptr) {
    return r.format().element == mx::formats::e2m1 && r.format().scale == mx::formats::ue4m3 &&
           r.format().size() == r.arithmetic->size();
  }
  const mx::block_format& f = r.format();
  const bool halves = !r.recipe.has_pairs() ||
                      r.recipe.codes.nibbles != mx::nibble_order::split_half || f.columns % 2 == 0;
  return halves && f.precision == mx::scale_precision::stored &&
         mx::refusal_of(r.recipe.rules) == mx::refusal::none;
}

}  // namespace golden::validator
