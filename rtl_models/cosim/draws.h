// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/draws.h: random integers from a seed and a number.
#pragma once
#include <cstdint>
#include <random>

namespace hardware {

/// Draws integers independently of the standard library; the remainder's bias does not matter here.
class draws {
 public:
  draws(std::uint32_t seed, std::uint32_t index) : from_(std::uint64_t{seed} << 32 | index) {}

  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((from_() >> 32) % bound);
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(from_() >> 32); }

 private:
  std::mt19937_64 from_;
};

}  // namespace hardware
