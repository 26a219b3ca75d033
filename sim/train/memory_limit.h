// SPDX-License-Identifier: Apache-2.0
// sim/train/memory_limit.h: whether the machine has the memory that a run needs at its peak.
#pragma once
#include <string>

#include "sim/train/memory_peak.h"

namespace sim {

/// The process at its peak.
struct memory_need {
  memory_peak peak;
  double program = 0;  ///< of the process before the run

  [[nodiscard]] double bytes() const noexcept { return peak.bytes() + program; }
};

[[nodiscard]] memory_need memory_need_of(const study& s, int threads);

/// "10.6 GB at the peak, in training: weights and moments 5.9, gradient 2.0, ...".
[[nodiscard]] std::string words_of(const memory_need& need);

/// Compares it with run.memory of the study, or with what the machine and the process' control
/// groups have left.
///   threads  of the run
///   errors   run_error that names both and what needs less
void expect_memory(const study& s, int threads, const memory_need& need);

}  // namespace sim
