// SPDX-License-Identifier: Apache-2.0
// golden/reference/dot.cpp: a + b c rounded once, and the dot product that repeats it.
#include "golden/reference/dot.h"

namespace golden {
namespace {

bool is_nan(float x) { return x != x; }
bool is_infinite(float x) { return !is_finite(x) && !is_nan(x); }

float infinity(bool negative) { return float_of(negative ? 0xff800000U : 0x7f800000U); }

// The sum where at least one operand is not finite.
float special_sum(float a, float b, float c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return nan_float();
  const bool product_is_negative = is_negative(b) != is_negative(c);
  if (!is_infinite(b) && !is_infinite(c)) return a;
  if (b == 0.0F || c == 0.0F) return nan_float();
  if (is_infinite(a) && is_negative(a) != product_is_negative) return nan_float();
  return infinity(product_is_negative);
}

}  // namespace

float fused_multiply_add(float a, float b, float c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return special_sum(a, b, c);
  const rational product = value_of(b).value() * value_of(c).value();
  const bool product_is_negative = is_negative(b) != is_negative(c);
  const rational sum = value_of(a).value() + product;
  const bool both_negative = is_negative(a) && product_is_negative;
  return float_of(
      round_to_binary32(sum, both_negative ? zero_sign::negative : zero_sign::positive));
}

float dot_fma(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0.0F;
  for (std::size_t k = 0; k < a.size(); ++k) sum = fused_multiply_add(sum, a[k], b[k]);
  return sum;
}

}  // namespace golden
