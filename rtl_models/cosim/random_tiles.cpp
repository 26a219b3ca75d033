// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/random_tiles.cpp: tiles for comparing tensor cores.
#include "rtl_models/cosim/random_tiles.h"

#include "rtl_models/cosim/draws.h"

namespace hardware {
namespace {

constexpr std::uint8_t edge_scales[] = {0, 1, 2, 126, 127, 128, 253, 254, 255};

std::uint8_t scale_of(std::uint32_t kind, draws& from) {
  if (kind == 0) return static_cast<std::uint8_t>(from.below(256));
  if (kind == 1) return edge_scales[from.below(std::size(edge_scales))];
  const std::uint32_t spread = kind == 2 ? 4 : 40;
  return static_cast<std::uint8_t>(127 - spread / 2 + from.below(spread));
}

std::uint32_t addend_of(std::uint32_t kind, draws& from) {
  if (kind == 0) return from.bits();
  const std::uint32_t exponent = 127 - 20 + from.below(40);
  return (from.bits() & 0x807FFFFF) | exponent << 23;
}

}  // namespace

tile random_tile(std::uint32_t seed, std::uint32_t index) {
  draws from(seed, index);
  tile made;
  const std::uint32_t scales = index % 4, addends = index / 4 % 2;
  for (std::uint8_t& code : made.a) code = static_cast<std::uint8_t>(from.below(16));
  for (std::uint8_t& code : made.b) code = static_cast<std::uint8_t>(from.below(16));
  for (std::uint8_t& code : made.scale_a) code = scale_of(scales, from);
  for (std::uint8_t& code : made.scale_b) code = scale_of(scales, from);
  for (std::uint32_t& code : made.c) code = addend_of(addends, from);
  return made;
}

}  // namespace hardware
