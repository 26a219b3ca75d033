// SPDX-License-Identifier: Apache-2.0
// sim/train/watched_step.h: a GRPO step that either is done with finite numbers, or not at all.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/divergence.h"
#include "sim/train/trainer.h"

namespace sim {

/// Observes the forward passes of gradients as long as it exists.
class forward_watch {
 public:
  forward_watch(const parameter_table& table, gradient_computer& gradient);
  ~forward_watch() { gradient_.watch({}); }
  forward_watch(const forward_watch&) = delete;
  forward_watch& operator=(const forward_watch&) = delete;

  /// Takes what the other ranks found in their parts of the batches. All ranks call it.
  void exchange(const rank_group& ranks);
  /// The divergence at the earliest place of the policy so far, whatever the micro-batches.
  [[nodiscard]] const std::optional<divergence>& found() const noexcept { return found_; }

 private:
  /// The rows that a micro-batch's forward pass left.
  void look_at(const decoder& d, int layer);
  void note(int place, const std::string& tensor, double value);

  const parameter_table& table_;
  gradient_computer& gradient_;
  int place_ = 0;  ///< of `found_`, in the order of the forward pass
  std::optional<divergence> found_;
};

/// One step of an arm, or the reason why there is none; the state is then as before it.
[[nodiscard]] std::variant<rollout_step, divergence> watched_step(const setting& s, const arm& a,
                                                                  gradient_computer& gradient,
                                                                  training_state& state);

[[nodiscard]] bool has_diverged(const std::vector<metric_row>& rows);
/// The row that marks an arm as diverged at a step.
[[nodiscard]] metric_row diverged_row(const std::string& arm, int step, const divergence& why);

/// For a diverged arm the rows that it lacks from the step of its divergence to the last one:
/// reward 0 at each, and its evaluations, with accuracies 0. No rows for other arms.
///   rows  of the arm, those of earlier runs to a lower last step among them
[[nodiscard]] std::vector<metric_row> rows_after_divergence(const setting& s, const arm& a,
                                                            const std::vector<metric_row>& rows,
                                                            int last_step);

}  // namespace sim
