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

/// Elements at a time: with their codes and values they fit the second-level cache.
constexpr std::int64_t elements_at_once = 4096;

/// Codes of at most 8 bits to divisor times their values.
std::vector<float> values_of_codes(const format& element) {
  std::vector<float> values(256);
  for (std::uint32_t code = 0; code < 1U << element.width(); ++code) {
    const unpacked value = decode(element, code);
    if (value.is_special()) continue;  // no quantizer returns it
    const double magnitude = exact_binary64(multiplied(value, divisor_of(element)));
    values[code] = static_cast<float>(value.negative ? -magnitude : magnitude);
  }
  return values;
}

}  // namespace

bool coded_energy_sums::serves(const quantization& q) {
  const block_format& f = q.format;
  return f.precision == scale_precision::stored && f.scale.has_nan() &&
         f.element.fraction_bits >= 1 && f.element.signedness == signedness::with_sign;
}

coded_energy_sums::coded_energy_sums(const quantization& q, std::int64_t stride)
    : q_(q),
      stride_(stride),
      most_(static_cast<int>(std::max<std::int64_t>(1, elements_at_once / stride))),
      value_of_code_(values_of_codes(q.format.element)) {
  const auto blocks = static_cast<std::size_t>(most_);
  const std::size_t elements = blocks * static_cast<std::size_t>(stride);
  values_.resize(elements), codes_.resize(elements);
  tensor_scales_.assign(blocks, 1.0F), scale_codes_.resize(blocks);
  scales_.resize(blocks), amax_.resize(blocks);
}

double coded_energy_sums::scale_of(std::uint32_t code, float tensor_scale) const {
  const block_format& f = q_.format;
  if (is_special_scale(f, code, unpack(tensor_scale))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return exact_binary64(ratio_of(f, code, unpack(tensor_scale)).numerator);
}

int coded_energy_sums::quantize(const energy_batch& batch, std::int64_t first, int count) {
  if (batch.tensor_scales != nullptr) {
    std::copy_n(batch.tensor_scales + first, count, tensor_scales_.data());
  }
  const block_batch blocks{batch.x + first * stride_,
                           static_cast<std::uint64_t>(stride_),
                           batch.first + static_cast<std::uint64_t>(first),
                           count,
                           tensor_scales_.data(),
                           codes_.data(),
                           scale_codes_.data(),
                           storing::cached};
  const int special = quantize_batch(q_, blocks);
  for (std::int64_t i = 0; i < count * stride_; ++i) {
    values_[static_cast<std::size_t>(i)] = value_of_code_[codes_[static_cast<std::size_t>(i)]];
  }
  return special;
}

void coded_energy_sums::add(const energy_batch& batch, energy_share& share) {
  for (std::int64_t first = 0; first < batch.blocks; first += most_) {
    const int count = static_cast<int>(std::min<std::int64_t>(most_, batch.blocks - first));
    add_some(batch, first, count, share);
  }
}

void coded_energy_sums::add_some(const energy_batch& batch, std::int64_t first, int count,
                                 energy_share& share) {
  const int special = quantize(batch, first, count);
  std::int64_t elements = 0;
  for (int b = 0; b < count; ++b) {
    const auto at = static_cast<std::size_t>(b);
    scales_[at] = scale_of(scale_codes_[at], tensor_scales_[at]);
    const bool added = special == 0 || scale_codes_[at] != q_.format.scale.nan_code();
    if (added) elements += batch.elements_of(first + b, q_.format);
  }
  const coded_energy blocks{batch.x + first * stride_,
                            values_.data(),
                            scales_.data(),
                            stride_,
                            count,
                            static_cast<double>(divisor_of(q_.format.element)),
                            value_of_code_[q_.format.element.max_code()],
                            ideal_grid(q_.format.element)};
  if (!HWY_DYNAMIC_DISPATCH(add_coded_energy)(blocks, amax_.data(), share)) {
    for (int b = 0; b < count; ++b) batch.add_clearly(q_, first + b, share);
    return;
  }
  share.counts.blocks += count, share.counts.special_blocks += special;
  share.counts.elements += elements;
}

}  // namespace mx
#endif  // HWY_ONCE
