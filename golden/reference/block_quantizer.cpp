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

float infinite_product(const number& element, const number& scale) {
  if (is_zero(element) || is_zero(scale)) return nan_float();
  return float_of(element.value.negative ? 0xff800000U : 0x7f800000U);
}

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

float dequantized(const number& element, const number& scale, const rational& tensor_scale) {
  const auto either = [&](number_kind kind) { return element.kind == kind || scale.kind == kind; };
  if (either(number_kind::nan)) return nan_float();
  if (either(number_kind::infinite)) return infinite_product(element, scale);
  const rational magnitude = element.value.magnitude * scale.value.magnitude * tensor_scale;
  const signed_value product{element.value.negative, magnitude};
  const auto sign = product.negative ? zero_sign::negative : zero_sign::positive;
  return float_of(round_to_binary32(product.value(), sign));
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
