// SPDX-License-Identifier: Apache-2.0
// kernels/src/unrolled.h: fully unrolled loops, so that arrays indexed by them stay in
// registers.
#pragma once
#include <utility>

#include "mx/number/config.h"

namespace mx::kernels {

/// work(0), work(1), ... work(Count - 1)
template <int Count, class Work>
MX_HD constexpr void unrolled(const Work& work) {
  [&work]<int... I>(std::integer_sequence<int, I...>) { (work(I), ...); }
  (std::make_integer_sequence<int, Count>());
}

}  // namespace mx::kernels
