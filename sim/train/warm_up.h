// SPDX-License-Identifier: Apache-2.0
// sim/train/warm_up.h: the supervised warm-up in FP32 on noisy demonstrations, and the schedule
// that decides its learning rate and its end.
#pragma once
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// The schedule of one warm-up. Under rate_schedule::until_accuracy it depends on the accuracies
/// measured so far, which take() reports in the order of the steps.
class warm_up_schedule {
 public:
  explicit warm_up_schedule(const warm_up_constants& constants);

  /// Whether the accuracy on the gate's problems decides how the steps after this many go on.
  [[nodiscard]] bool measures_after(int steps) const;
  void take(int steps, double accuracy);

  /// Learning rate of a step, counted from 0: a linear ramp, constant, then linear down to
  /// `final_fraction` at the last step.
  [[nodiscard]] float rate(int step) const;
  [[nodiscard]] bool is_over(int steps) const { return steps >= decay_begin_ + decay_steps_; }
  /// Whether the target was reached in time. A fixed schedule has none.
  [[nodiscard]] bool reached() const { return reached_; }
  [[nodiscard]] bool has_target() const {
    return constants_.schedule == rate_schedule::until_accuracy;
  }

 private:
  warm_up_constants constants_;
  int decay_begin_, decay_steps_;
  bool reached_ = false;
};

/// Demonstrations of one warm-up step, noise included.
[[nodiscard]] std::vector<sequence> demonstrations(const setting& s, int step);

/// One supervised step on demonstrations; the loss is the mean over response tokens. The accuracy
/// on the gate's problems is measured where the schedule asks for it, and after the last step.
std::vector<figure> warm_up_step(const setting& s, gradient_computer& gradient,
                                 training_state& state, warm_up_schedule& schedule);

/// A whole warm-up from the initial weights.
[[nodiscard]] training_state warmed_up_policy(const setting& s);

}  // namespace sim
