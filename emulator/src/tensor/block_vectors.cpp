// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/block_vectors.cpp: blocks on vectors, for every instruction set.
#include <vector>

#include "mx/tensor/vector_targets.h"
#include "presets/preset_batch.h"
#include "tensor/core_blocks.h"
#include "tensor/mxfp4_run.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/block_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/blocks-inl.h"
#include "simd/mxfp4-inl.h"
#include "simd/preset_codes-inl.h"
#include "simd/values-inl.h"
#include "simd/widening-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

int batch_on_vectors(const quantization& q, const block_batch& batch) {
  return batch_as<block_kernel::result::codes>(q, batch);
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(mxfp4_blocks);
HWY_EXPORT(batch_on_vectors);
HWY_EXPORT(dequantize_on_vectors);
HWY_EXPORT(widen_on_vectors);
HWY_EXPORT(preset_codes_on_vectors);
HWY_EXPORT(largest_magnitudes_on_vectors);
HWY_EXPORT(pairs_on_vectors);
HWY_EXPORT(stream_on_vectors);
HWY_EXPORT(flush_on_vectors);

namespace {

/// Returns the number of special blocks.
int batch_by_core(const quantization& q, const block_batch& batch) {
  const bool packed = batch.packing == code_packing::packed;
  std::vector<std::uint8_t> bytes(packed ? batch.stride : 0);
  std::vector<float> numbers(batch.narrow.numbers != nullptr ? batch.stride : 0);
  int special = 0;
  for (int b = 0; b < batch.count; ++b) {
    block_batch one = batch.part(b, 1);
    if (one.narrow.numbers != nullptr) {
      widen(one.narrow.type, one.narrow.numbers, batch.stride, numbers.data());
      one.x = numbers.data();
    }
    if (packed) one.codes = bytes.data();
    special += codes_by_core(q, one, 0) ? 1 : 0;
    if (packed) pack_pairs(bytes.data(), batch.stride / 2, batch.codes_how, batch.part(b, 1).codes);
  }
  return special;
}

}  // namespace

std::int64_t quantize_mxfp4(const mxfp4_run& run) {
  return HWY_DYNAMIC_DISPATCH(mxfp4_blocks)(run);
}

int quantize_batch(const quantization& q, const block_batch& batch) {
  int special = HWY_DYNAMIC_DISPATCH(batch_on_vectors)(q, batch);
  if (special >= 0) return special;
  return batch_by_core(q, batch);
}

int preset_codes(const preset_batch& batch) {
  return HWY_DYNAMIC_DISPATCH(preset_codes_on_vectors)(batch);
}

void largest_magnitudes(const float* x, std::uint64_t stride, int count, std::int32_t* out) {
  HWY_DYNAMIC_DISPATCH(largest_magnitudes_on_vectors)(x, stride, count, out);
}

void dequantize_batch(const coded_batch& batch) {
  HWY_DYNAMIC_DISPATCH(dequantize_on_vectors)(batch);
}

void widen(number_type type, const unsigned char* x, std::uint64_t count, float* out) {
  if (count == 0) return;  // an empty tensor may have no memory
  HWY_DYNAMIC_DISPATCH(widen_on_vectors)(type, x, count, out);
}

void pack_pairs(const std::uint8_t* codes, std::uint64_t pairs, storing how, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(pairs_on_vectors)(codes, pairs, how, out);
}

void stream_bytes(const std::uint8_t* bytes, std::uint64_t count, std::uint8_t* out) {
  if (count == 0) return;
  HWY_DYNAMIC_DISPATCH(stream_on_vectors)(bytes, count, out);
}

void finish_streams() { HWY_DYNAMIC_DISPATCH(flush_on_vectors)(); }

}  // namespace mx
#endif  // HWY_ONCE
