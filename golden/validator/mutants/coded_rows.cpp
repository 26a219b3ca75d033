// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/coded_rows.cpp: quantizes all rows with the emulator.
#include "coded_rows.h"

#include <algorithm>

namespace golden::validator {

void quantize_as(coded_rows& t, const mx::quantization& rules, const std::vector<float>& x) {
  const mx::blocked_shape shape{1, t.rows, t.length, 1};
  const mx::blocked_sizes sizes = mx::sizes_of(rules.format, shape, mx::code_packing::unpacked);
  t.codes.resize(sizes.code_bytes);
  t.scales.resize(sizes.scale_bytes());
  if (sizes.blocks == 0) return;
  if (rules.format.has_tensor_scale()) {
    mx::choose_tensor_scales(rules.format, mx::number_type::fp32, x.data(), shape, &t.tensor_scale);
  }
  mx::quantize_tensor(
      rules, mx::number_type::fp32, x.data(), shape,
      {t.codes.data(), t.scales.data(), &t.tensor_scale, mx::code_packing::unpacked});
}

void quantize(coded_rows& t) { quantize_as(t, t.rules, t.x); }

void quantize_under_scales_of(coded_rows& t, const std::vector<float>& x) {
  quantize_as(t, t.rules, x);
  const mx::block_format& f = t.rules.format;
  const mx::unpacked tensor =
      f.has_tensor_scale() ? mx::unpack(t.tensor_scale) : mx::no_tensor_scale;
  for (std::uint64_t i = 0; i < t.rows * t.length; ++i) {
    const std::uint64_t row = i / t.length, column = i % t.length;
    const std::uint8_t scale = t.scales[row * t.blocks() + column / t.block()];
    const std::uint64_t at = row * t.padded() + column;
    if (mx::is_special_scale(f, scale, tensor)) continue;
    t.codes[at] = static_cast<std::uint8_t>(mx::element_code(f.element, mx::unpack(t.x[i]),
                                                             mx::ratio_of(f, scale, tensor),
                                                             mx::rounder_of(t.rules, at)));
  }
}

}  // namespace golden::validator
