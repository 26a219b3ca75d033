// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/value_vectors.cpp: blocks to values, largest magnitudes and transposition on
// vectors, for every instruction set.
#include "mx/tensor/vector_targets.h"
#include "tensor/core_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/value_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/blocks-inl.h"
#include "simd/fetch-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

int values_on_vectors(const quantization& q, const block_batch& batch) {
  return batch_as<block_kernel::result::values>(q, batch);
}

void bfloat16_on_vectors(const float* x, std::uint64_t count, float* out) {
#pragma GCC ivdep
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(x[i]);
    const std::uint32_t raised = bits + 0x7FFF + (bits >> 16 & 1);
    out[i] = float_of((bits & 0x7FFFFFFF) > 0x7F800000 ? nan_bits : raised & 0xFFFF0000);
  }
}

/// Finite magnitudes; others are zero.
HWY_INLINE Vi finite_magnitudes(const float* x) {
  const I32 d;
  const Vi size = hn::And(load_bits(x), hn::Set(d, magnitude_mask));
  return hn::IfThenElseZero(hn::Lt(size, hn::Set(d, 0x7F800000)), size);
}

std::uint32_t largest_finite_on_vectors(const float* x, std::uint64_t count) {
  constexpr std::uint64_t part = 8 * fetched_line / sizeof(float);
  Vi largest = hn::Zero(I32()), others = largest;  // two, so that one does not wait for the other
  std::uint64_t i = 0;
  for (; i + part <= count; i += part) {
    fetch_lines(x + i, part * sizeof(float), 4096 + fetched_line);
    fetch_page(x + i, part * sizeof(float), 5 * 4096 + fetched_line);
#pragma GCC unroll 16
    for (std::uint64_t k = 0; k < part; k += 2 * lanes) {
      largest = hn::Max(largest, finite_magnitudes(x + i + k));
      others = hn::Max(others, finite_magnitudes(x + i + k + lanes));
    }
  }
  largest = hn::Max(largest, others);
  for (; i + lanes <= count; i += lanes) largest = hn::Max(largest, finite_magnitudes(x + i));
  auto all = static_cast<std::uint32_t>(hn::GetLane(largest_lane(largest)));
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
HWY_EXPORT(bfloat16_on_vectors);
HWY_EXPORT(largest_finite_on_vectors);
HWY_EXPORT(transpose_on_vectors);

void fake_quantize_batch(const quantization& q, const block_batch& batch) {
  if (HWY_DYNAMIC_DISPATCH(values_on_vectors)(q, batch) >= 0) return;
  for (int b = 0; b < batch.count; ++b) values_by_core(q, batch, b);
}

void round_to_bfloat16(const float* x, std::uint64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(bfloat16_on_vectors)(x, count, out);
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
