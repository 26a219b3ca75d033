// SPDX-License-Identifier: Apache-2.0
// golden/reference/block_quantizer.cpp: a block in any element format, scale format, rule,
// rounding.
#include "golden/reference/block_quantizer.h"

namespace golden {
namespace {

std::uint32_t element_code(const signed_value& x, const rational& scale, const quantization& q,
                           std::uint64_t index) {
  if (scale == 0) return q.element->with_sign(x.negative, 0);
  const bool random = q.mode == rounding::stochastic;
  const random_draw draw = random ? draw_for(q.random, index) : random_draw{};
  return rounded_element(*q.element, {x.negative, x.magnitude / scale}, q.mode, draw);
}

bool is_zero(const number& x) { return x.kind == number_kind::finite && x.value.magnitude == 0; }
bool is_finite(const number& x) { return x.kind == number_kind::finite; }

}  // namespace

quantized_block quantize_block(const std::vector<float>& block, const quantization& q,
                               const rational& tensor_scale, std::uint64_t first_index) {
  if (!all_finite(block)) {
    return {nan_scale_of(q.scale), std::vector<std::uint32_t>(block.size(), 0)};
  }
  exact_block exact = values_of(block);
  for (signed_value& x : exact) x.magnitude /= tensor_scale;
  quantized_block result{choose_scale(exact, *q.element, q.scale, q.rule), {}};
  const rational& scale = result.scale.value.value.magnitude;
  for (const signed_value& x : exact) {
    result.codes.push_back(element_code(x, scale, q, first_index + result.codes.size()));
  }
  return result;
}

float dequantized(const number& element, const number& scale, const number& tensor_scale) {
  if (!is_finite(scale) || !is_finite(tensor_scale)) return nan_float();
  if (element.kind == number_kind::nan) return nan_float();
  int minus_signs = 0;
  for (const number* factor : {&element, &scale, &tensor_scale}) {
    if (factor->value.negative) ++minus_signs;
  }
  const bool negative = minus_signs % 2 == 1;
  if (element.kind == number_kind::infinite) {
    if (is_zero(scale) || is_zero(tensor_scale)) return nan_float();
    return float_of(negative ? 0xff800000U : 0x7f800000U);
  }
  const signed_value product{
      negative, element.value.magnitude * scale.value.magnitude * tensor_scale.value.magnitude};
  return float_of(
      round_to_binary32(product.value(), negative ? zero_sign::negative : zero_sign::positive));
}

float dequantized(const number& element, const number& scale, const rational& tensor_scale) {
  const bool negative = tensor_scale < 0;
  const rational magnitude = negative ? rational(-tensor_scale) : tensor_scale;
  return dequantized(element, scale, number{number_kind::finite, {negative, magnitude}});
}

std::vector<float> dequantize_block(const quantized_block& block, const number_format& element,
                                    const rational& tensor_scale) {
  std::vector<float> values;
  for (const std::uint32_t code : block.codes) {
    values.push_back(dequantized(element.decode(code), block.scale.value, tensor_scale));
  }
  return values;
}

}  // namespace golden
