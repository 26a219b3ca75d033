// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/random_blocks.cpp: blocks for comparing quantizers.
#include "rtl_models/cosim/random_blocks.h"

#include "rtl_models/cosim/draws.h"

namespace hardware {
namespace {

constexpr std::uint32_t exponent_mask = 0x7F800000, sign_mask = 0x80000000;

/// The kinds of blocks, by index.
enum class kind : std::uint8_t { any_bits, near, quarters, subnormal, special };
constexpr std::uint32_t kinds = 5;

std::uint32_t finite(std::uint32_t bits) {
  return (bits & exponent_mask) == exponent_mask ? bits ^ 0x40000000 : bits;
}

/// The code of one number.
///   near  the code that all of the block's numbers are near to
std::uint32_t number_of(kind of, std::uint32_t near, draws& from) {
  const std::uint32_t sign = from.bits() & sign_mask;
  switch (of) {
    case kind::any_bits:
      return finite(from.bits());
    case kind::near:
      return finite((near & ~sign_mask) - from.below(5) * (1U << 16)) ^ sign;
    case kind::quarters: {
      const int exponent = static_cast<int>(near >> 24 & 127) - 66;
      const auto steps = mx::unpacked::finite(sign != 0, from.below(33), exponent);
      return mx::encode(mx::formats::binary32, steps, mx::rounding::toward_zero,
                        mx::overflow::to_infinity);
    }
    case kind::subnormal:
      return (from.bits() & ~exponent_mask) >> from.below(8) | sign;
    case kind::special:
      return from.below(8) == 0 ? from.bits() | exponent_mask : near ^ sign;
  }
  return 0;
}

}  // namespace

quantizer_operands random_block(const quantizer_kind& made, std::uint32_t seed,
                                std::uint32_t index) {
  draws from(seed, index);
  quantizer_operands block;
  const auto of = static_cast<kind>(index % kinds);
  const std::uint32_t near = finite(from.bits());
  const int lost = mx::formats::binary32.width() - made.in.width();
  for (float& x : block.x) x = mx::float_of(number_of(of, near, from) >> lost << lost);
  constexpr mx::rounding roundings[] = {mx::rounding::ties_to_even, mx::rounding::stochastic,
                                        mx::rounding::toward_zero};
  block.rule = verilog::generated_rules[from.below(verilog::generated_rules.size())].value;
  block.rounding = roundings[from.below(3)];
  block.random = {seed, made.random_bits};
  block.number = index;
  block.fraction = from.below(2) == 0 ? 0 : from.below(256);
  block.deadzone = from.below(2) == 0 ? deadzone::flush : deadzone::keep;
  return block;
}

}  // namespace hardware
