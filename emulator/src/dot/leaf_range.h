// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/leaf_range.h: consecutive leaves of a reduction tree, as passed to the code of
// every target.
#pragma once
#include <cstddef>

#include "mx/tensor/bulk.h"

namespace mx {

struct leaf_range {
  const outer_product* leaves;
  int count;
  int first;
  std::ptrdiff_t left_stride, right_stride;
  float* const* levels;
};

}  // namespace mx
