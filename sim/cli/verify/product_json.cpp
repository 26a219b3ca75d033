// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_json.cpp: a product's diagnosis as JSON.
#include <span>

#include "mx/number/element.h"
#include "sim/cli/products/plan_options.h"
#include "sim/cli/verify/product_report.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace validator = golden::validator;

ordered_json value_json(const mx::format& f, std::uint32_t code) {
  return json_number(static_cast<double>(mx::to_binary32(mx::decode(f, code))));
}

ordered_json difference_json(const mx::format& f, const validator::product_difference& d) {
  return {{"row", d.row},
          {"column", d.column},
          {"expected", validator::code_text(f, d.expected)},
          {"found", validator::code_text(f, d.found)},
          {"expected_value", value_json(f, d.expected)},
          {"found_value", value_json(f, d.found)}};
}

ordered_json excluded_json(const product_diagnosis& d) {
  ordered_json all = ordered_json::array();
  for (const validator::judged_model& model : d.models) {
    if (model.is_consistent()) continue;
    ordered_json one{{"model", model.entry->name},
                     {"evidence", mx::name_of(model.entry->rests_on)}};
    one.update(difference_json(d.output(), *model.found.first));
    one["nan_code_only"] = model.found.differs_in_nan_codes_only();
    all.push_back(one);
  }
  return all;
}

ordered_json explanation_json(const validator::product_explanation& e) {
  return json_array(e.changes, change_json);
}

ordered_json breach_json(const mx::format& f, const std::optional<validator::bound_breach>& b) {
  if (!b) return {};
  ordered_json json{{"row", b->row},
                    {"column", b->column},
                    {"found", validator::code_text(f, b->found)},
                    {"found_value", value_json(f, b->found)}};
  if (b->error.empty()) return json;  // Inf or NaN
  json["exact"] = b->exact;
  json["error"] = b->error;
  json["bound"] = b->bound;
  json["times"] = b->times;
  return json;
}

ordered_json bound_json(const product_diagnosis& d) {
  if (!d.bound) return {};
  const validator::product_errors& e = d.bound->errors;
  return {{"class", d.bound->entry->name},
          {"elements", e.elements},
          {"exceeded", e.exceeded},
          {"without_bound", e.without_bound},
          {"first", breach_json(d.output(), e.first)},
          {"worst", breach_json(d.output(), e.worst)}};
}

/// Adds the fields of the declared model.
void add_declared(const product_diagnosis& d, ordered_json& json) {
  if (!d.declared) return;
  const validator::judged_model& model = *d.declared_model();
  json["model"] = model.entry->name;
  json["mismatches"] = model.found.mismatches();
  json["nan_code_mismatches"] = model.found.nan_codes;
  if (model.found.first) json["first"] = difference_json(d.output(), *model.found.first);
  json["plan"] = plan_json(model.plan);
}

/// Adds the consistent models, the excluded ones, and what distinguishes the former.
void add_models(const product_diagnosis& d, ordered_json& json) {
  ordered_json consistent = ordered_json::array(), evidence = ordered_json::object();
  for (const validator::judged_model& model : d.models) {
    if (!model.is_consistent()) continue;
    consistent.push_back(model.entry->name);
    evidence[std::string(model.entry->name)] = mx::name_of(model.entry->rests_on);
  }
  json["consistent_models"] = consistent;
  json["evidence"] = evidence;
  json["excluded"] = excluded_json(d);
  json["tell_apart"] = json_array(d.distinctions, [](const auto& other) -> ordered_json {
    return {{"model", other.model}, {"from", other.from}, {"data", other.data}};
  });
}

}  // namespace

ordered_json json_of(const product_diagnosis& d) {
  ordered_json json{{"verdict", name_of(d.verdict)},
                    {"kernel_out", d.name},
                    {"m", d.m},
                    {"n", d.n},
                    {"k", d.k},
                    {"elements", d.elements()},
                    {"model", ordered_json()},
                    {"mismatches", ordered_json()},
                    {"first", ordered_json()},
                    {"plan", ordered_json()}};
  add_declared(d, json);
  add_models(d, json);
  const auto& explanations = d.explanations;
  json["explanation"] =
      explanations.empty() ? ordered_json::array() : explanation_json(explanations.front());
  json["ambiguous"] =
      json_array(std::span(explanations).subspan(explanations.empty() ? 0 : 1), explanation_json);
  json["bound_exceeded"] = d.bound ? d.bound->errors.exceeded : 0;
  json["bound"] = bound_json(d);
  return json;
}

}  // namespace sim::cli
