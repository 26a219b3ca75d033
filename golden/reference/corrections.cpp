// SPDX-License-Identifier: Apache-2.0
// golden/reference/corrections.cpp: macro-block scaling and outlier fallback, in exact rationals.
#include "golden/reference/corrections.h"

#include <algorithm>
#include <iterator>

#include "golden/reference/dot.h"

namespace golden {
namespace {

using floats = std::vector<float>;

floats slice(const floats& x, std::size_t first, std::size_t count) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(count, x.size() - first))};
}

rational finite_amax(const floats& x) {
  floats finite;
  std::copy_if(x.begin(), x.end(), std::back_inserter(finite), is_finite);
  return amax_of(values_of(finite));
}

floats quantize_with_factor(const floats& block, const rational& factor, scale_rule rule) {
  if (!all_finite(block)) return floats(block.size(), nan_float());
  std::vector<signed_value> scaled = values_of(block);
  for (signed_value& x : scaled) x.magnitude *= factor;
  const std::vector<signed_value> quantized = dequantize_exact(quantize_exact(scaled, rule));
  floats result;
  for (std::size_t i = 0; i < block.size(); ++i) {
    result.push_back(rounded_like(quantized[i].value() / factor, block[i]));
  }
  return result;
}

// Every piece of `elements` (the last one may be shorter) through a function, and the results in a
// row.
template <class Function>
floats piecewise(const floats& x, std::size_t elements, Function function) {
  floats all;
  for (std::size_t first = 0; first < x.size(); first += elements) {
    const floats piece = function(slice(x, first, elements));
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

floats plain_quantize(const floats& x, scale_rule rule) {
  return piecewise(x, block_elements,
                   [&](const floats& block) { return dequantize(quantize(block, rule)); });
}

}  // namespace

int macro_fraction(const rational& amax, int fraction_bits) {
  if (amax == 0) return 0;
  rational target = 6;  // 6 * 2^k
  while (target < amax) target *= 2;
  while (target >= 2 * amax) target /= 2;
  const int count = 1 << fraction_bits;
  int fraction = count - 1;
  while ((count + fraction) * amax > count * target) --fraction;
  return fraction;
}

floats macro_block_quantize(const floats& x, scale_rule rule, macro_block_shape shape) {
  const int count = 1 << shape.fraction_bits;
  return piecewise(x, static_cast<std::size_t>(shape.elements), [&](const floats& macro_block) {
    const int fraction = macro_fraction(finite_amax(macro_block), shape.fraction_bits);
    const rational factor(count + fraction, count);
    return piecewise(macro_block, block_elements, [&](const floats& block) {
      return quantize_with_factor(block, factor, rule);
    });
  });
}

floats outlier_fallback(const floats& x, scale_rule rule, float alpha,
                        std::optional<macro_block_shape> shape) {
  const auto quantizer = [&](const floats& values) {
    return shape ? macro_block_quantize(values, rule, *shape) : plain_quantize(values, rule);
  };
  const floats first = quantizer(x);
  floats residual;
  for (std::size_t i = 0; i < x.size(); ++i)
    residual.push_back(fused_multiply_add(x[i], first[i], -1.0F));
  const floats second = quantizer(residual);
  floats result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.push_back(fused_multiply_add(first[i], second[i], alpha));
  }
  return result;
}

}  // namespace golden
