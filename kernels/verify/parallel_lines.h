// SPDX-License-Identifier: Apache-2.0
// kernels/verify/parallel_lines.h: processes lines of a matrix on all processors, using only the
// standard library.
#pragma once
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace mx::kernels {

/// Calls work(0) to work(count - 1), in any order and from several threads.
///   work  must not throw; what one call writes, no other reads or writes
template <class Work>
void for_each_line(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t line = next++; line < count; line = next++) work(line);
  };
  const std::size_t processors = std::thread::hardware_concurrency();
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < processors && i < count; ++i) others.emplace_back(take);
  take();
}

}  // namespace mx::kernels
