// SPDX-License-Identifier: Apache-2.0
// mx/dot/corrected_product.h: dot products that apply a correction while they accumulate, instead
// of to the values of an operand. Source: arXiv 2603.08713 (epilogue of a macro block), arXiv
// 2503.08040 (second pass of a fallback). Their arithmetic between the roundings is `fp32.fma`:
// D-012, D-021.
#pragma once
#include "mx/number/bits.h"
#include "mx/number/fp32.h"

namespace mx {

/// acc = RNE32(acc + a * b), k ascending, from `start`.
///   A, B  pointers to FP32 numbers, or types that can be indexed and advanced like them
template <class A, class B>
[[nodiscard]] MX_HD inline float dot_fma(A a, B b, int k, float start) noexcept {
  float sum = start;
  for (int i = 0; i < k; ++i) sum = fused_multiply_add(a[i], b[i], sum);
  return sum;
}

/// One operand under macro-block factors.
///   values      k values of code times scale: those of f * x, not divided by f
///   reciprocal  RNE32(1 / f) of every macro block
template <class Values = const float*>
struct factored_operand {
  Values values;
  const float* reciprocals;
};

/// A fresh accumulator for every macro block along K, then its epilogue:
/// P = dot_fma from +0; acc = RNE32(acc + RNE32(P * ra) * rb), one fused multiply-add; from +0.
///   span  elements a macro block; the last may be short
template <class A = const float*, class B = const float*>
[[nodiscard]] MX_HD inline float dot_with_macro_epilogue(const factored_operand<A>& a,
                                                         const factored_operand<B>& b, int k,
                                                         int span) noexcept {
  float sum = 0.0F;
  for (int first = 0, block = 0; first < k; first += span, ++block) {
    const int length = k - first < span ? k - first : span;
    const float product = dot_fma(a.values + first, b.values + first, length, 0.0F);
    sum = fused_multiply_add(fp32::multiply(product, a.reciprocals[block]), b.reciprocals[block],
                             sum);
  }
  return sum;
}

/// RNE32(1 / f) of a factor 1 + fraction / 2^bits.
[[nodiscard]] MX_HD constexpr float reciprocal_of_factor(std::uint32_t fraction,
                                                         int bits) noexcept {
  const std::uint64_t one = std::uint64_t{1} << bits;
  return to_binary32(quotient(unpacked::positive(one, 0), unpacked::positive(one + fraction, 0)));
}

/// Two passes into one accumulator, span by span: first a * b, then RNE32(alpha * rest) * b, so
/// that no value x1 + alpha x2 is ever rounded; from +0.
///   rest  the quantized residual of a
///   span  elements of a before the second pass over them; the last may be short
template <class A, class B>
[[nodiscard]] MX_HD inline float dot_with_second_pass(A a, A rest, float alpha, B b, int k,
                                                      int span) noexcept {
  float sum = 0.0F;
  for (int first = 0; first < k; first += span) {
    const int end = k - first < span ? k : first + span;
    sum = dot_fma(a + first, b + first, end - first, sum);
    for (int i = first; i < end; ++i) {
      sum = fused_multiply_add(fp32::multiply(alpha, rest[i]), b[i], sum);
    }
  }
  return sum;
}

static_assert(reciprocal_of_factor(0, 8) == 1.0F && reciprocal_of_factor(128, 8) == 1.0F / 1.5F);

}  // namespace mx
