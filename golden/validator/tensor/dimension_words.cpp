// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/dimension_words.cpp: the text of a hypothesis's choice in one dimension.
#include "dimension_words.h"

#include <array>
#include <cstdlib>

#include "mx/block/names.h"
#include "mx/spelling.h"
#include "numbers.h"
#include "operation_orders.h"
#include "tensor_formula.h"

namespace golden::validator {
namespace {

template <std::size_t N, class E>
std::string named(const std::array<const char*, N>& names, E value) {
  return names[static_cast<std::size_t>(value)];
}

std::string signed_number(int n) { return (n > 0 ? "+" : "") + std::to_string(n); }

std::string packing_word(const hypothesis& r) {
  if (r.recipe.is_dense()) return "dense";
  const bool by_byte = r.format().element.width() == 6;
  if (by_byte || r.recipe.codes.packing == mx::code_packing::unpacked) return "unpacked";
  return std::string(mx::nibble_order_table[static_cast<std::size_t>(r.recipe.codes.nibbles)].name);
}

std::string nibble_word(const hypothesis& r) {
  if (r.codes_moved == 0) return packing_word(r);
  return packing_word(r) + ", moved by " + signed_number(r.codes_moved) +
         " along the axis, those at the end first";
}

std::string layout_word(const hypothesis& r) {
  const std::string layout(mx::scale_layout_table[static_cast<std::size_t>(r.recipe.layout)].name);
  const scale_placement& p = r.placement;
  const std::string end =
      named(std::array{"rolled", "zeros shifted in", "the end repeated"}, p.end);
  switch (p.motion) {
    case scale_motion::none:
      break;
    case scale_motion::transposed:
      return layout + ", transposed";
    case scale_motion::flat:
      return layout + ", shifted by " + signed_number(p.by) + " in memory, " + end;
    case scale_motion::along:
      return layout + ", shifted by " + signed_number(p.by) + " block along the axis, " + end;
    case scale_motion::across:
      return layout + ", shifted by " + signed_number(p.by) + " row, " + end;
    case scale_motion::spread:
      return layout + ", the first scale of every " + std::to_string(p.by) + " written for each";
    case scale_motion::exchanged:
      return layout + ", blocks exchanged with block number xor " + std::to_string(p.by);
  }
  return layout;
}

std::string special_word(const hypothesis& r) {
  const special_rule& rule = r.specials;
  constexpr std::array scales{"NaN", "of the finite elements", "largest", "code 0",
                              "NaN with a sign"};
  constexpr std::array codes{"all codes 0",
                             "all codes NaN or largest",
                             "NaN becomes 0, Inf saturates",
                             "NaN becomes NaN or largest, Inf saturates",
                             "NaN becomes NaN or largest with its sign, Inf saturates",
                             "NaN becomes NaN or largest with a sign, Inf saturates",
                             "NaN and Inf become 0"};
  constexpr std::array nan{"", ", NaN is the quiet one", ", NaN is the one with the lowest bit"};
  constexpr std::array infinity{"", ", but Inf stays Inf"};
  return "scale with NaN: " + named(scales, rule.with_nan) +
         ", with Inf: " + named(scales, rule.with_infinity) + "; " + named(codes, rule.codes) +
         named(infinity, rule.infinity) + named(nan, rule.nan);
}

std::string zero_word(const hypothesis& r) {
  const std::string sign =
      named(std::array{"sign of zeros kept", "-0 becomes +0", "no negative zero"}, r.zeros.sign);
  return "scale byte of zeros " + std::to_string(r.zeros.scale.value_or(0)) + ", " + sign;
}

std::string input_word(const hypothesis& r) {
  const input_rule& rule = r.input;
  if (rule.numbers == precision::as_given) return "as given";
  return named(std::array{"as given", "bf16", "bf16, cut off", "fp16"}, rule.numbers) +
         named(std::array{"", ", for elements only", ", for the scale only",
                          ", of elements over their scale"},
               rule.who);
}

std::string shift_word(const hypothesis& r) {
  const scale_shift& shift = r.shift;
  if (shift.by == 0) return "0";
  const int exponent = 1 << r.format().scale.fraction_bits;
  const bool is_exponent = exponent > 1 && std::abs(shift.by) == exponent;
  return signed_number(shift.by) + (is_exponent ? ", an exponent" : "") +
         named(std::array{", elements under the right scale", ", elements made under it"},
               shift.reach);
}

std::string axis_word(const hypothesis& r) {
  const std::string axis =
      r.axes > 0 ? std::to_string(r.axes - 1 - r.axis) : "-" + std::to_string(r.axis + 1);
  return axis + named(std::array{"", ", stored with the axis last", ", stored with the axis first"},
                      r.order);
}

std::string rows_word(const hypothesis& r) {
  const row_order& rows = r.rows;
  if (rows.is_of_input()) return "as in the input";
  const std::string halves =
      named(std::array{"", "halves by turns", "even rows before odd ones"}, rows.halves);
  const std::string shuffled =
      rows.shuffled == 0 ? "" : "shuffled in groups of " + std::to_string(rows.shuffled);
  return halves + (halves.empty() || shuffled.empty() ? "" : ", then ") + shuffled +
         named(std::array{"", ", of codes alone", ", of scales alone"}, rows.reach);
}

std::string unwritten_word(const unwritten_rows& u) {
  const std::string rows =
      u.tile > 0 ? "rows that whole tiles of " + std::to_string(u.tile) + " leave over"
                 : "the last " + std::to_string(u.rows) + (u.rows == 1 ? " row" : " rows");
  if (u.bytes == stale_bytes::earlier_tile) return rows + " hold those of the tile before";
  return rows + ": bytes of codes are " + hexadecimal(u.codes, 2) + ", scales " +
         (u.scales ? hexadecimal(*u.scales, 2) : "intact");
}

std::string tail_word(const hypothesis& r) {
  if (!(r.unwritten == unwritten_rows{})) return unwritten_word(r.unwritten);
  const dropped_tail& tail = r.tail;
  if (tail.elements == 0) return "none";
  return "codes of the last " + std::to_string(tail.elements) +
         " elements, padding included, are 0, scales " + (tail.zero_scales ? "too" : "intact");
}

std::string order_word(const hypothesis& r) {
  if (r.arithmetic == nullptr) return "exact";
  for (const named_order& order : operation_orders(r.format())) {
    if (&order.arithmetic == r.arithmetic) return std::string(order.formula);
  }
  return "another";
}

std::string tensor_word(const hypothesis& r) {
  if (!r.format().has_tensor_scale()) return "none";
  const std::string rows = r.format().tensor == mx::tensor_scaling::per_row ? " of each row" : "";
  const std::string of_amax = formula_text(r) + rows;
  return named(
             std::array{"", "as stored; right is ", "1; right is ", "reciprocal stored of ",
                        "not a positive finite number; right is ", "any number, beside blocks of "},
             r.above) +
         of_amax;
}

std::string size_word(const hypothesis& r) {
  const std::string size = (r.format().rows > 1 ? std::to_string(r.format().rows) + "x" : "") +
                           std::to_string(r.format().columns);
  const scale_share& share = r.share;
  if (share == scale_share{}) return size;
  return size + ", a scale for " +
         (share.rows > 1 ? std::to_string(share.rows) + "x" : std::string()) +
         std::to_string(share.blocks) + " of them, taken from " +
         named(std::array{"them all", "the first"}, share.source) + " and written for each";
}

/// The rounding of elements: a preset's own, unless the hypothesis has another.
mx::rounding rounding_of(const hypothesis& r) {
  if (r.variant() == nullptr) return r.recipe.rules.rounding;
  return r.element.value_or(element_rounding_of(*r.variant()));
}

/// No option rounds away from zero, so the table has no name for it.
std::string rule_of_rounding_word(const hypothesis& r) {
  const mx::rounding how = rounding_of(r);
  if (how == mx::rounding::away_from_zero) return "away-from-zero";
  const std::string name(mx::name_in(mx::rounding_table, how));
  if (how != mx::rounding::stochastic) return name;
  if (r.drawn == drawn_bits::unknown) return name + ", seed not found";
  const mx::random_source& from = r.recipe.rules.random;
  return name + ", seed " + std::to_string(from.seed) + ", " + std::to_string(from.bits) + " bits" +
         (mx::uses_byte_map(from.bits)
              ? ", " + std::string(mx::name_in(mx::byte_map_table, from.map))
              : "") +
         (from.stream > 0 ? ", stream " + std::to_string(from.stream) : "") +
         named(std::array{"", ", the complement of the random bits"}, r.drawn);
}

std::string rounding_word(const hypothesis& r) {
  const std::string rule = rule_of_rounding_word(r);
  if (r.overflow == overflow_code::saturated) return rule;
  if (r.overflow == overflow_code::below) return rule + ", the largest code lost to the one below";
  const bool ieee = r.format().element.specials == mx::specials::ieee;
  return rule + (ieee ? ", Inf" : ", NaN") + " beyond the largest";
}

std::string variant_word(const hypothesis& r) {
  return r.variant() == nullptr ? "none" : std::string(r.variant()->about.name);
}

std::string rule_word(const hypothesis& r) {
  return std::string(mx::name_in(mx::scale_rule_table, r.recipe.rules.rule));
}

std::string subnormal_word(const hypothesis& r) {
  return named(std::array{"kept", "inputs flushed", "inputs flushed to +0", "elements flushed",
                          "scales flushed"},
               r.subnormals);
}

std::string element_word(const hypothesis& r) { return mx::spelling_of(r.format().element); }

/// In the order of dimension_names.
constexpr std::array word_table{
    rule_word,    rounding_word,  nibble_word, layout_word, shift_word,  special_word,
    zero_word,    subnormal_word, input_word,  axis_word,   rows_word,   size_word,
    element_word, tail_word,      order_word,  tensor_word, variant_word};
static_assert(word_table.size() == dimension_names.size());

}  // namespace

std::string word_of(const hypothesis& r, dimension d) {
  return word_table[static_cast<std::size_t>(d)](r);
}

}  // namespace golden::validator
