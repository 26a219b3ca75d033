// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/block_mismatch.cpp: the full report of a difference between two quantizers.
#include "rtl_models/cosim/number_text.h"
#include "rtl_models/cosim/scoreboard.h"

namespace hardware {
namespace {

/// The controls of a block: numbers as on the pins.
std::string orders_of(const quantizer_operands& of) {
  return "rule " + std::to_string(static_cast<int>(rule_pins(of.rule))) + ", rounding " +
         std::to_string(static_cast<int>(rounding_pins(of.rounding))) + ", factor " +
         std::to_string(of.fraction) + ", deadzone " +
         (of.deadzone == deadzone::keep ? "kept" : "flushed");
}

/// All elements, eight a line.
std::string elements_of(const quantizer_operands& of) {
  std::string text;
  for (std::size_t i = 0; i < block_size; ++i) {
    text += (i % 8 == 0 ? "\n  x " : " ") + hex(mx::bits_of(of.x[i]), 8);
  }
  return text + "\n";
}

/// Two results' bits under one name.
struct pair_of_bits {
  std::string name;
  std::uint32_t left, right;
  int digits;
};

/// The first difference: the block's own outputs before its elements.
std::optional<pair_of_bits> first_difference(const quantized_block& left,
                                             const quantized_block& right) {
  const auto bit = [](bool set) { return std::uint32_t{set ? 1U : 0U}; };
  if (left.scale != right.scale) return pair_of_bits{"scale", left.scale, right.scale, 3};
  if (left.special != right.special) {
    return pair_of_bits{"special", bit(left.special), bit(right.special), 1};
  }
  for (std::size_t i = 0; i < block_size; ++i) {
    if (left.codes[i] == right.codes[i]) continue;
    return pair_of_bits{"element " + std::to_string(i), left.codes[i], right.codes[i], 1};
  }
  if (left.kept != right.kept) return pair_of_bits{"kept", left.kept, right.kept, 8};
  return std::nullopt;
}

}  // namespace

std::string quantizer_scoreboard::replay(std::uint32_t number) const {
  return "  replay: " + around_.replay + " --first " + std::to_string(number) + " --blocks 1\n";
}

std::string quantizer_scoreboard::difference(const entry& oldest) const {
  const auto differs = first_difference(*oldest.left, *oldest.right);
  if (!differs) return "";
  const quantizer_operands& of = oldest.operands;
  const quantized_block wanted = quantized(made_, of);
  std::string codes, random;
  for (const std::uint8_t code : wanted.codes) codes += hex(code, 1);
  for (const std::uint32_t bits : random_pins(of)) random += " " + hex(bits, 2);
  return "block " + std::to_string(oldest.number) + ", " + differs->name + ": " + left_.label() +
         " " + hex(differs->left, differs->digits) + ", " + right_.label() + " " +
         hex(differs->right, differs->digits) + "\n  " + orders_of(of) + elements_of(of) +
         "  random" + random + "\n  emulator: amax " +
         number(mx::extent_of(of.x.data(), block_size).amax) + ", scale " + hex(wanted.scale, 3) +
         (wanted.special ? ", special" : "") + ", codes " + codes + ", kept " +
         hex(wanted.kept, 8) + "\n" + replay(oldest.number);
}

}  // namespace hardware
