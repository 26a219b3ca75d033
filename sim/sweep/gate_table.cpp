// SPDX-License-Identifier: Apache-2.0
// sim/sweep/gate_table.cpp: see gate_table.h.
#include "sim/sweep/gate_table.h"

#include <algorithm>
#include <map>
#include <vector>

#include "mx/dot/models.h"
#include "mx/spelling.h"
#include "sim/study/number_in.h"

namespace sim {
namespace {

using csv_row = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> parts_of_line(std::string_view text, char between) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(between, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<csv_row> rows_of_table() {
  std::vector<csv_row> rows;
  const std::vector<std::string> lines = parts_of_line(area_csv(), '\n');
  const std::vector<std::string> head = parts_of_line(lines.front(), ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = parts_of_line(lines[i], ',');
    if (cells.size() != head.size()) continue;
    csv_row& row = rows.emplace_back();
    for (std::size_t c = 0; c < head.size(); ++c) row[head[c]] = cells[c];
  }
  return rows;
}

double number_at(const csv_row& row, const char* column) {
  return number_in<double>(row.at(column)).value_or(0);
}

/// The same hardware, its window aside. The table leaves out the formats that a model's name has.
bool is_design_of(const csv_row& row, std::string_view model, const mx::gemm_plan& plan) {
  const mx::dot_model& m = plan.model;
  const std::string& design = row.at("model");
  return (model == design || model.starts_with(design + ".")) &&
         row.at("format_a") == mx::number_format_name(m.a) &&
         row.at("format_b") == mx::number_format_name(m.b) &&
         row.at("scale") == mx::scale_format_name(m.scale) &&
         static_cast<int>(number_at(row, "block")) == m.block;
}

gate_figure counted_in(const csv_row& row) {
  const double gates = (number_at(row, "nand2") + number_at(row, "nand2_registers")) /
                       (number_at(row, "lanes") * number_at(row, "k"));
  return {gates, number_at(row, "depth"), gate_source::counted};
}

gate_figure between(const gate_figure& a, const gate_figure& b, double share) {
  return {a.gates + share * (b.gates - a.gates), a.depth + share * (b.depth - a.depth),
          gate_source::interpolated};
}

/// Whether the plan changes more of the named model than its window.
bool is_other_hardware(std::string_view model, const mx::gemm_plan& plan) {
  const mx::named_model* named = mx::model_named(model);
  if (named == nullptr) return true;
  mx::accumulation own = named->model.sum;
  own.fraction_bits = plan.model.sum.fraction_bits;
  return own != plan.model.sum;
}

}  // namespace

std::optional<gate_figure> gates_of(std::string_view model, const mx::gemm_plan& plan) {
  static const std::vector<csv_row> table = rows_of_table();
  if (is_other_hardware(model, plan)) return {};
  const bool has_window = plan.model.sum.alignment == mx::alignment::window &&
                          plan.model.sum.lost == mx::lost_bits::dropped;
  std::map<int, gate_figure> by_window;
  for (const csv_row& row : table) {
    if (!is_design_of(row, model, plan)) continue;
    by_window[static_cast<int>(number_at(row, "fraction_bits"))] = counted_in(row);
  }
  if (by_window.empty()) return {};
  const int wanted = has_window ? plan.model.sum.fraction_bits : 0;
  if (const auto found = by_window.find(wanted); found != by_window.end()) return found->second;
  const auto above = by_window.upper_bound(wanted);
  if (above == by_window.begin() || above == by_window.end()) return {};
  const auto below = std::prev(above);
  const double share = static_cast<double>(wanted - below->first) / (above->first - below->first);
  return between(below->second, above->second, share);
}

}  // namespace sim
