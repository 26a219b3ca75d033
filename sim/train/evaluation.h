// SPDX-License-Identifier: Apache-2.0
// sim/train/evaluation.h: accuracies of a policy on held-out problems: under the arithmetic that it
// is trained under, and under FP32, so that damage to learning is told from damage to inference.
#pragma once
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/trainer.h"

namespace sim {

/// Answers to a slice of the evaluation's problems.
struct slice_answers {
  int right = 0, all = 0;
};

/// The study's evaluation problems in at most `slices` slices. Answers to one problem, where a task
/// has fewer than the study asks, are in one slice: they are not independent.
///   rollout  products; greedy and sampled answers draw the same random bits
///   noise    as in prepare_forward
[[nodiscard]] std::vector<slice_answers> answers_by_slice(const setting& s,
                                                          const pass_products& rollout,
                                                          const std::vector<float>& weights,
                                                          decoding how, int slices,
                                                          const std::vector<float>& noise = {});

/// Share of correct answers of a policy after so many steps.
[[nodiscard]] double accuracy(const setting& s, const arithmetic& formats,
                              const training_state& state, decoding how);

/// Share of correct answers among the first `problems` of the evaluation's: sampled, under FP32.
[[nodiscard]] double accuracy_in_fp32(const setting& s, const std::vector<float>& weights,
                                      int problems);

/// The same on the gate's problems.
[[nodiscard]] double gate_accuracy(const setting& s, const std::vector<float>& weights);

/// One evaluation of a policy trained under an arm, without noise on weights. A state without
/// weights is that of a diverged arm, of which every answer is wrong. Rows of that arm:
///   accuracy_sampled          under the arm's rollout arithmetic
///   accuracy_sampled_in_fp32  the same weights under FP32
///   accuracy_final_in_fp32    after the last step, on `final_problems`, of which the others are
///                             the first
///   accuracy_greedy           under the arm's, before the first step and after the last
/// The reference adds a row to every trained arm:
///   accuracy_sampled_of_fp32  the reference's weights under that arm's arithmetic
///   returns  nothing at a step between two evaluations
[[nodiscard]] std::vector<metric_row> evaluation_rows(const setting& s, const arm& a,
                                                      const training_state& state);

}  // namespace sim
