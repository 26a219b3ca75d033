// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/preset_codes-inl.h: elements to codes as public kernels compute them, under
// scales that are chosen; included once for each target. Equals mx::variant_code and
// mx::element_code of NVFP4 presets.
#if defined(MX_SIMD_PRESET_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_PRESET_CODES_INL_H
#undef MX_SIMD_PRESET_CODES_INL_H
#else
#define MX_SIMD_PRESET_CODES_INL_H
#endif

#include <algorithm>

#include "presets/preset_batch.h"
#include "simd/part_coder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_BYTE_CODES

/// Whole groups of blocks; returns their number.
template <sign_style Style, int Stride, class Coder>
int coded_blocks_of(const preset_batch& batch, const block_part& part) {
  using coder = part_coder<Style, Stride, Coder>;
  const int whole = batch.count / coder::blocks_at_once * coder::blocks_at_once;
  const block_batch blocks{batch.x, batch.stride, 0,       whole,
                           nullptr, batch.codes,  nullptr, storing::streamed};
  if (!coder::takes(blocks)) return 0;
  coder(Coder(batch.element), blocks).all(blocks, part, [](int, const float*, std::uint8_t*) {});
  return whole;
}

template <sign_style Style, class Coder>
int coded_blocks(const preset_batch& batch, const block_part& part) {
  if (batch.stride == 16) return coded_blocks_of<Style, 16, Coder>(batch, part);
  if (batch.stride == 32) return coded_blocks_of<Style, 32, Coder>(batch, part);
  return coded_blocks_of<Style, 0, Coder>(batch, part);
}

#endif

}  // namespace block_kernel

int preset_codes_on_vectors([[maybe_unused]] const preset_batch& batch) {
#if MX_SIMD_BYTE_CODES
  using namespace block_kernel;  // NOLINT(google-build-using-namespace)
  block_part part;
  if (batch.how == preset_elements::products) {
    std::copy_n(batch.numbers, batch.count, part.inverses);
    return coded_blocks<sign_style::own, product_codes>(batch, part);
  }
#if MX_SIMD_INTERVAL_CODES
  std::copy_n(batch.numbers, batch.count, part.factors);
  for (int b = 0; b < batch.count; ++b) part.inverses[b] = 1 / part.factors[b];
  return coded_blocks<sign_style::none_zero, searched_codes>(batch, part);
#endif
#endif
  return 0;
}

void largest_magnitudes_on_vectors(const float* x, std::uint64_t stride, int count,
                                   std::int32_t* out) {
  block_kernel::largest_of_blocks(x, stride, count, out);
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
