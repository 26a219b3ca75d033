// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/blocks-inl.h: blocks of any element format on vectors: selects the kernel of a
// quantization; included once for each target. Equals mx::quantize_block.
#if defined(MX_SIMD_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCKS_INL_H
#undef MX_SIMD_BLOCKS_INL_H
#else
#define MX_SIMD_BLOCKS_INL_H
#endif

#include "simd/block_quantizer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

template <block_kernel::result Result, class Scale>
int batch_with(const quantization& q, const block_batch& batch) {
  using block_kernel::block_quantizer;
  using block_kernel::sign_style;
  switch (rounding_kernel::style_of(q.format.element)) {
    case sign_style::own:
      return block_quantizer<Result, sign_style::own, Scale>(q).all(batch);
    case sign_style::none_zero:
      return block_quantizer<Result, sign_style::none_zero, Scale>(q).all(batch);
    case sign_style::negated:
      return block_quantizer<Result, sign_style::negated, Scale>(q).all(batch);
  }
  return -1;
}

template <block_kernel::result Result>
int batch_as(const quantization& q, const block_batch& batch) {
  switch (block_way_of(q)) {
    case block_way::shift:
      return batch_with<Result, block_kernel::shifted>(q, batch);
    case block_way::reciprocal:
#if HWY_TARGET != HWY_SCALAR
      return batch_with<Result, block_kernel::reciprocal>(q, batch);
#endif
    case block_way::core:
      break;
  }
  return -1;
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
