// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_progress.h: the progress of a running study: a table of arms that is redrawn
// in place on a terminal, and an occasional plain line elsewhere.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/train/run.h"

namespace sim::cli {

class train_progress {
 public:
  /// Writes to stderr.
  train_progress(const study& s, int last_step);
  ~train_progress();
  train_progress(const train_progress&) = delete;
  train_progress& operator=(const train_progress&) = delete;

  void show(const progress& p);

 private:
  using clock = std::chrono::steady_clock;
  struct arm_line {
    int step = 0;
    std::vector<double> rewards;
    std::optional<double> entropy, accuracy;  ///< the last ones that were measured
  };

  void take(const progress& p);
  void print_plain(const progress& p) const;
  void draw();
  void erase() const;
  [[nodiscard]] std::string table() const;
  [[nodiscard]] std::string stage_line() const;
  [[nodiscard]] double seconds() const;

  std::vector<std::string> names_;
  int last_step_;
  bool terminal_;
  clock::time_point begin_ = clock::now(), drawn_{};
  int lines_ = 0;
  progress stage_{progress::kind::warm_up, "", 0, 1};
  std::map<std::string, arm_line> arms_;
};

}  // namespace sim::cli
