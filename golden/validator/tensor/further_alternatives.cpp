// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/further_alternatives.cpp: formulas of tensor scales, and changes that
// probes do not distinguish: other written numbers, a preset's rounding of elements, parts of a
// block that its scale is taken from, scales an exponent away, a lost code, moved codes, rounded
// quotients, flushes to +0.
#include "alternatives.h"
#include "tensor_formula.h"

namespace golden::validator {
namespace {

/// A change of the tensor scale.
template <class Value>
alternative tensor_scale_alternative(const hypothesis& declared, Value habits::*habit,
                                     Value value) {
  const company with = is_of_whole(declared) ? company::alone : company::any;
  return {dimension::tensor_scale, [=](hypothesis& r) { r.*habit = value; }, with};
}

/// The declared preset with another rounding of elements.
void append_own_roundings(const hypothesis& declared, alternative_list& list) {
  const mx::variant_entry* own = declared.variant();
  if (own == nullptr || draws_bits(*own)) return;
  using enum mx::rounding;
  for (const mx::rounding how : {ties_away, toward_zero, ties_toward_zero, ties_to_even}) {
    if (how == element_rounding_of(*own)) continue;
    add(list, dimension::element_rounding, &habits::element, how);
  }
}

/// What is left of a block where a reduction over threads or a vector's lanes misses a part.
void append_amax_reaches(alternative_list& list) {
  using enum amax_reach;
  for (const amax_reach reach :
       {positive, first_half, second_half, even, odd, but_first, but_last, each_half}) {
    list.push_back(
        {dimension::scale_rule, [reach](hypothesis& r) { r.amax = reach; }, company::alone});
  }
}

/// Shifts by an exponent of scales whose codes have fractions.
void append_exponent_shifts(const hypothesis& declared, alternative_list& list) {
  const int exponent = 1 << declared.format().scale.fraction_bits;
  if (exponent == 1) return;
  for (const int by : {exponent, -exponent}) {
    for (const shift_reach reach : {shift_reach::stored, shift_reach::applied}) {
      list.push_back({dimension::scale_offset,
                      [=](hypothesis& r) {
                        r.shift = {by, reach, shift_end::clamped};
                      },
                      company::alone});
    }
  }
}

void append_moved_codes(alternative_list& list) {
  for (const int by : {1, -1, 2, -2}) {
    list.push_back(
        {dimension::nibble_order, [by](hypothesis& r) { r.codes_moved = by; }, company::alone});
  }
}

/// Under powers of two a quotient has the bits of the element, unless it leaves the range of FP16.
void append_quotients(const hypothesis& declared, alternative_list& list) {
  const bool fractions = declared.format().scale.fraction_bits > 0;
  for (const precision p : {precision::binary16, precision::bfloat16}) {
    if (p == precision::bfloat16 && !fractions) continue;
    add(list, dimension::input_precision, &habits::input, {p, rounded_for::quotients});
  }
}

}  // namespace

void append_formula_alternatives(const hypothesis& declared, alternative_list& list) {
  if (!declared.format().has_tensor_scale()) return;
  for (const tensor_formula how : tensor_formulas) {
    hypothesis other = declared;
    other.formula = how;
    if (formula_text(other) == formula_text(declared)) continue;
    list.push_back(tensor_scale_alternative(declared, &habits::formula, how));
  }
}

void append_further_alternatives(const hypothesis& declared, alternative_list& list) {
  append_formula_alternatives(declared, list);
  if (declared.format().has_tensor_scale()) {
    list.push_back(
        tensor_scale_alternative(declared, &habits::above, tensor_source::other_written));
  }
  if (is_of_whole(declared)) return;
  append_own_roundings(declared, list);
  append_amax_reaches(list);
  append_moved_codes(list);
  append_exponent_shifts(declared, list);
  list.push_back({dimension::element_rounding,
                  [](hypothesis& r) { r.overflow = overflow_code::below; }, company::alone});
  if (declared.variant() == nullptr) append_quotients(declared, list);
  add(list, dimension::subnormals, &habits::subnormals, subnormal_rule::inputs_to_positive);
}

}  // namespace golden::validator
