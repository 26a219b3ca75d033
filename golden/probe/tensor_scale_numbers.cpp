// SPDX-License-Identifier: Apache-2.0
// golden/probe/tensor_scale_numbers.cpp: each order in FP32, operation by operation.
#include "golden/probe/tensor_scale_numbers.h"

#include "golden/validator/tensor/numbers.h"
#include "mx/number/fp32.h"

namespace golden::probe {

namespace fp32 = mx::fp32;

tensor_scale_numbers numbers_for(const mx::block_format& f, float amax) {
  const float bound = f.bound == mx::tensor_bound::of_256 ? 256.0F : 448.0F;
  const float reach = 6.0F * bound;  // exact
  return {.divided = fp32::divide(amax, reach),
          .multiplied = fp32::multiply(amax, fp32::divide(1.0F, reach)),
          .in_two = fp32::divide(fp32::divide(amax, bound), 6.0F),
          .inverted = fp32::divide(1.0F, fp32::divide(reach, amax))};
}

std::vector<tensor_scale_numbers> tensor_scales_of(const mx::block_format& f,
                                                   std::span<const validator::subject> subjects) {
  std::vector<tensor_scale_numbers> list;
  if (f.tensor != mx::tensor_scaling::per_tensor) return list;
  for (const validator::subject& s : subjects) {
    if (s.tensor_scales.size() != 1) continue;
    const std::uint32_t amax = magnitudes_of(s, validator::precision::as_given).finite;
    if (amax == 0) continue;
    tensor_scale_numbers n = numbers_for(f, mx::float_of(amax));
    n.tensor = s.name;
    n.found = s.tensor_scales.front();
    const bool differ =
        n.divided != n.multiplied || n.divided != n.in_two || n.divided != n.inverted;
    if (differ) list.push_back(std::move(n));
  }
  return list;
}

}  // namespace golden::probe
