// SPDX-License-Identifier: Apache-2.0
// mx/tensor/parallel.h: loops on TBB's threads, every part under IEEE 754's default arithmetic.
// A thread of the pool has the settings of the program's thread that first used the pool, which may
// flush subnormals (mx/tensor/ieee_arithmetic.h). So the emulator and golden have no other parallel
// loop.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>

namespace mx {

/// Indices from first to below last.
struct index_range {
  std::uint64_t first = 0, last = 0;

  [[nodiscard]] constexpr std::uint64_t size() const noexcept { return last - first; }
};

/// Where a range is divided: into as many parts as keep the threads busy, or always in halves until
/// no part is longer than the grain.
enum class division : std::uint8_t { as_needed, to_the_grain };

/// Calls work(part) for parts of a range, together the whole of it; returns when all have ended.
///   grain   a range of at most this length is not divided; at least 1
///   errors  the exception of a part; parts that have not begun are then left out
void in_parallel(index_range all, std::uint64_t grain, const std::function<void(index_range)>& work,
                 division where = division::as_needed);

/// Calls work(i) for i from 0 to below count.
template <class Index, class Work>
void for_each_in_parallel(Index count, const Work& work) {
  in_parallel({0, static_cast<std::uint64_t>(count)}, 1, [&](index_range part) {
    for (std::uint64_t i = part.first; i < part.last; ++i) work(static_cast<Index>(i));
  });
}

/// The join of work(part) over parts of a range.
///   none  what joining leaves as it is: the result of an empty range
///   join  associative and commutative: parts end in any order
template <class T, class Work, class Join>
[[nodiscard]] T joined_in_parallel(index_range all, std::uint64_t grain, const T& none,
                                   const Work& work, const Join& join) {
  T sum = none;
  std::mutex joining;
  in_parallel(
      all, grain,
      [&](index_range part) {
        const T found = work(part);
        const std::scoped_lock lock(joining);
        sum = join(sum, found);
      },
      division::to_the_grain);
  return sum;
}

}  // namespace mx
