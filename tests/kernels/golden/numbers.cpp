// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/numbers.cpp: numbers in memory and quantizations in golden's types.
#include "numbers.h"

namespace kernels_test {

using mx::block_format;
using mx::number_type;
using mx::kernels::case_input;

std::uint32_t code_at(const bytes& from, std::size_t index, std::size_t size) {
  std::uint32_t code = 0;
  for (std::size_t b = 0; b < size; ++b) code |= std::uint32_t{from[index * size + b]} << (8 * b);
  return code;
}
void store_code(bytes& to, std::size_t index, std::uint32_t code, std::size_t size) {
  for (std::size_t b = 0; b < size; ++b) {
    to[index * size + b] = static_cast<std::uint8_t>(code >> (8 * b));
  }
}

float value_of_code(number_type type, std::uint32_t code) {
  if (type == number_type::fp32) return golden::float_of(code);
  const golden::number n = type == number_type::bf16 ? golden::formats::bf16().decode(code)
                                                     : golden::formats::fp16().decode(code);
  if (n.kind == golden::number_kind::nan) return golden::nan_float();
  const bool negative = n.value.negative;
  if (n.kind == golden::number_kind::infinite) {
    return golden::float_of(negative ? 0xFF800000 : 0x7F800000);
  }
  return golden::float_of(golden::round_to_binary32(
      n.value.value(), negative ? golden::zero_sign::negative : golden::zero_sign::positive));
}

std::uint32_t code_of_value(number_type type, float value) {
  if (type == number_type::fp32) return golden::bits_of(value);
  const bool is_bf16 = type == number_type::bf16;
  const std::uint32_t sign = golden::is_negative(value) ? 0x8000 : 0,
                      infinity = is_bf16 ? 0x7F80 : 0x7C00;
  if (value != value) return is_bf16 ? 0x7FC0 : 0x7E00;
  if (!golden::is_finite(value)) return sign | infinity;
  const golden::rational magnitude = golden::value_of(value).magnitude;
  if (is_bf16) return sign | golden::round_to_bfloat16(magnitude, golden::zero_sign::positive);
  // The middle between the largest number and the next one in an unbounded range.
  if (magnitude >= 65520) return sign | infinity;
  return sign | golden::rounded_magnitude(golden::formats::fp16(), magnitude,
                                          golden::rounding::nearest_even);
}

golden::quantization quantization_of(const mx::quantization& how) {
  return {twin_of(cross::element_formats(), how.format.element),
          twin_of(cross::scale_formats(), how.format.scale),
          twin_of(cross::rules(), how.rule),
          twin_of(cross::roundings(), how.rounding),
          {how.random.seed, how.random.bits}};
}

golden::rational tensor_scale_of(const block_format& f, const case_input& input) {
  return f.has_tensor_scale() ? golden::value_of(input.tensor_scale).magnitude
                              : golden::rational(1);
}

}  // namespace kernels_test
