// SPDX-License-Identifier: Apache-2.0
// sim/train/metric_files.cpp: see metric_files.h.
#include "sim/train/metric_files.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/train/checkpoint.h"

namespace sim {
namespace {

std::string csv_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string csv_line(const metric_row& row, std::uint64_t seed) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", row.phase, row.arm, seed,
                     row.step ? std::to_string(*row.step) : "",
                     row.outliers ? std::to_string(*row.outliers) : "", row.passes, row.layer,
                     row.metric, csv_number(row.value),
                     row.standard_error ? csv_number(*row.standard_error) : "");
}

}  // namespace

std::string metrics_csv(const std::vector<metric_row>& rows, std::uint64_t seed) {
  std::string text = "phase,arm,seed,step,outliers,passes,layer,metric,value,standard_error\n";
  for (const metric_row& row : rows) text += csv_line(row, seed);
  return text;
}

std::string metrics_jsonl(const std::vector<metric_row>& rows, std::uint64_t seed) {
  std::string text;
  for (const metric_row& row : rows) text += row_as_json(row, seed) + "\n";
  return text;
}

}  // namespace sim
