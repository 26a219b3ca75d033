// SPDX-License-Identifier: Apache-2.0
// mx/number/philox.h: the counter-based random numbers Philox4x32-10.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011);
// constants and known answers as in Random123.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx {

struct philox_counter {
  std::uint32_t word[4];
  friend constexpr bool operator==(const philox_counter&, const philox_counter&) = default;
};

/// Four random words that depend on key and counter alone.
[[nodiscard]] MX_HD constexpr philox_counter philox(std::uint64_t key,
                                                    philox_counter counter) noexcept {
  std::uint32_t low = static_cast<std::uint32_t>(key);
  std::uint32_t high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53} * counter.word[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(odd >> 32) ^ counter.word[1] ^ low,
                static_cast<std::uint32_t>(odd),
                static_cast<std::uint32_t>(even >> 32) ^ counter.word[3] ^ high,
                static_cast<std::uint32_t>(even)}};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

/// A uniform number inside (0, 1): ((word >> 9) + 0.5) * 2^-23, exactly.
[[nodiscard]] MX_HD constexpr float uniform_of(std::uint32_t word) noexcept {
  return (static_cast<float>(word >> 9) + 0.5F) * 0x1p-23F;
}

static_assert(philox(0, {{0, 0, 0, 0}}) ==
              philox_counter{{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}});
static_assert(philox(0xFFFFFFFFFFFFFFFF, {{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}}) ==
              philox_counter{{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}});
static_assert(uniform_of(0) == 0x1p-24F && uniform_of(0xFFFFFFFF) == 0x1.fffffep-1F);

}  // namespace mx
