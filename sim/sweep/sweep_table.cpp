// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_table.cpp: see sweep_table.h.
#include "sim/sweep/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/study/shallow_json.h"
#include "sim/sweep/axis_reader.h"

namespace sim {
namespace {

using nlohmann::ordered_json;

/// Quoted if CSV needs it (RFC 4180).
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

ordered_json json_of(const sweep_results& r, const measured_work& w,
                     const std::vector<std::size_t>& metrics) {
  const sweep_point& p = *w.point;
  ordered_json line{{"key", w.key}, {"point", p.name}, {"input", w.input->of.name}};
  if (!w.input->of.role.empty()) line["role"] = w.input->of.role;
  line["bits"] = p.bits;
  if (p.gates) {
    line["gates"] = p.gates->gates;
    line["depth"] = p.gates->depth;
    line["gates_source"] = source_of_gates(p);
  }
  for (const auto& [name, value] : p.words) line[column_of(name)] = value;
  for (const std::size_t m : metrics) {
    const auto& value = r.row_of(w).values[m];
    if (value) line[std::string(sweep_metrics[m].name)] = json_number(*value);
  }
  const std::string remark = remark_on(r, w);
  if (!remark.empty()) line["remark"] = remark;
  return line;
}

std::vector<std::string> columns_of(const sweep_results& r) {
  std::vector<std::string> columns{"key",  "point", "input", "role",
                                   "bits", "gates", "depth", "gates_source"};
  for (const std::string_view field : fields_of(r)) columns.push_back(column_of(field));
  for (const std::size_t m : metrics_of(r)) columns.emplace_back(sweep_metrics[m].name);
  columns.emplace_back("remark");
  return columns;
}

}  // namespace

std::string column_of(std::string_view field) {
  return metric_named(field) ? fmt::format("axis_{}", field) : std::string(field);
}

std::vector<std::string_view> fields_of(const sweep_results& r) {
  std::vector<std::string_view> fields;
  for (const std::string_view name : axis_names()) {
    const auto has = [&](const measured_work& w) {
      return word_at(w.point->words, name) != nullptr;
    };
    if (std::ranges::any_of(r.work, has)) fields.push_back(name);
  }
  return fields;
}

std::vector<std::size_t> metrics_of(const sweep_results& r) {
  std::vector<std::size_t> measured;
  for (std::size_t m = 0; m < sweep_metrics.size(); ++m) {
    const auto has = [&](const measured_work& w) { return r.row_of(w).values[m].has_value(); };
    if (std::ranges::any_of(r.work, has)) measured.push_back(m);
  }
  return measured;
}

std::string remark_on(const sweep_results& r, const measured_work& w) {
  if (w.input->policy) return "";
  const sweep_study& s = r.of.study;
  const sweep_point& p = *w.point;
  std::vector<std::string> remarks;
  if (s.measures_what(sweep_measure::components) && !p.recipe().is_plain()) {
    remarks.emplace_back(p.recipe().has_preset() ? "a preset: total error only"
                                                 : "corrected: total error only");
  }
  if (s.measures_what(sweep_measure::product) && !p.plan) {
    remarks.emplace_back("no model: no product");
  }
  if (const double n = r.row_of(w).of("not_finite").value_or(0); n > 0) {
    remarks.push_back(fmt::format("{} finite element{} decode{} to NaN or Inf", n,
                                  n == 1 ? "" : "s", n == 1 ? "s" : ""));
  }
  return fmt::format("{}", fmt::join(remarks, "; "));
}

std::string_view source_of_gates(const sweep_point& p) {
  if (!p.gates) return "";
  return p.gates->source == gate_source::counted ? "counted" : "interpolated";
}

std::string csv_of(const sweep_results& r) {
  const std::vector<std::string> columns = columns_of(r);
  const std::vector<std::size_t> metrics = metrics_of(r);
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const measured_work& w : r.work) {
    const ordered_json line = json_of(r, w, metrics);
    std::string cells;
    for (const std::string& column : columns) {
      const auto found = line.find(column);
      if (&column != &columns.front()) cells += ",";
      if (found == line.end()) continue;
      cells += csv_cell(found->is_string() ? found->get<std::string>() : found->dump());
    }
    text += cells + "\n";
  }
  return text;
}

std::string jsonl_of(const sweep_results& r) {
  const std::vector<std::size_t> metrics = metrics_of(r);
  std::string text;
  for (const measured_work& w : r.work) text += json_of(r, w, metrics).dump() + "\n";
  return text;
}

}  // namespace sim
