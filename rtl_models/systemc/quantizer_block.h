// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/quantizer_block.h: one block for mx_quantizer, its control inputs, and
// the emulator's result for both.
#pragma once
#include <array>
#include <stdexcept>

#include "emulator/tools/generated_recipes.h"

namespace hardware {

constexpr int block_size = mx::mxfp4::size;

/// Treatment of elements that become zero only by rounding.
enum class deadzone : std::uint8_t { flush, keep };

/// Parameters of a quantizer: formats of its input and of its scale.
struct quantizer_kind {
  mx::format in = mx::formats::binary32;
  mx::format scale = mx::formats::e8m0;
  int random_bits = 8;
};

/// A block and its control inputs.
///   x         numbers of the input's format
///   number    of the block in its tensor, for random bits
///   fraction  of the macro block's factor
struct quantizer_operands {
  std::array<float, block_size> x{};
  mx::scale_rule rule = mx::scale_rule::floor;
  mx::rounding rounding = mx::rounding::ties_to_even;
  mx::random_source random = {};
  std::uint64_t number = 0;
  std::uint32_t fraction = 0;
  hardware::deadzone deadzone = hardware::deadzone::flush;
};

struct quantized_block {
  std::array<std::uint8_t, block_size> codes{};
  std::uint32_t scale = 0;
  bool special = false;
  std::uint32_t kept = 0;  ///< bit i: element i is to be kept
  friend bool operator==(const quantized_block&, const quantized_block&) = default;
};

/// Number of a value of a recipe on the pins.
///   errors  throws std::invalid_argument if the table has none
template <class Table, class Value>
[[nodiscard]] constexpr std::uint8_t pins_of(const Table& table, Value value) {
  if (const auto number = verilog::number_of(table, value)) return *number;
  throw std::invalid_argument("the hardware does not have this scale rule or rounding");
}
[[nodiscard]] constexpr std::uint8_t rule_pins(mx::scale_rule rule) {
  return pins_of(verilog::generated_rules, rule);
}
[[nodiscard]] constexpr std::uint8_t rounding_pins(mx::rounding how) {
  return pins_of(verilog::generated_roundings, how);
}

/// The random bits for rounding the block's elements.
[[nodiscard]] constexpr std::array<std::uint32_t, block_size> random_pins(
    const quantizer_operands& of) {
  std::array<std::uint32_t, block_size> bits{};
  for (std::size_t i = 0; i < block_size; ++i) {
    bits[i] = mx::random_bits_of(of.random, of.number * block_size + i);
  }
  return bits;
}

/// The emulator's result.
[[nodiscard]] inline quantized_block quantized(const quantizer_kind& made,
                                               const quantizer_operands& of) {
  const mx::quantization q{{.scale = made.scale}, of.rule, of.rounding, of.random};
  const mx::corrections c{.macro_block = of.fraction == 0 ? 0 : block_size};
  quantized_block result;
  std::array<float, block_size> values{};
  result.scale =
      mx::quantize_under_factor(q, c, of.fraction, of.x.data(), mx::no_tensor_scale,
                                of.number * block_size, result.codes.data(), values.data());
  result.special = mx::extent_of(of.x.data(), block_size).special;
  if (of.deadzone == deadzone::flush || result.special) return result;
  for (std::size_t i = 0; i < block_size; ++i) {
    const bool is_zero = (result.codes[i] & mx::formats::e2m1.magnitude_mask()) == 0;
    if (is_zero && !mx::unpack(of.x[i]).is_zero()) result.kept |= std::uint32_t{1} << i;
  }
  return result;
}

}  // namespace hardware
