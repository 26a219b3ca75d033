// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/numbers.cpp: the numbers of a tensor, one at a time.
#include "numbers.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "mx/spelling.h"
#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

template <class T>
T read(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float widened(mx::number_type type, std::uint32_t bits) {
  if (type == mx::number_type::fp32) return mx::float_of(bits);
  if (type == mx::number_type::bf16) return mx::float_of(bits << 16);
  const mx::unpacked value = mx::decode(mx::formats::binary16, bits);
  if (value.kind != mx::kind::nan) return mx::to_binary32(value);
  return mx::float_of((bits & 0x8000U) << 16 | 0x7FC00000U | (bits & 0x3FFU) << 13);
}

/// Over numbers in memory: a loop that compiles to vector instructions.
///   infinity  bits of Inf      T  bits of a number, the highest of which is the sign
template <class T>
magnitudes magnitudes_in(const std::uint8_t* bytes, mx::index_range part, T infinity) {
  constexpr T mask = static_cast<T>(T(~T(0)) >> 1);
  T finite = 0, numbers = 0, nans = 0, others = 0;
  for (std::uint64_t k = part.first; k < part.last; ++k) {
    const T size = static_cast<T>(read<T>(bytes + k * sizeof(T)) & mask);
    const T is_nan = static_cast<T>(size > infinity ? 1 : 0);
    const T of_finite = size < infinity ? size : T(0);
    const T of_numbers = size > infinity ? T(0) : size;
    finite = of_finite > finite ? of_finite : finite;
    numbers = of_numbers > numbers ? of_numbers : numbers;
    nans = static_cast<T>(nans | is_nan);
    others = static_cast<T>(others | (is_nan ^ 1));
  }
  return {finite, numbers, nans != 0, others == 0};
}

magnitudes as_given(const subject& s, mx::index_range part) {
  const std::uint8_t* bytes = s.values.data();
  if (s.type == mx::number_type::fp32)
    return magnitudes_in<std::uint32_t>(bytes, part, 0x7F800000U);
  const std::uint16_t infinity = s.type == mx::number_type::bf16 ? 0x7F80U : 0x7C00U;
  magnitudes m = magnitudes_in<std::uint16_t>(bytes, part, infinity);
  m.finite = mx::bits_of(widened(s.type, m.finite));
  m.numbers = mx::bits_of(widened(s.type, m.numbers));
  return m;
}

magnitudes rounded(const subject& s, precision p, mx::index_range part) {
  magnitudes sum;
  for (std::uint64_t k = part.first; k < part.last; ++k) {
    sum.add(rounded_to(p, number_at(s, k)));
  }
  return sum;
}

}  // namespace

std::uint32_t bits_at(const subject& s, std::uint64_t index) {
  if (s.type == mx::number_type::fp32) return read<std::uint32_t>(s.values.data() + 4 * index);
  return read<std::uint16_t>(s.values.data() + 2 * index);
}

float number_at(const subject& s, std::uint64_t index) {
  return widened(s.type, bits_at(s, index));
}

void append_number(mx::number_type type, float x, std::vector<std::uint8_t>& bytes) {
  const mx::unpacked value = mx::unpack(x);
  std::uint32_t bits = mx::bits_of(x);
  if (type == mx::number_type::bf16) bits >>= 16;
  if (type == mx::number_type::fp16) {
    // A NaN keeps its sign and the upper bits of its payload.
    const bool nan = value.kind == mx::kind::nan;
    bits = nan ? (bits >> 16 & 0x8000U) | 0x7C00U | (bits >> 13 & 0x3FFU)
               : mx::encode(mx::formats::binary16, value, mx::rounding::ties_to_even,
                            mx::overflow::to_infinity);
  }
  for (std::uint64_t k = 0; k < mx::bytes_of(type); ++k) {
    bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
  }
}

std::string hexadecimal(std::uint32_t value, int digits) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%0*x", digits, static_cast<unsigned>(value));
  return text.data();
}

std::string number_text(mx::number_type type, std::uint32_t bits) {
  const int digits = type == mx::number_type::fp32 ? 8 : 4;
  return hexadecimal(bits, digits) + " (" + mx::decimal_text(widened(type, bits)) + ")";
}

mx::unpacked rounded_to(precision p, const mx::unpacked& x) {
  const mx::format& f = p == precision::bfloat16 ? mx::formats::bfloat16 : mx::formats::binary16;
  return mx::decode(f, mx::encode(f, x, mx::rounding::ties_to_even, mx::overflow::to_infinity));
}

float rounded_to(precision p, float x) {
  if (p == precision::as_given || mx::unpack(x).kind == mx::kind::nan) return x;
  if (p == precision::bfloat16_cut) return mx::float_of(mx::bits_of(x) & 0xFFFF0000U);
  return mx::to_binary32(rounded_to(p, mx::unpack(x)));
}

float flushed(subnormal_rule rule, mx::number_type type, float x) {
  if (!flushes_inputs(rule)) return x;
  const std::uint32_t bits = mx::bits_of(x);
  const std::uint32_t sign = rule == subnormal_rule::inputs ? bits & 0x80000000U : 0U;
  const std::uint32_t smallest = type == mx::number_type::fp16 ? 0x38800000U : 0x00800000U;
  return (bits & 0x7FFFFFFFU) < smallest ? mx::float_of(sign) : x;
}

void magnitudes::add(float x) {
  const std::uint32_t bits = mx::bits_of(x) & 0x7FFFFFFFU;
  const bool is_nan = bits > 0x7F800000U;
  nan = nan || is_nan;
  only_nan = only_nan && is_nan;
  if (!is_nan) numbers = std::max(numbers, bits);
  if (bits < 0x7F800000U) finite = std::max(finite, bits);
}

void magnitudes::add(const magnitudes& other) {
  finite = std::max(finite, other.finite);
  numbers = std::max(numbers, other.numbers);
  nan = nan || other.nan;
  only_nan = only_nan && other.only_nan;
}

magnitudes magnitudes_of(const subject& s, precision p) {
  return mx::joined_in_parallel(
      {0, s.elements()}, 1 << 16, magnitudes{},
      [&](mx::index_range part) {
        return p == precision::as_given ? as_given(s, part) : rounded(s, p, part);
      },
      [](magnitudes a, const magnitudes& b) {
        a.add(b);
        return a;
      });
}

}  // namespace golden::validator
