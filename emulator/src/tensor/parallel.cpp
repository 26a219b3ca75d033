// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/parallel.cpp: see mx/tensor/parallel.h.
#include "mx/tensor/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "mx/tensor/ieee_arithmetic.h"

namespace mx {

void in_parallel(index_range all, std::uint64_t grain, const std::function<void(index_range)>& work,
                 division where) {
  if (all.last <= all.first) return;
  using range = tbb::blocked_range<std::uint64_t>;
  const auto under_ieee = [&](const range& part) {
    const ieee_arithmetic arithmetic;
    work({part.begin(), part.end()});
  };
  if (where == division::to_the_grain) {
    tbb::parallel_for(range(all.first, all.last, grain), under_ieee, tbb::simple_partitioner());
  } else {
    tbb::parallel_for(range(all.first, all.last, grain), under_ieee);
  }
}

}  // namespace mx
