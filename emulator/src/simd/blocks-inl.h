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
namespace block_kernel {

enum class way : std::uint8_t { core, shift, reciprocal };

HWY_INLINE way way_of(const quantization& q) {
  const block_format& f = q.format;
  if (f.element.fraction_bits < 1 || q.rounding == rounding::away_from_zero) return way::core;
  if (f.scale == formats::e8m0 && f.tensor == tensor_scaling::none &&
      f.precision == scale_precision::stored) {
    return way::shift;
  }
  const bool many_bits = q.rounding == rounding::stochastic && q.random.bits > 8;
  return HWY_TARGET == HWY_SCALAR || many_bits ? way::core : way::reciprocal;
}

}  // namespace block_kernel

template <class Scale>
int batch_with(const quantization& q, const block_batch& batch) {
  using block_kernel::block_quantizer;
  using block_kernel::sign_style;
  switch (rounding_kernel::style_of(q.format.element)) {
    case sign_style::own:
      return block_quantizer<sign_style::own, Scale>(q).all(batch);
    case sign_style::none_zero:
      return block_quantizer<sign_style::none_zero, Scale>(q).all(batch);
    case sign_style::negated:
      return block_quantizer<sign_style::negated, Scale>(q).all(batch);
  }
  return -1;
}

int batch_on_vectors(const quantization& q, const block_batch& batch) {
  switch (block_kernel::way_of(q)) {
    case block_kernel::way::shift:
      return batch_with<block_kernel::shifted>(q, batch);
    case block_kernel::way::reciprocal:
#if HWY_TARGET != HWY_SCALAR
      return batch_with<block_kernel::reciprocal>(q, batch);
#endif
    case block_kernel::way::core:
      break;
  }
  return -1;
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
