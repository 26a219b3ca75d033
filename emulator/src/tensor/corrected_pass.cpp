// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/corrected_pass.cpp: passes over lines with corrections, for every instruction
// set. Checked by tests/unit/tensor/corrected_test.cpp.
#include "tensor/corrected_pass.h"

#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/corrected_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/corrected_pass-inl.h"

#if HWY_ONCE

#include "tensor/block_batch.h"

namespace mx {

HWY_EXPORT(quantize_line_pass);

namespace {

/// Whether the kernel quantizes a pass: scales that follow from amax, whole vectors of elements
/// with a sign bit and a negative zero, quotients of so many bits (simd/block_elements-inl.h).
bool has_kernel(const line_pass& p) {
  const quantization& q = p.q;
  const format& element = q.format.element;
  const bool elements = element.sign_form == sign_form::sign_magnitude &&
                        element.signedness == signedness::with_sign &&
                        element.has_negative_zero() && element.emin() >= -100 &&
                        element.emax() <= 100 &&
                        q.format.columns % static_cast<int>(batch_alignment) == 0;
  const bool scales = follows_from_amax(q.rule) && q.format.precision == scale_precision::stored &&
                      is_tensor_scale(p.place.scale);
  const bool few_bits = q.rounding != rounding::stochastic || q.random.bits <= 8;
  return elements && scales && few_bits && block_way_of(q) != block_way::core;
}

}  // namespace

void quantize_corrected_pass(const line_pass& p) {
  if (has_kernel(p) && HWY_DYNAMIC_DISPATCH(quantize_line_pass)(p)) return;
  quantize_pass(p.q, p.c, p.x, p.place, p.out, p.values);
}

}  // namespace mx
#endif  // HWY_ONCE
