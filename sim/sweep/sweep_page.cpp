// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_page.cpp: see sweep_page.h.
#include "sim/sweep/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/page_frame.h"
#include "sim/report/scatter_chart.h"
#include "sim/report/svg.h"
#include "sim/sweep/input_metrics.h"
#include "sim/sweep/pareto_front.h"
#include "sim/sweep/sweep_maps.h"

namespace sim {
namespace {

/// Most rows of the page's table, and charts: results.csv has all.
constexpr std::size_t most_page_rows = 2500, most_charts = 12;

/// The first field with few values, which colours the charts; empty without one.
std::string_view colouring_field(const sweep_results& r) {
  const auto varied = varied_fields(r, styles - 1);
  return varied.empty() ? "" : varied.front();
}

std::string_view meaning_of_cost(std::string_view name) {
  if (name == "gates") return "NAND2 equivalents a product";
  if (name == "depth") return "gates on the longest path";
  return "bits an element";
}

std::string metric_label(const sweep_metric& metric) {
  return fmt::format("{}: {}", metric.name, metric.meaning);
}

std::vector<std::size_t> rows_on_page(const sweep_results& r) {
  std::vector<std::size_t> rows;
  for (const swept_input& in : r.of.inputs) {
    for (const std::size_t i : front_of(r, in)) rows.push_back(i);
  }
  std::vector<bool> taken(r.work.size());
  for (const std::size_t i : rows) taken[i] = true;
  for (std::size_t i = 0; i < r.work.size() && rows.size() < most_page_rows; ++i) {
    if (!taken[i]) rows.push_back(i);
  }
  std::ranges::sort(rows);
  return rows;
}

scatter_chart chart_of(const sweep_results& r, const swept_input& in,
                       const std::vector<std::size_t>& rows) {
  const std::string_view field = colouring_field(r);
  scatter_chart chart{in.of.name,
                      std::string(meaning_of_cost(r.of.study.page_cost)),
                      metric_label(shown_metric(r.of.study, in.of)),
                      {},
                      {}};
  const std::vector<std::string> values =
      field.empty() ? std::vector<std::string>{} : values_of(r, field);
  for (const std::string& value : values)
    chart.groups.push_back(fmt::format("{} {}", field, value));
  const std::vector<std::size_t> front = front_of(r, in);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const measured_work& w = r.work[rows[row]];
    if (w.input != &in) continue;
    const auto style =
        field.empty() ? 2
                      : std::ranges::find(values, value_at(*w.point, field)) - values.begin() + 1;
    const bool best = std::ranges::find(front, rows[row]) != front.end();
    chart.marks.push_back({cost_of(r.of.study, *w.point), quality_of(r, w), static_cast<int>(style),
                           row,
                           best ? scatter_mark::place::on_front : scatter_mark::place::behind});
  }
  return chart;
}

std::string fronts(const sweep_results& r, const std::vector<std::size_t>& rows) {
  std::vector<std::string> charts;
  for (const swept_input& in : r.of.inputs) {
    if (charts.size() < most_charts) charts.push_back(draw(chart_of(r, in, rows)));
  }
  std::string text = panels(charts, panel_width::half);
  text += note(
      "Each mark is a point; the line joins those that no cheaper one equals. Under the pointer: "
      "all of its numbers. The filter of the table below dims what it leaves out.");
  if (r.of.inputs.size() > most_charts) {
    text +=
        note(fmt::format("The first {} of {} inputs are drawn.", most_charts, r.of.inputs.size()));
  }
  return text;
}

/// As a script reads numbers; nothing where a number is not defined.
std::string cell_of(const std::optional<double>& value) {
  if (!value || std::isnan(*value)) return "";
  if (std::isinf(*value)) return *value > 0 ? "Inf" : "-Inf";
  return fmt::format("{:.5g}", *value);
}

std::string table_of(const sweep_results& r, const std::vector<std::size_t>& rows) {
  const std::vector<std::size_t> metrics = metrics_of(r);
  const auto has_gates = std::ranges::any_of(
      r.of.list.points, [](const sweep_point& p) { return p.gates.has_value(); });
  const std::vector<std::string_view> fields = shown_fields(r);
  std::vector<std::string> head{"point", "input"};
  for (const std::string_view field : fields) head.push_back(column_of(field));
  head.emplace_back("bits");
  if (has_gates) head.insert(head.end(), {"gates", "depth", "gates_source"});
  for (const std::size_t m : metrics) head.emplace_back(sweep_metrics[m].name);
  head.emplace_back("remark");
  html_table table(head);
  for (const std::size_t i : rows) {
    const measured_work& w = r.work[i];
    const sweep_point& p = *w.point;
    std::vector<std::string> cells{escaped(p.name), escaped(w.input->of.name)};
    for (const std::string_view field : fields) cells.push_back(escaped(value_at(p, field)));
    cells.push_back(fmt::format("{:.6g}", p.bits));
    if (has_gates) {
      cells.push_back(p.gates ? fmt::format("{:.5g}", p.gates->gates) : "");
      cells.push_back(p.gates ? fmt::format("{:.4g}", p.gates->depth) : "");
      cells.emplace_back(source_of_gates(p));
    }
    for (const std::size_t m : metrics) cells.push_back(cell_of(r.row_of(w).values[m]));
    cells.push_back(remark_on(r, w));
    table.row(cells);
  }
  std::string text = explored(table);
  if (rows.size() < r.work.size()) {
    text +=
        note(fmt::format("The page has {} of {} rows, those of all fronts among them; "
                         "results.csv has all.",
                         rows.size(), r.work.size()));
  }
  std::vector<std::string> meanings;
  const auto mean = [&](std::string_view name, std::string_view meaning) {
    meanings.push_back(fmt::format("{}: {}", code(name), escaped(meaning)));
  };
  for (const std::string_view cost : sweep_costs) {
    if (has_gates || cost == "bits") mean(cost, meaning_of_cost(cost));
  }
  for (const std::size_t m : metrics) mean(sweep_metrics[m].name, sweep_metrics[m].meaning);
  return text + note(fmt::format("{}.", fmt::join(meanings, "; ")));
}

std::string refused_of(const point_list& list) {
  html_table table({"reason", "points", "the first of them"});
  for (const auto& [reason, left] : list.refused) {
    table.row({escaped(reason), fmt::format("{}", left.count), code(left.example)});
  }
  return table.empty() ? paragraph("Nothing was left out.") : table.html();
}

std::string head_of_page(const sweep_results& r, const std::string& source) {
  const sweep_study& s = r.of.study;
  const auto count = [](std::size_t n) { return grouped_text(static_cast<long long>(n)); };
  std::size_t refused = 0, elements = 0, policies = 0;
  for (const auto& [reason, left] : r.of.list.refused) refused += left.count;
  for (const swept_input& in : r.of.inputs) {
    for (const swept_tensor& t : in.tensors) elements += t.rows * t.columns;
    policies += in.policy ? 1 : 0;
  }
  std::string facts = fact("study", code(source));
  facts += fact("points", fmt::format("{} of {} combinations", count(r.of.list.points.size()),
                                      count(r.of.list.combinations)));
  facts += fact("left out", count(refused));
  facts += fact("repeated", count(r.of.list.repeated));
  const std::size_t numbers = r.of.inputs.size() - policies;
  if (numbers > 0)
    facts += fact("inputs", fmt::format("{} of {} elements", numbers, count(elements)));
  if (policies > 0) facts += fact("policies", count(policies));
  facts += fact("study hash", code(s.hash.substr(0, 16)));
  return fmt::format("<h1>Sweep: {}</h1>\n<ul class=\"facts\">\n{}</ul>\n",
                     escaped(s.name.empty() ? "unnamed" : s.name), facts);
}

}  // namespace

std::string page_of(const sweep_results& r, const std::string& source) {
  const std::vector<std::size_t> rows = rows_on_page(r);
  const auto titled = [](std::string_view id, std::string_view name, const std::string& body) {
    return named_section{id, name, section(id, name, body)};
  };
  std::vector<named_section> sections{titled("fronts", "Fronts", fronts(r, rows))};
  const std::string maps = maps_of_fields(r) + map_of_inputs(r);
  if (!maps.empty()) sections.push_back(titled("maps", "Maps", maps));
  sections.push_back(titled("rows", "Rows", table_of(r, rows)));
  sections.push_back(titled("left-out", "Left out", refused_of(r.of.list)));
  return framed_page("Sweep: " + r.of.study.name, head_of_page(r, source), sections);
}

}  // namespace sim
