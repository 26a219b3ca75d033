// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/value_vectors.cpp: blocks to values, largest magnitudes and transposition on
// vectors, for every instruction set.
#include "mx/tensor/vector_targets.h"
#include "tensor/block_batch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/value_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/blocks-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

int values_on_vectors(const quantization& q, const block_batch& batch) {
  return batch_as<block_kernel::result::values>(q, batch);
}

std::uint32_t largest_finite_on_vectors(const float* x, std::uint64_t count) {
  using block_kernel::I32;
  const I32 d;
  const auto infinity = hwy::HWY_NAMESPACE::Set(d, 0x7F800000);
  auto largest = hwy::HWY_NAMESPACE::Zero(d);
  std::uint64_t i = 0;
  for (; i + block_kernel::lanes <= count; i += block_kernel::lanes) {
    const auto size = hwy::HWY_NAMESPACE::And(
        block_kernel::load_bits(x + i), hwy::HWY_NAMESPACE::Set(d, block_kernel::magnitude_mask));
    const auto finite = hwy::HWY_NAMESPACE::Lt(size, infinity);
    largest = hwy::HWY_NAMESPACE::Max(largest, hwy::HWY_NAMESPACE::IfThenElseZero(finite, size));
  }
  auto all = static_cast<std::uint32_t>(
      hwy::HWY_NAMESPACE::GetLane(hwy::HWY_NAMESPACE::MaxOfLanes(d, largest)));
  for (; i < count; ++i) {
    const std::uint32_t size = bits_of(x[i]) & 0x7FFFFFFF;
    if (size < 0x7F800000 && size > all) all = size;
  }
  return all;
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(values_on_vectors);
HWY_EXPORT(largest_finite_on_vectors);
HWY_EXPORT(transpose_on_vectors);

int fake_quantize_batch(const quantization& q, const block_batch& batch) {
  return HWY_DYNAMIC_DISPATCH(values_on_vectors)(q, batch);
}

std::uint32_t largest_finite(const float* x, std::uint64_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_finite_on_vectors)(x, count);
}

void transpose(const float* in, std::ptrdiff_t in_stride, std::ptrdiff_t rows,
               std::ptrdiff_t columns, float* out, std::ptrdiff_t out_stride) {
  HWY_DYNAMIC_DISPATCH(transpose_on_vectors)(in, in_stride, rows, columns, out, out_stride);
}

}  // namespace mx
#endif  // HWY_ONCE
