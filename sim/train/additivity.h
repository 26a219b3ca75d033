// SPDX-License-Identifier: Apache-2.0
// sim/train/additivity.h: whether effects of scale, deadzone and grid on a training step add up.
// D_x is the change of a quantity when the arithmetic changes from FP32 to that of arm x;
// additivity is |D_SDG - (D_S + D_D + D_G)| / |D_SDG|, Euclidean norms: 0 where parts do not
// interact, 1 where their sum is 0.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/trainer.h"

namespace sim {

/// Squared norms of changes of one quantity, in binary64, element by element in index order.
class change_sums {
 public:
  /// One element under the reference, scale, deadzone, grid, and all three.
  void take(const std::array<double, 5>& element);

  /// |D_SDG - (D_S + D_D + D_G)| / |D_SDG|; 0 where both are 0.
  [[nodiscard]] double remainder_share() const;
  /// |D_x| over the norm of the reference's quantity; 0 where both are 0.
  ///   x  1 scale, 2 deadzone, 3 grid, 4 all
  [[nodiscard]] double relative_change(std::size_t x) const;

 private:
  double reference_ = 0, remainder_ = 0;
  std::array<double, 5> changes_{};
};

/// Whether the study has the arms that additivity is defined by, as the cells of their names
/// (cell_arm).
[[nodiscard]] bool has_additivity(const study& s);

/// The arms of those names, under either meaning; empty where the study lacks one.
[[nodiscard]] std::vector<const arm*> compared_arms(const study& s);

/// Whether the study replays the step with that number, from 1, of this arm's training.
[[nodiscard]] bool is_replayed(const study& s, const arm& a, int step);

/// A step of the reference computed again under every arm: at the same weights and moments, on the
/// same rollouts, up to the first update where the step has several, without a KL term or weight
/// decay. Rows of phase "additivity":
///   additivity.injection.logits  of the arm of all parts; of logits at response tokens, gradient,
///                                sgd and adam: the weight change of either, after the norm is
///                                clipped; SGD's but for the rate, which every norm has
///   change.logits                of every arm but the reference: its relative change
///   before   the state before the step; step  what it returned
///   returns  nothing where the study lacks the arms
///   errors   divergence, under some arm
[[nodiscard]] std::vector<metric_row> replayed_rows(const setting& s, const training_state& before,
                                                    const rollout_step& step);

/// Weights of an arm after its own training.
struct trained_weights {
  std::string arm;
  std::span<const float> weights;
};

/// The same of the arms' own trainings, whose rollouts differ too: additivity.injection.weights and
/// change.weights, over the reference's way from the initial weights.
///   returns  nothing where an arm is missing
[[nodiscard]] std::vector<metric_row> trained_rows(const std::vector<float>& initial,
                                                   const std::vector<trained_weights>& arms,
                                                   int step);

/// The same study with random numbers of its own, for rollouts that are independent of the study's
/// and of those of every other seed.
[[nodiscard]] study with_other_rollouts(study s);

/// The floor of trained_rows, a row of the reference: change.weights of its training on other
/// rollouts.
[[nodiscard]] metric_row floor_row(const std::vector<float>& initial,
                                   const std::vector<float>& reference,
                                   const std::vector<float>& on_other_rollouts, int step);

}  // namespace sim
