// SPDX-License-Identifier: Apache-2.0
// golden/reference/formats.cpp: the formats of elements and scales by name.
#include "golden/reference/formats.h"

#include <utility>

namespace golden::formats {
namespace {

struct floating_shape {
  int fraction_bits;
  int bias;
};

// IEEE 754: the field counts binades, and the lowest of them reaches down to zero.
number_format::definition floating(floating_shape shape) {
  const std::uint32_t steps = 1U << shape.fraction_bits;
  return [=](std::uint32_t code) {
    const int field = static_cast<int>(code / steps);
    const rational fraction(code % steps, steps);
    if (field == 0) return rational(fraction * power_of_two(1 - shape.bias));
    return rational((1 + fraction) * power_of_two(field - shape.bias));
  };
}

// The same without a special lowest binade: no zero.
number_format::definition exponential(int fraction_bits) {
  const std::uint32_t steps = 1U << fraction_bits;
  return [=](std::uint32_t code) {
    const int field = static_cast<int>(code / steps);
    return rational((1 + rational(code % steps, steps)) * power_of_two(field - 127));
  };
}

number_format scale_format(std::string name, int width, int fraction_bits, std::uint32_t nan,
                           number_format::definition magnitude) {
  return {{std::move(name), width, fraction_bits, sign_coding::none, nan, std::nullopt, nan},
          std::move(magnitude)};
}

number_format e8m_format(int k) {
  return scale_format("e8m" + std::to_string(k), 8 + k, k, 255U << k, exponential(k));
}

}  // namespace

number_format floating_format(std::string name, floating_bits bits, special_codes specials) {
  const int width = 1 + bits.exponent_bits + bits.fraction_bits;
  const std::uint32_t codes = 1U << (width - 1), steps = 1U << bits.fraction_bits;
  code_layout layout{std::move(name), width,        bits.fraction_bits, sign_coding::highest_bit,
                     codes,           std::nullopt, std::nullopt};
  switch (specials) {
    case special_codes::numbers:
      break;
    case special_codes::one_nan:
      layout.magnitudes = codes - 1;
      layout.nan = codes - 1;
      break;
    case special_codes::infinity_and_nans:
      layout.magnitudes = codes - steps;
      layout.infinity = codes - steps;
      layout.nan = codes - steps / 2;
      break;
    case special_codes::nan_of_minus_zero:
      layout.sign = sign_coding::highest_bit_but_zero;
      layout.nan = codes;
      break;
  }
  return {std::move(layout), floating({bits.fraction_bits, bits.bias})};
}

number_format integer_format(int width) {
  const std::uint32_t codes = 1U << (width - 1);
  return {{"int" + std::to_string(width), width, width - 2, sign_coding::twos_complement, codes,
           std::nullopt, std::nullopt},
          [codes](std::uint32_t code) { return rational(2 * code, codes); }};
}

const number_format& e2m1() {
  static const number_format format = floating_format("e2m1", {2, 1, 1}, special_codes::numbers);
  return format;
}
const number_format& e2m3() {
  static const number_format format = floating_format("e2m3", {2, 3, 1}, special_codes::numbers);
  return format;
}
const number_format& e3m2() {
  static const number_format format = floating_format("e3m2", {3, 2, 3}, special_codes::numbers);
  return format;
}
const number_format& e4m3() {
  static const number_format format = floating_format("e4m3", {4, 3, 7}, special_codes::one_nan);
  return format;
}
const number_format& e5m2() {
  static const number_format format =
      floating_format("e5m2", {5, 2, 15}, special_codes::infinity_and_nans);
  return format;
}
const number_format& int8() {
  static const number_format format = integer_format(8);
  return format;
}
const number_format& e4m3fnuz() {
  static const number_format format =
      floating_format("e4m3fnuz", {4, 3, 8}, special_codes::nan_of_minus_zero);
  return format;
}
const number_format& e5m2fnuz() {
  static const number_format format =
      floating_format("e5m2fnuz", {5, 2, 16}, special_codes::nan_of_minus_zero);
  return format;
}

const number_format& e8m(int k) {
  static const std::vector<number_format> list = [] {
    std::vector<number_format> all;
    for (int bits = 0; bits <= 16; ++bits) all.push_back(e8m_format(bits));
    return all;
  }();
  return list.at(static_cast<std::size_t>(k));
}
const number_format& ue4m3() {
  static const number_format format = scale_format("ue4m3", 7, 3, 0x7f, floating({3, 7}));
  return format;
}
const number_format& ue5m3() {
  static const number_format format = scale_format("ue5m3", 8, 3, 0xff, floating({3, 15}));
  return format;
}

const number_format& fp16() {
  static const number_format format =
      floating_format("fp16", {5, 10, 15}, special_codes::infinity_and_nans);
  return format;
}
const number_format& bf16() {
  static const number_format format =
      floating_format("bf16", {8, 7, 127}, special_codes::infinity_and_nans);
  return format;
}
const number_format& tf32() {
  static const number_format format =
      floating_format("tf32", {8, 10, 127}, special_codes::infinity_and_nans);
  return format;
}
const number_format& fp32() {
  static const number_format format =
      floating_format("fp32", {8, 23, 127}, special_codes::infinity_and_nans);
  return format;
}

const std::vector<const number_format*>& elements() {
  static const std::vector<const number_format*> list{&e2m1(), &e2m3(), &e3m2(),     &e4m3(),
                                                      &e5m2(), &int8(), &e4m3fnuz(), &e5m2fnuz()};
  return list;
}

}  // namespace golden::formats
