// SPDX-License-Identifier: Apache-2.0
// sim/sweep/short_training.h: a short training under the arithmetic of a point, and what the
// trained policy is worth under FP32.
#pragma once
#include "sim/sweep/frozen_policy.h"

namespace sim {

/// The end of a training.
///   accuracy  on the study's final problems, sampled, under FP32; 0 where the training diverged
///   entropy   of the last step's rollouts, a token; NaN where the first step diverged
struct training_end {
  double accuracy = 0, entropy = 0;
  bool diverged = false;
};

class short_training {
 public:
  ///   start  weights that every training starts from
  short_training(const study& s, shared_weights start) : setting_(s), start_(std::move(start)) {}

  /// As `mxprism train` does it, with the same random numbers for every arm.
  ///   steps  at most those of the study, whose schedules stay as they are
  /// Any number of threads may call it at once.
  [[nodiscard]] training_end under(const arm& a, int steps) const;

  /// Accuracy of the policy before the training.
  [[nodiscard]] double accuracy_at_start() const;

 private:
  [[nodiscard]] double accuracy_of(const std::vector<float>& weights) const;

  setting setting_;
  shared_weights start_;
};

}  // namespace sim
