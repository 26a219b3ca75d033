// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/alternatives.cpp: alternative kernel behaviour: one table a dimension.
#include "alternatives.h"

#include <algorithm>

#include "mx/block/names.h"
#include "operation_orders.h"

namespace golden::validator {
namespace {

void append_rules(alternative_list& list) {
  for (const auto& entry : mx::scale_rule_table) {
    list.push_back({dimension::scale_rule,
                    [rule = entry.value](hypothesis& r) { r.recipe.rules.rule = rule; }});
  }
}

void append_roundings(alternative_list& list) {
  using enum mx::rounding;
  for (const mx::rounding how :
       {ties_away, toward_zero, ties_toward_zero, ties_to_even, away_from_zero}) {
    list.push_back(
        {dimension::element_rounding, [how](hypothesis& r) { r.recipe.rules.rounding = how; }});
  }
}

/// Elements without Inf and NaN have only their largest number for what is larger.
void append_overflow(const hypothesis& declared, alternative_list& list) {
  if (declared.format().element.specials == mx::specials::none) return;
  add(list, dimension::element_rounding, &habits::overflow, overflow_code::special);
}

/// Scale bytes that public code writes for blocks of zeros, and their neighbours.
std::vector<std::optional<std::uint32_t>> zero_scales(const mx::block_format& f) {
  if (f.scale == mx::formats::e8m0) {
    const auto over_power = static_cast<std::uint32_t>(127 - f.element.emax());
    return {std::nullopt, 127, over_power, 1, 254, 255};
  }
  if (f.scale == mx::formats::ue4m3) return {std::nullopt, 0x38, 0x08, 1, 0x7E, 0x7F};
  return {std::nullopt};
}

void append_zeros(const hypothesis& declared, alternative_list& list) {
  for (const zero_sign sign : {zero_sign::kept, zero_sign::of_nonzero, zero_sign::positive}) {
    for (const auto& scale : zero_scales(declared.format())) {
      add(list, dimension::zero_rule, &habits::zeros, {scale, sign});
    }
  }
}

void append_subnormals(alternative_list& list) {
  using enum subnormal_rule;
  for (const subnormal_rule rule : {inputs, elements, scales}) {
    add(list, dimension::subnormals, &habits::subnormals, rule);
  }
}

void append_shifts(alternative_list& list) {
  for (const int by : {1, -1, 2, -2}) {
    for (const shift_reach reach : {shift_reach::stored, shift_reach::applied}) {
      for (const shift_end end : {shift_end::wrapped, shift_end::clamped, shift_end::nonzero}) {
        add(list, dimension::scale_offset, &habits::shift, {by, reach, end});
      }
    }
  }
}

void append_inputs(alternative_list& list) {
  for (const rounded_for who :
       {rounded_for::everything, rounded_for::elements, rounded_for::scale}) {
    for (const precision p : {precision::bfloat16, precision::binary16, precision::bfloat16_cut}) {
      add(list, dimension::input_precision, &habits::input, {p, who});
    }
  }
}

void append_sizes(const hypothesis& declared, alternative_list& list) {
  for (const int columns : {16, 32, 64, 128, 8, 256}) {
    if (columns == declared.format().columns) continue;
    list.push_back({dimension::block_size,
                    [columns](hypothesis& r) { r.recipe.rules.format.columns = columns; }});
  }
  const int rows = declared.format().rows > 1 ? 1 : declared.format().columns;
  list.push_back(
      {dimension::block_size, [rows](hypothesis& r) { r.recipe.rules.format.rows = rows; }});
}

void append_elements(const hypothesis& declared, alternative_list& list) {
  for (const auto& entry : mx::element_format_table) {
    if (entry.value == declared.format().element) continue;
    list.push_back({dimension::element_format, [element = entry.value](hypothesis& r) {
                      r.recipe.rules.format.element = element;
                    }});
  }
}

void append_tails(const hypothesis& declared, const tensor_traits& traits, alternative_list& list) {
  const auto columns = static_cast<std::uint64_t>(declared.format().columns);
  std::vector<std::uint64_t> counts{traits.zero_elements / columns * columns, traits.zero_elements};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    add(list, dimension::dropped_tail, &habits::tail, {count, false});
    // Fewer elements than a block's leave it a scale.
    if (count >= columns) add(list, dimension::dropped_tail, &habits::tail, {count, true});
  }
}

void append_orders(const hypothesis& declared, alternative_list& list) {
  const mx::block_format& f = declared.format();
  if (f.scale != mx::formats::ue4m3 || f.element != mx::formats::e2m1 || f.size() != 16) return;
  for (const named_order& order : operation_orders(f)) {
    list.push_back({dimension::operation_order, [a = &order.arithmetic](hypothesis& r) {
                      r.arithmetic = a;
                      r.follow(nullptr);
                    }});
  }
}

}  // namespace

alternative_list alternatives_of(const hypothesis& declared, std::span<const subject> subjects,
                                 const tensor_traits& traits) {
  alternative_list list;
  if (is_of_whole(declared)) append_correction_alternatives(declared, list);
  if (declared.variant() != nullptr) append_preset_alternatives(declared, list);
  append_storage_alternatives(declared, subjects, list);
  if (declared.variant() == nullptr) {
    append_rules(list);
    append_roundings(list);
    append_overflow(declared, list);
    if (traits.special) append_special_alternatives(declared, list);
  }
  append_zeros(declared, list);
  append_subnormals(list);
  append_shifts(list);
  append_inputs(list);
  append_tails(declared, traits, list);
  append_row_alternatives(declared, traits, list);
  append_tensor_scale_alternatives(declared, subjects, list);
  if (declared.variant() == nullptr) {
    append_sizes(declared, list);
    append_elements(declared, list);
    append_orders(declared, list);
    append_preset_alternatives(declared, list);
  }
  if (!is_of_whole(declared)) append_random_alternatives(declared, subjects, list);
  if (is_of_whole(declared)) {
    // Each of them costs a quantization of the whole tensor.
    for (alternative& a : list) a.with = company::alone;
  }
  return list;
}

}  // namespace golden::validator
