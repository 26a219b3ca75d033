// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/line_tasks.h: lines of a tensor distributed to threads.
#pragma once
#include <cstdint>

#include "mx/tensor/parallel.h"

namespace mx {

/// Calls work(first, last) for shares of `count` lines of `length` entries each; short lines share
/// a task.
template <class Work>
void for_each_share_of_lines(std::uint64_t count, std::uint64_t length, const Work& work) {
  if (length == 0) return;  // lines without entries may be too many to iterate over
  const std::uint64_t grain = 1 + 65536 / (length + 1);
  in_parallel({0, count}, grain, [&](index_range lines) { work(lines.first, lines.last); });
}

}  // namespace mx
