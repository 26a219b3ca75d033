// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_maps.cpp: see sweep_maps.h.
#include "sim/sweep/sweep_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mx/recipe_words.h"
#include "sim/report/figure_text.h"
#include "sim/report/heat_map.h"
#include "sim/sweep/input_metrics.h"
#include "sim/sweep/pareto_front.h"

namespace sim {
namespace {

/// Most inputs with a map of their own, rows and columns of a map, and characters of a column's
/// head.
constexpr std::size_t most_maps = 12, most_rows = 40, most_columns = 20, widest_head = 8;

bool is_better(const sweep_metric& metric, double a, double b) {
  return metric.best == sweep_metric::better::larger ? a > b : a < b;
}

/// The end of a long name, where names of tensors differ.
std::string head_of(const std::string& name) {
  if (characters_in(name) <= widest_head) return name;
  return "\u2026" + std::string(last_characters(name, widest_head - 1));
}

using found_cells = std::map<std::pair<std::size_t, std::size_t>, std::pair<double, std::string>>;

/// Of a map's finite numbers the mean, and the largest distance from it; 0 without any.
struct number_range {
  double mean = 0, reach = 0;
};
number_range range_of(const found_cells& found) {
  double sum = 0, count = 0;
  for (const auto& [place, cell] : found) {
    if (std::isfinite(cell.first)) sum += cell.first, count += 1;
  }
  number_range range{count > 0 ? sum / count : 0, 0};
  for (const auto& [place, cell] : found) {
    if (std::isfinite(cell.first)) {
      range.reach = std::max(range.reach, std::abs(cell.first - range.mean));
    }
  }
  return range;
}

/// Cells around the mean of the map's; an infinite one is as far from it as the farthest.
heat_map map_of(std::string title, std::vector<std::string> rows, std::vector<std::string> columns,
                const found_cells& found) {
  const number_range range = range_of(found);
  heat_map map{std::move(title), std::move(rows), std::move(columns), {}};
  map.cells.assign(map.rows.size(), std::vector<std::optional<heat_cell>>(map.columns.size()));
  for (const auto& [place, cell] : found) {
    const double offset = std::clamp(cell.first - range.mean, -range.reach, range.reach);
    map.cells[place.first][place.second] = heat_cell{offset, short_text(cell.first), cell.second};
  }
  return map;
}

heat_map map_of_fields(const sweep_results& r, const swept_input& in, std::string_view down,
                       std::string_view across) {
  const sweep_metric& metric = shown_metric(r.of.study, in.of);
  const std::vector<std::string> rows = values_of(r, down);
  std::vector<std::string> columns = values_of(r, across);
  found_cells best;
  for (const measured_work& w : r.work) {
    const double quality = quality_of(r, w);
    if (w.input != &in || std::isnan(quality)) continue;
    const auto row = std::ranges::find(rows, value_at(*w.point, down)) - rows.begin();
    const auto column = std::ranges::find(columns, value_at(*w.point, across)) - columns.begin();
    auto& cell = best[{static_cast<std::size_t>(row), static_cast<std::size_t>(column)}];
    if (cell.second.empty() || is_better(metric, quality, cell.first)) {
      cell = {quality, fmt::format("{}: {}", w.point->name, number_text(quality))};
    }
  }
  for (std::string& column : columns) column = head_of(column);
  return map_of(fmt::format("{}: best {}, {} by {}", in.of.name, metric.name, down, across), rows,
                columns, best);
}

/// The points on some front, in the order of the sweep.
std::vector<const sweep_point*> points_on_fronts(const sweep_results& r) {
  std::set<const sweep_point*> on_front;
  for (const swept_input& in : r.of.inputs) {
    for (const std::size_t i : front_of(r, in)) on_front.insert(r.work[i].point);
  }
  std::vector<const sweep_point*> points(on_front.begin(), on_front.end());
  if (points.size() > most_rows) points.resize(most_rows);
  return points;
}

/// The inputs that have the study's page_metric, as many as a map has columns.
std::vector<const swept_input*> comparable_inputs(const sweep_results& r) {
  const sweep_metric& metric = sweep_metrics[*metric_named(r.of.study.page_metric)];
  std::vector<const swept_input*> inputs;
  for (const swept_input& in : r.of.inputs) {
    if (has_metric(r.of.study, in.of, metric) && inputs.size() < most_columns) {
      inputs.push_back(&in);
    }
  }
  return inputs;
}

}  // namespace

std::vector<std::string> values_of(const sweep_results& r, std::string_view field) {
  std::vector<std::string> values;
  for (const measured_work& w : r.work) {
    const std::string value = value_at(*w.point, field);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

std::vector<std::string_view> shown_fields(const sweep_results& r) {
  std::vector<std::string_view> fields(recipe_parts.begin(), recipe_parts.end());
  const std::vector<std::string_view> named = fields_of(r);
  for (const std::string_view field : named) {
    const bool known = std::ranges::find(fields, field) != fields.end();
    if (!known && field != "format") fields.push_back(field);
  }
  if (std::ranges::find(named, "format") != named.end()) fields.emplace_back("format");
  return fields;
}

std::vector<std::string_view> varied_fields(const sweep_results& r, std::size_t most) {
  std::vector<std::string_view> fields = shown_fields(r);
  std::erase_if(fields, [&](std::string_view field) {
    const std::size_t values = values_of(r, field).size();
    return values < 2 || values > most;
  });
  return fields;
}

std::string maps_of_fields(const sweep_results& r) {
  const std::vector<std::string_view> across = varied_fields(r, most_columns);
  if (across.empty()) return "";
  std::vector<std::string_view> down = varied_fields(r, most_rows);
  std::erase(down, across.front());
  if (down.empty()) return "";
  std::vector<heat_map> maps;
  for (const swept_input& in : r.of.inputs) {
    if (maps.size() < most_maps) maps.push_back(map_of_fields(r, in, down.front(), across.front()));
  }
  return draw(maps);
}

std::string map_of_inputs(const sweep_results& r) {
  const std::vector<const swept_input*> inputs = comparable_inputs(r);
  if (inputs.size() < 2) return "";
  const std::vector<const sweep_point*> points = points_on_fronts(r);
  std::vector<std::string> rows, columns;
  for (const sweep_point* p : points) rows.push_back(p->name);
  for (const swept_input* in : inputs) {
    columns.push_back(head_of(in->of.role.empty() ? in->of.name : in->of.role));
  }
  found_cells found;
  for (const measured_work& w : r.work) {
    const auto row = std::ranges::find(points, w.point) - points.begin();
    const auto column = std::ranges::find(inputs, w.input) - inputs.begin();
    const double quality = quality_of(r, w);
    if (static_cast<std::size_t>(row) == points.size() || std::isnan(quality) ||
        static_cast<std::size_t>(column) == inputs.size()) {
      continue;
    }
    found[{static_cast<std::size_t>(row), static_cast<std::size_t>(column)}] = {
        quality, fmt::format("{}, {}: {}", w.point->name, w.input->of.name, number_text(quality))};
  }
  return draw(
      {map_of(r.of.study.page_metric + ", points of the fronts by input", rows, columns, found)});
}

}  // namespace sim
