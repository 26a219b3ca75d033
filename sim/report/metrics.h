// SPDX-License-Identifier: Apache-2.0
// sim/report/metrics.h: reads the rows of metrics.jsonl and looks them up.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/input_error.h"
#include "sim/study/statistics.h"

namespace sim {

/// A run folder that cannot be reported. The message names the file and, if known, the line and the
/// field.
struct report_error : input_error {
  using input_error::input_error;
};

/// One figure of a run.
struct metric_row {
  std::string phase, arm;
  std::optional<long long> step, outliers;
  std::string passes, layer, metric;
  double value = 0;
  std::optional<double> standard_error;
};

/// Lookup key of a row at frozen weights, in addition to arm and metric.
struct frozen_place {
  long long outliers = 1;
  std::string_view passes = "";
  std::string_view layer = "";
  std::string_view phase = "frozen";  ///< or of another policy: "frozen-massive"
};

/// A figure along training or warm-up.
struct curve {
  std::vector<double> steps, values;
};

/// Two curves at the steps that both have.
struct paired_curves {
  curve first, second;
};
[[nodiscard]] paired_curves at_common_steps(const curve& first, const curve& second);

class metrics {
 public:
  explicit metrics(std::vector<metric_row> rows);

  [[nodiscard]] const std::vector<metric_row>& rows() const { return rows_; }
  /// Rows of one arm's figure, in the file's order.
  [[nodiscard]] std::vector<const metric_row*> rows_of(std::string_view phase, std::string_view arm,
                                                       std::string_view metric) const;
  /// Arms with rows of that phase, in the order in which they first appear.
  [[nodiscard]] std::vector<std::string> arms(std::string_view phase) const;
  /// Layers that a frozen metric has rows for, in the order in which they first appear.
  [[nodiscard]] std::vector<std::string> layers(std::string_view metric) const;
  /// Outlier factors of the frozen rows, ascending.
  [[nodiscard]] std::vector<long long> outliers() const;

  /// A figure at frozen weights; no value if it was not measured. Empty fields of the place
  /// match any row.
  [[nodiscard]] std::optional<estimate> frozen(std::string_view arm, std::string_view metric,
                                               const frozen_place& place = {}) const;
  /// By ascending step; empty if it was not measured.
  [[nodiscard]] curve along(std::string_view phase, std::string_view arm,
                            std::string_view metric) const;
  /// Factorial terms of a figure; no value if one is missing.
  [[nodiscard]] std::optional<factorial<estimate>> terms(std::string_view figure,
                                                         std::string_view meaning,
                                                         long long outliers) const;

 private:
  std::vector<metric_row> rows_;
  /// Rows by "phase|arm|metric".
  std::map<std::string, std::vector<std::size_t>, std::less<>> index_;
};

/// Reads metrics.jsonl.
///   errors  report_error
[[nodiscard]] metrics read_metrics(const std::filesystem::path& file);

}  // namespace sim
