// SPDX-License-Identifier: Apache-2.0
// sim/train/grpo.h: advantages and token weights of GRPO, clipped from both sides (clip-higher and
// dual clip), and truncated importance sampling.
// Source: arXiv 2402.03300 (GRPO), 2503.20783 (Dr. GRPO), 2402.14740 (RLOO), 2503.14476
// (clip-higher); dual clip as in verl.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/study/study.h"

namespace sim {

/// (r - mean) / (std + epsilon) in each group of `samples`; std over n - 1.
[[nodiscard]] std::vector<float> advantages(std::span<const float> rewards, int samples,
                                            float epsilon);

/// Those of the study's estimator, of whole groups.
[[nodiscard]] std::vector<float> advantages(std::span<const float> rewards,
                                            const grpo_constants& constants);

/// The limit at which the objective of a token is constant.
///   low    A < 0 and ratio < 1 - ratio_low
///   high   A > 0 and ratio > 1 + ratio_high
///   dual   A < 0 and ratio > dual_clip
enum class ratio_clip : std::uint8_t { none, low, high, dual };
[[nodiscard]] ratio_clip clip_of(float ratio, float advantage, const grpo_constants& constants);

/// A token's objective:
///   min(ratio A, clip(ratio, 1 - low, 1 + high) A), and for A < 0 max(that, dual A).
[[nodiscard]] double clipped_objective(float ratio, float advantage,
                                       const grpo_constants& constants);

/// Its derivative with respect to log p: ratio * A inside the limits, 0 outside. A at ratio 1.
[[nodiscard]] float clipped_slope(float ratio, float advantage, const grpo_constants& constants);

/// p / p_old of a token; the logarithm is limited to +-20, as in verl, so that it is finite.
[[nodiscard]] float policy_ratio(float log_probability, float old_log_probability);

/// p_train / p_rollout of a token.
[[nodiscard]] float importance_ratio(float log_probability_train, float log_probability_rollout);

/// min(p_train / p_rollout, cap) of a token.
[[nodiscard]] float importance_weight(float log_probability_train, float log_probability_rollout,
                                      float cap);

/// p_train / p_rollout of a whole sequence; 0 above the cap.
///   log_ratio  sum over its tokens
[[nodiscard]] float masked_sequence_weight(double log_ratio, float cap);

}  // namespace sim
