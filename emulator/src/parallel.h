// SPDX-License-Identifier: Apache-2.0
// emulator/src/parallel.h: work distributed to TBB's threads, under the arithmetic that the bits need.
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "mx/tensor/ieee_arithmetic.h"

namespace mx {

/// Calls work(part) for parts of a range.
///   partitioner  TBB's, at most one
template <class Range, class Work, class... Partitioner>
void in_parallel(const Range& range, const Work& work, const Partitioner&... partitioner) {
  const auto under_ieee = [&](const Range& part) {
    const ieee_arithmetic arithmetic;
    work(part);
  };
  tbb::parallel_for(range, under_ieee, partitioner...);
}

/// Calls work(i) for i from 0 to below count.
template <class Index, class Work>
void for_each_in_parallel(Index count, const Work& work) {
  in_parallel(tbb::blocked_range<Index>(0, count), [&](const tbb::blocked_range<Index>& part) {
    for (Index i = part.begin(); i < part.end(); ++i) work(i);
  });
}

}  // namespace mx
