// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_json.cpp: an explained block as JSON.
#include "mx/block/names.h"
#include "mx/spelling.h"
#include "sim/cli/explain/explain_words.h"

namespace sim::cli {
namespace {

ordered_json float_json(float value) {
  return {{"value", json_number(double{value})},
          {"bits", hex_text(value)},
          {"exact", fraction_text(mx::unpack(value))}};
}

ordered_json scale_json(const explained_block& b) {
  const mx::format& f = b.q.format.scale;
  ordered_json result;
  if (b.is_stored()) {
    result["code"] = b.scale.code;
    result["code_bits"] = binary_text(b.scale.code, f.width());
    if (f.width() <= 8) result["byte"] = b.scale.code;
  }
  result["reason"] = reason_of_scale(b);
  if (b.extent.special) {
    result["value"] = "NaN";
    return result;
  }
  const exact_number value =
      exact_quotient(b.is_stored() ? mx::decode(f, b.scale.code) : b.extent.amax,
                     b.is_stored() ? mx::no_tensor_scale : mx::largest_of(b.q.format.element));
  if (f == mx::formats::e8m0 && b.is_stored()) {
    result["exponent"] = mx::decode(f, b.scale.code).floor_log2();
  }
  result["exact"] = fraction_text(value);
  result["ideal"] = fraction_text(ideal_scale_of(b));
  return result;
}

ordered_json neighbour_json(const explained_block& b, std::uint32_t code) {
  const float value = mx::to_binary32(mx::decode(b.q.format.element, code));
  return {{"code", code}, {"value", json_number(double{value})}};
}

ordered_json error_json(const exact_error& error) {
  return {{"total", fraction_text(error.total)},       {"scale", fraction_text(error.scale)},
          {"deadzone", fraction_text(error.deadzone)}, {"grid", fraction_text(error.grid)},
          {"clip", fraction_text(error.clip)},         {"scale_dead", error.scale_dead}};
}

ordered_json element_json(const explained_block& b, std::size_t index, const explained_element& e) {
  ordered_json result{{"index", index},
                      {"x", json_number(double{e.x})},
                      {"bits", hex_text(e.x)},
                      {"code", e.code},
                      {"code_bits", binary_text(e.code, b.q.format.element.width())},
                      {"value", json_number(double{e.value})},
                      {"value_bits", hex_text(e.value)},
                      {"decision", name_of(b, e.why)}};
  if (e.why == decision::special) return result;
  result["x_exact"] = fraction_text(mx::unpack(e.x));
  if (e.why != decision::zero_scale) {
    result["x_over_scale"] = fraction_text(quotient_of(b, e));
    result["lower"] = neighbour_json(b, e.lower);
    result["upper"] = neighbour_json(b, e.upper);
  }
  result["tie"] = e.why == decision::tie;
  if (e.why == decision::drawn) {
    result["random_bits"] = e.draw.random;
    result["cut_off"] = e.draw.cut;
  }
  if (const std::optional<exact_error> error = error_of(b, e)) {
    result["ideal"] = fraction_text(error->ideal);
    result["error"] = error_json(*error);
  }
  return result;
}

}  // namespace

ordered_json json_of(const explained_block& b) {
  const mx::block_format& f = b.q.format;
  ordered_json result{{"format", mx::spelling_of(f)},
                      {"scale_rule", mx::name_in(mx::scale_rule_table, b.q.rule)},
                      {"rounding", mx::name_in(mx::rounding_table, b.q.rounding)},
                      {"block", f.size()},
                      {"special", b.extent.special},
                      {"amax", float_json(mx::to_binary32(b.extent.amax))}};
  if (b.q.rounding == mx::rounding::stochastic) {
    result["seed"] = b.q.random.seed;
    result["random_bits"] = b.q.random.bits;
    if (mx::uses_byte_map(b.q.random.bits)) {
      result["byte_map"] = mx::name_in(mx::byte_map_table, b.q.random.map);
    }
  }
  if (b.tensor_scale) result["tensor_scale"] = float_json(*b.tensor_scale);
  result["scale"] = scale_json(b);
  result["elements"] = ordered_json::array();
  for (std::size_t i = 0; i < b.elements.size(); ++i) {
    result["elements"].push_back(element_json(b, i, b.elements[i]));
  }
  return result;
}

}  // namespace sim::cli
