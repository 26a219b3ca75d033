// SPDX-License-Identifier: Apache-2.0
// sim/train/memory_peak.h: the memory of a run at its peak, predicted from its study.
// Counted are the arrays that grow with the policy, the batch and the vocabulary, stage by stage,
// as the code allocates them; sequences count with their longest length.
#pragma once
#include <string>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/study/study.h"

namespace sim {

struct memory_part {
  std::string what;
  double bytes = 0;
};

/// What is in memory at once.
///   stage  warm-up, frozen weights, training
struct memory_peak {
  std::string stage;
  std::vector<memory_part> parts;

  [[nodiscard]] double bytes() const noexcept;
};

/// The stages of a run on so many threads.
[[nodiscard]] std::vector<memory_peak> memory_peaks(const study& s, int threads);
/// The highest of them.
[[nodiscard]] memory_peak highest_peak(const study& s, int threads);

/// The peak of one arm's training step by itself.
[[nodiscard]] memory_peak step_peak(const study& s, const arm& a, int threads);

}  // namespace sim
