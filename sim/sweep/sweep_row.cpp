// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_row.cpp: see sweep_row.h.
#include "sim/sweep/sweep_row.h"

#include <algorithm>

#include "sim/study/shallow_json.h"

namespace sim {

std::optional<std::size_t> metric_named(std::string_view name) {
  const auto found = std::ranges::find(sweep_metrics, name, &sweep_metric::name);
  if (found == sweep_metrics.end()) return {};
  return static_cast<std::size_t>(found - sweep_metrics.begin());
}

bool operator==(const sweep_row& a, const sweep_row& b) { return line_of(a) == line_of(b); }

const std::optional<double>& sweep_row::of(std::string_view metric) const {
  return values[*metric_named(metric)];
}

void sweep_row::set(std::string_view metric, double value) {
  values[*metric_named(metric)] = value;
}

std::string line_of(const sweep_row& row) {
  nlohmann::ordered_json line{{"key", row.key}};
  for (std::size_t i = 0; i < sweep_metrics.size(); ++i) {
    if (row.values[i]) line[std::string(sweep_metrics[i].name)] = json_number(*row.values[i]);
  }
  return line.dump();
}

sweep_row row_in(std::string_view line) {
  const auto read = shallow_json<nlohmann::ordered_json>(line);
  if (!read.is_object() || !read.contains("key") || !read["key"].is_string()) {
    throw json_error("is no row of a sweep");
  }
  sweep_row row;
  row.key = read["key"].get<std::string>();
  for (const auto& [name, value] : read.items()) {
    if (const auto index = metric_named(name)) row.values[*index] = number_from(value);
  }
  return row;
}

}  // namespace sim
