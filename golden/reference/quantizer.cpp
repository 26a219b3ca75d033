// SPDX-License-Identifier: Apache-2.0
// golden/reference/quantizer.cpp: MXFP4 blocks, a point among all that block_quantizer.h tells.
#include "golden/reference/quantizer.h"

#include "golden/reference/block_scale.h"
#include "golden/reference/element_rounding.h"
#include "golden/reference/formats.h"

namespace golden {

const std::vector<rational>& grid() {
  static const std::vector<rational> magnitudes = [] {
    std::vector<rational> list;
    for (std::uint32_t code = 0; code < 8; ++code) {
      list.push_back(formats::e2m1().magnitude(code));
    }
    return list;
  }();
  return magnitudes;
}

std::uint8_t nearest_code(const rational& magnitude) {
  return static_cast<std::uint8_t>(
      rounded_magnitude(formats::e2m1(), magnitude, rounding::nearest_even));
}

std::uint8_t scale_byte(const exact_block& block, scale_rule rule) {
  return static_cast<std::uint8_t>(
      choose_scale(block, formats::e2m1(), &formats::e8m(0), rule).code);
}

std::uint8_t scale_byte(const rational& amax, scale_rule rule) {
  return scale_byte(exact_block{{false, amax}}, rule);
}

rational scale_value(std::uint8_t byte) { return power_of_two(byte - 127); }

coded_block quantize_exact(const exact_block& block, scale_rule rule) {
  coded_block coded;
  coded.scale = scale_byte(block, rule);
  const rational scale = scale_value(coded.scale);
  for (const signed_value& x : block) {
    const int sign = x.negative ? 8 : 0;
    coded.codes.push_back(static_cast<std::uint8_t>(sign + nearest_code(x.magnitude / scale)));
  }
  return coded;
}

exact_block dequantize_exact(const coded_block& block) {
  const rational scale = scale_value(block.scale);
  exact_block values;
  for (const std::uint8_t code : block.codes) {
    values.push_back({code >= 8, grid()[code % 8] * scale});
  }
  return values;
}

coded_block quantize(const std::vector<float>& block, scale_rule rule) {
  if (!all_finite(block)) return {nan_scale, std::vector<std::uint8_t>(block.size(), 0)};
  return quantize_exact(values_of(block), rule);
}

std::vector<float> dequantize(const coded_block& block) {
  if (block.scale == nan_scale) return std::vector<float>(block.codes.size(), nan_float());
  std::vector<float> values;
  for (const signed_value& x : dequantize_exact(block)) {
    const auto sign = x.negative ? zero_sign::negative : zero_sign::positive;
    values.push_back(float_of(round_to_binary32(x.value(), sign)));
  }
  return values;
}

}  // namespace golden
