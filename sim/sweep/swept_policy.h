// SPDX-License-Identifier: Apache-2.0
// sim/sweep/swept_policy.h: a policy as an input of a sweep: read from its study, warmed up once,
// and measured at every point.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/assess/text_file.h"
#include "sim/sweep/frozen_policy.h"
#include "sim/sweep/short_training.h"
#include "sim/sweep/sweep_point.h"
#include "sim/sweep/sweep_row.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

class swept_policy {
 public:
  /// Reads the study with its problems and its checkpoint, and the texts.
  ///   of        an input with a policy
  ///   measures  measures_on it
  ///   kept      folder in which a warmed-up policy is kept for later processes
  ///   errors    those of read_study, load_problems, load_policy, read_texts
  swept_policy(const sweep_input& of, std::vector<sweep_measure> measures,
               std::filesystem::path kept);

  /// Of all that the values of a row depend on, the point aside.
  [[nodiscard]] const std::string& hash() const noexcept { return hash_; }

  /// Why the policy cannot take a point, with the name of the input; empty if it can.
  [[nodiscard]] std::string refusal_of(const sweep_point& p) const;

  /// Computes what all points share: the warm-up, batches and distributions, the training in FP32.
  ///   share  of texts, batches and steps that points are then measured on
  ///   errors input_error where the warm-up diverges
  void prepare(double share);

  /// Measures a point; requires prepare. Any number of threads may call it at once.
  void measure(const sweep_point& p, double share, sweep_row& row) const;

  /// Whether the memory that is left takes so many points like this one at once.
  [[nodiscard]] bool has_room_for(const sweep_point& p, int points) const;

 private:
  [[nodiscard]] bool measures(sweep_measure m) const;
  [[nodiscard]] std::string hash_of(sweep_measure m) const;
  [[nodiscard]] study study_of_texts() const;
  [[nodiscard]] study study_of_training() const;
  void prepare_frozen();
  void prepare_training(double share);
  void set_frozen(const arm& a, double share, sweep_row& row) const;
  void set_training(const arm& a, double share, sweep_row& row) const;

  sweep_input of_;
  std::vector<sweep_measure> measures_;
  std::filesystem::path kept_;
  study study_;
  std::optional<text_list> texts_;
  std::string hash_;
  shared_weights weights_;
  std::unique_ptr<const frozen_policy> frozen_;
  std::unique_ptr<const short_training> training_;
  double accuracy_at_start_ = 0;
  std::map<int, double> accuracy_of_fp32_;  ///< after so many steps in FP32
};

}  // namespace sim
