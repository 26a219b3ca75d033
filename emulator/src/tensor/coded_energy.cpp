// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/coded_energy.cpp: energies from codes. Equals mx::energy_share, checked by
// tests/unit/tensor/energy_test.cpp.
#include "tensor/coded_energy.h"

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/coded_energy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/coded_energy-inl.h"

#if HWY_ONCE

#include <algorithm>
#include <limits>

#include "tensor/block_batch.h"

namespace mx {

HWY_EXPORT(add_coded_energy);

namespace {

double scale_of_block(const block_format& f, std::uint32_t code, float tensor_scale) {
  const unpacked tensor = unpack(tensor_scale);
  if (is_special_scale(f, code, tensor)) return std::numeric_limits<double>::quiet_NaN();
  return exact_binary64(ratio_of(f, code, tensor).numerator);
}

}  // namespace

bool coded_energy_sums::serves(const quantization& q) {
  const block_format& f = q.format;
  return f.precision == scale_precision::stored && f.scale.has_nan() &&
         f.element.fraction_bits >= 1 && f.element.signedness == signedness::with_sign;
}

coded_energy_sums::coded_energy_sums(const quantization& q, const energy_batch& batch)
    : q_(q), batch_(batch) {
  const auto blocks = static_cast<std::size_t>(batch.blocks);
  codes_.resize(blocks * static_cast<std::size_t>(batch.stride));
  tensor_scales_.assign(blocks, 1.0F), scale_codes_.resize(blocks), scales_.resize(blocks);
  if (batch.tensor_scales != nullptr) {
    std::copy_n(batch.tensor_scales, blocks, tensor_scales_.data());
  }
  quantize();
  find_scales();
}

void coded_energy_sums::quantize() {
  quantize_batch(q_, {batch_.x, static_cast<std::uint64_t>(batch_.stride), batch_.first,
                      static_cast<int>(batch_.blocks), tensor_scales_.data(), codes_.data(),
                      scale_codes_.data(), storing::cached});
}

void coded_energy_sums::find_scales() {
  for (std::size_t b = 0; b < scales_.size(); ++b) {
    scales_[b] = scale_of(scale_codes_[b], tensor_scales_[b]);
  }
}

double coded_energy_sums::scale_of(std::uint32_t code, float tensor_scale) {
  if (q_.format.scale.width() > 8) return scale_of_block(q_.format, code, tensor_scale);
  if (scale_of_code_.empty() || bits_of(tensor_scale) != bits_of(tensor_scale_)) {
    scale_of_code_.assign(256, -1);
    tensor_scale_ = tensor_scale;
  }
  double& scale = scale_of_code_[code];
  if (scale < 0) scale = scale_of_block(q_.format, code, tensor_scale);
  return scale;
}

void coded_energy_sums::count(const energy_batch& part, std::size_t first,
                              energy_share& share) const {
  share.counts.blocks += part.blocks;
  for (std::int64_t b = 0; b < part.blocks; ++b) {
    const std::uint32_t code = scale_codes_[first + static_cast<std::size_t>(b)];
    const bool special = code == q_.format.scale.nan_code();
    share.counts.special_blocks += special ? 1 : 0;
    share.counts.elements += special ? 0 : part.elements_of(b, q_.format);
  }
}

void coded_energy_sums::add(const energy_batch& part, energy_share& share) {
  const auto first = static_cast<std::size_t>(part.first - batch_.first);
  const auto blocks = static_cast<std::size_t>(part.blocks);
  const auto stride = static_cast<std::size_t>(part.stride);
  amax_.resize(blocks), sizes_.resize(blocks * stride);
  const format& element = q_.format.element;
  const auto divisor = divisor_of(element);
  const coded_energy sums{part.x,
                          &codes_[first * stride],
                          &scales_[first],
                          part.stride,
                          part.blocks,
                          element,
                          static_cast<double>(divisor),
                          exact_binary64(multiplied(largest_of(element), divisor)),
                          ideal_grid(element),
                          amax_.data(),
                          sizes_.data()};
  if (HWY_DYNAMIC_DISPATCH(add_coded_energy)(sums, share)) return count(part, first, share);
  part.add_clearly(q_, share);
}

}  // namespace mx
#endif  // HWY_ONCE
