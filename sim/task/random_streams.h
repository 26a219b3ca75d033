// SPDX-License-Identifier: Apache-2.0
// sim/task/random_streams.h: assignment of random streams. The first counter word combines stream
// and step, so that no two uses overlap; the key is the study's seed.
#pragma once
#include <cstdint>

namespace sim {

enum class stream : std::uint32_t {
  initial_weights = 1,
  demonstration_prompts,
  demonstration_noise,
  training_prompts,
  training_samples,
  evaluation_prompts,
  evaluation_samples,
  frozen_prompts,
  frozen_samples,
  rollout_noise,
  training_operands,  ///< of quantization: counter word 3 (D-047)
  evaluation_operands,
  frozen_operands,
  gate_prompts = 32,
  gate_samples,
  problem_partition  ///< counter words: round, operand
};

/// First counter word of a stream at a step; step < 2^24.
[[nodiscard]] constexpr std::uint32_t counter_word(stream s, int step) noexcept {
  return static_cast<std::uint32_t>(s) << 24 | static_cast<std::uint32_t>(step);
}

}  // namespace sim
