// SPDX-License-Identifier: Apache-2.0
// golden/reference/quantizer.cpp: MXFP4 blocks told in exact rationals.
#include "golden/reference/quantizer.h"

namespace golden {
namespace {

constexpr int smallest_exponent = -127;
constexpr int largest_exponent = 127;

int floor_exponent(const rational& amax) {
  int e = largest_exponent;
  while (e > smallest_exponent && 4 * power_of_two(e) > amax) --e;
  return e;
}

int rceil_exponent(const rational& amax) {
  int e = smallest_exponent;
  while (e < largest_exponent && 6 * power_of_two(e) < amax) ++e;
  return e;
}

}  // namespace

const std::vector<rational>& grid() {
  static const std::vector<rational> magnitudes = {
      0, rational(1, 2), 1, rational(3, 2), 2, 3, 4, 6,
  };
  return magnitudes;
}

std::uint8_t nearest_code(const rational& magnitude) {
  std::uint8_t best = 0;
  rational best_distance = magnitude;
  for (std::uint8_t code = 1; code < grid().size(); ++code) {
    const rational distance = abs(magnitude - grid()[code]);
    if (distance > best_distance) break;  // and the codes above are further away still
    const bool code_is_even = code % 2 == 0;
    if (distance < best_distance || (distance == best_distance && code_is_even)) {
      best = code;
      best_distance = distance;
    }
  }
  return best;
}

rational amax_of(const std::vector<signed_value>& block) {
  rational amax = 0;
  for (const signed_value& x : block) {
    if (x.magnitude > amax) amax = x.magnitude;
  }
  return amax;
}

std::uint8_t scale_byte(const rational& amax, scale_rule rule) {
  if (amax == 0) return 0;
  const int e = rule == scale_rule::floor ? floor_exponent(amax) : rceil_exponent(amax);
  return static_cast<std::uint8_t>(e - smallest_exponent);
}

rational scale_value(std::uint8_t byte) { return power_of_two(byte + smallest_exponent); }

coded_block quantize_exact(const std::vector<signed_value>& block, scale_rule rule) {
  coded_block coded;
  coded.scale = scale_byte(amax_of(block), rule);
  const rational scale = scale_value(coded.scale);
  for (const signed_value& x : block) {
    const int sign = x.negative ? 8 : 0;
    coded.codes.push_back(static_cast<std::uint8_t>(sign + nearest_code(x.magnitude / scale)));
  }
  return coded;
}

std::vector<signed_value> dequantize_exact(const coded_block& block) {
  const rational scale = scale_value(block.scale);
  std::vector<signed_value> values;
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
