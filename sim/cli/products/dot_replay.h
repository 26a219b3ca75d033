// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_replay.h: all words of a file under a model, on all threads.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/cli/products/dot_file.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {

/// Results, and the number that differ from the file's.
///   first  the first that differs; the number of words where none does
struct dot_replay {
  std::vector<std::uint32_t> results;
  std::uint64_t mismatches = 0, first = 0;
};

/// Computes every word; compares bits where the file has `d`.
[[nodiscard]] dot_replay replayed(const dot_file& words, progress_bar& bar);

}  // namespace sim::cli
