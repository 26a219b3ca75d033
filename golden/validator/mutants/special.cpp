// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/special.cpp: wrong treatment of zeros, subnormals, NaN and Inf.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mutant.h"

namespace golden::validator {
namespace {

void lose_negative_zero(coded_rows& t) {
  const mx::format& e = t.rules.format.element;
  if (!e.has_negative_zero()) return;
  for (std::uint8_t& code : t.codes) {
    if (code == e.sign_mask()) code = 0;
  }
}

void flush_subnormal_elements(coded_rows& t) {
  const mx::format& e = t.rules.format.element;
  if (e.sign_form != mx::sign_form::sign_magnitude) return;
  for (std::uint8_t& code : t.codes) {
    const std::uint32_t magnitude = code & e.magnitude_mask();
    if (magnitude >> e.fraction_bits == 0) code = static_cast<std::uint8_t>(code & e.sign_mask());
  }
}

void flush_subnormal_inputs(coded_rows& t) {
  std::vector<float> x = t.x;
  for (float& value : x) {
    if (std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0F, value);
  }
  quantize_as(t, t.rules, x);
}

void ignore_nan(coded_rows& t) {
  std::vector<float> x = t.x;
  for (float& value : x) {
    if (std::isnan(value)) value = 0;
    if (std::isinf(value)) value = std::copysign(std::numeric_limits<float>::max(), value);
  }
  quantize_as(t, t.rules, x);
}

void lose_nan_scale(coded_rows& t) {
  const mx::format& s = t.rules.format.scale;
  for (std::uint8_t& scale : t.scales) {
    if (s.has_nan() && scale == s.nan_code()) scale = static_cast<std::uint8_t>(s.max_code());
  }
}

void scale_zero_blocks_by_one(coded_rows& t) {
  const std::uint32_t one = mx::encode(t.rules.format.scale, mx::unpacked::positive(1, 0),
                                       mx::rounding::ties_to_even, mx::overflow::saturate);
  for (std::uint64_t i = 0; i < t.scales.size(); ++i) {
    const std::uint64_t first = i / t.blocks() * t.length + i % t.blocks() * t.block();
    const std::uint64_t end = std::min(first + t.block(), (i / t.blocks() + 1) * t.length);
    const bool zero = std::all_of(t.x.begin() + static_cast<std::ptrdiff_t>(first),
                                  t.x.begin() + static_cast<std::ptrdiff_t>(end),
                                  [](float value) { return value == 0; });
    if (zero) t.scales[i] = static_cast<std::uint8_t>(one);
  }
}

constexpr std::array special_table{
    mutant{"negative-zero-lost", "an element -0 is stored as +0", lose_negative_zero},
    mutant{"subnormal-elements-flushed", "elements below the smallest normal one become zero",
           flush_subnormal_elements},
    mutant{"subnormal-inputs-flushed", "FP32 subnormals count as zero", flush_subnormal_inputs},
    mutant{"nan-ignored", "NaN counts as zero and Inf as the largest number", ignore_nan},
    mutant{"nan-scale-lost", "a block with NaN or Inf has the largest scale instead of NaN",
           lose_nan_scale},
    mutant{"zero-block-scale", "a block of zeros has the scale 1", scale_zero_blocks_by_one}};

}  // namespace

std::span<const mutant> special_mutants() { return special_table; }

}  // namespace golden::validator
