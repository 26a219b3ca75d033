// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_table.h: the results of a sweep as CSV and as JSON lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/sweep_run.h"

namespace sim {

/// A sweep whose rows are all there.
struct sweep_results {
  const loaded_sweep& of;
  const std::vector<measured_work>& work;
  const sweep_rows& rows;

  [[nodiscard]] const sweep_row& row_of(const measured_work& w) const { return rows.at(w.key); }
};

/// The column of a field: a metric may have the field's name.
[[nodiscard]] std::string column_of(std::string_view field);
/// Names of the fields that some point of the sweep has, in the order of axis_names().
[[nodiscard]] std::vector<std::string_view> fields_of(const sweep_results& r);
/// Indices in sweep_metrics of what was measured somewhere.
[[nodiscard]] std::vector<std::size_t> metrics_of(const sweep_results& r);
/// What the row of a point on an input lacks, and why, and how many numbers overflow; empty if
/// nothing.
[[nodiscard]] std::string remark_on(const sweep_results& r, const measured_work& w);
/// "counted", "interpolated"; empty without gates.
[[nodiscard]] std::string_view source_of_gates(const sweep_point& p);

/// One line a point and input: key, point, input, role, bits, gates, depth, gates_source, the
/// fields, the metrics, remark. An empty cell: not measured.
[[nodiscard]] std::string csv_of(const sweep_results& r);
/// The same, with the names of columns as keys, and without those that are empty.
[[nodiscard]] std::string jsonl_of(const sweep_results& r);

}  // namespace sim
