// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_json.cpp: a verdict on a product, as JSON.
#include <fmt/format.h>

#include "mx/number/element.h"
#include "sim/cli/products/plan_options.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

namespace validator = golden::validator;

ordered_json value_json(const mx::format& f, std::uint32_t code) {
  return number_json(static_cast<double>(mx::to_binary32(mx::decode(f, code))));
}

std::string code_text(const mx::format& f, std::uint32_t code) {
  return fmt::format("0x{:0{}X}", code, f.width() / 4);
}

ordered_json difference_json(const product_inputs& in, const validator::product_difference& d) {
  return {{"row", d.row},
          {"column", d.column},
          {"expected", code_text(in.output, d.expected)},
          {"found", code_text(in.output, d.found)},
          {"expected_value", value_json(in.output, d.expected)},
          {"found_value", value_json(in.output, d.found)}};
}

ordered_json excluded_json(const product_inputs& in, const product_verdict& verdict) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (verdict.is_consistent(i)) continue;
    const validator::product_comparison& c = verdict.comparisons[i];
    ordered_json one{{"model", in.candidates[i].entry->name},
                     {"evidence", mx::name_of(in.candidates[i].entry->rests_on)}};
    one.update(difference_json(in, *c.first));
    one["nan_code_only"] = c.differs_in_nan_codes_only();
    all.push_back(one);
  }
  return all;
}

ordered_json explanation_json(const validator::product_explanation& explanation) {
  ordered_json all = ordered_json::array();
  for (const validator::product_dimension& d : explanation.dimensions) {
    all.push_back({{"dimension", d.dimension}, {"expected", d.expected}, {"found", d.found}});
  }
  return all;
}

ordered_json breach_json(const product_inputs& in,
                         const std::optional<validator::bound_breach>& b) {
  if (!b) return {};
  ordered_json json{{"row", b->row},
                    {"column", b->column},
                    {"found", code_text(in.output, b->found)},
                    {"found_value", value_json(in.output, b->found)}};
  if (b->error.empty()) return json;  // Inf or NaN
  json["exact"] = b->exact;
  json["error"] = b->error;
  json["bound"] = b->bound;
  json["times"] = b->times;
  return json;
}

ordered_json bound_json(const product_inputs& in, const product_verdict& verdict) {
  if (!verdict.bound) return {};
  const validator::product_errors& e = verdict.bound->errors;
  return {{"class", verdict.bound->entry->name},
          {"elements", e.elements},
          {"exceeded", e.exceeded},
          {"without_bound", e.without_bound},
          {"first", breach_json(in, e.first)},
          {"worst", breach_json(in, e.worst)}};
}

/// Adds the fields of the declared model.
void add_declared(const product_inputs& in, const product_verdict& verdict, ordered_json& json) {
  if (!in.declared) return;
  const validator::product_comparison& c = verdict.comparisons[*in.declared];
  json["model"] = in.candidates[*in.declared].entry->name;
  json["mismatches"] = c.numbers + c.nan_codes;
  json["nan_code_mismatches"] = c.nan_codes;
  if (c.first) json["first"] = difference_json(in, *c.first);
  json["plan"] = plan_json(in.candidates[*in.declared].plan);
}

}  // namespace

ordered_json json_of(const product_inputs& in, const product_verdict& verdict) {
  ordered_json json{{"verdict", name_of(verdict.kind)},
                    {"kernel_out", in.kernel_out},
                    {"m", in.place.m},
                    {"n", in.place.n},
                    {"k", in.candidates.front().a->k},
                    {"elements", in.d.size()},
                    {"model", ordered_json()},
                    {"mismatches", ordered_json()},
                    {"first", ordered_json()},
                    {"plan", ordered_json()}};
  add_declared(in, verdict, json);
  ordered_json consistent = ordered_json::array(), evidence = ordered_json::object();
  for (std::size_t i = 0; i < in.candidates.size(); ++i) {
    if (!verdict.is_consistent(i)) continue;
    const mx::named_model& entry = *in.candidates[i].entry;
    consistent.push_back(entry.name);
    evidence[std::string(entry.name)] = mx::name_of(entry.rests_on);
  }
  json["consistent_models"] = consistent;
  json["evidence"] = evidence;
  json["excluded"] = excluded_json(in, verdict);
  json["tell_apart"] = ordered_json::array();
  for (const model_distinction& d : distinctions_in(in, verdict)) {
    json["tell_apart"].push_back({{"model", d.model}, {"from", d.from}, {"data", d.data}});
  }
  const auto& explanations = verdict.explanations;
  json["explanation"] =
      explanations.empty() ? ordered_json::array() : explanation_json(explanations.front());
  json["ambiguous"] = ordered_json::array();
  for (std::size_t i = 1; i < explanations.size(); ++i) {
    json["ambiguous"].push_back(explanation_json(explanations[i]));
  }
  json["bound_exceeded"] = verdict.bound ? verdict.bound->errors.exceeded : 0;
  json["bound"] = bound_json(in, verdict);
  return json;
}

}  // namespace sim::cli
