// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/stalls.h: when a side of a stream goes on and when it waits, at random but the same
// for the same seed.
#pragma once
#include <cstdint>
#include <random>

namespace hardware {

class stalls {
 public:
  /// Goes on in `pace` of 16 cycles: 16 never waits, 0 always.
  explicit stalls(std::uint32_t seed = 1, unsigned pace = always) : from_(seed + 1), pace_(pace) {}

  static constexpr unsigned always = 16;

  [[nodiscard]] bool goes() { return pace_ == always || (from_() >> 8) % always < pace_; }

 private:
  std::minstd_rand from_;
  unsigned pace_;
};

}  // namespace hardware
