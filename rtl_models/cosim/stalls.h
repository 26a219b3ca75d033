// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/stalls.h: when a side of a stream proceeds and when it stalls, at random but
// reproducibly by seed.
#pragma once
#include <cstdint>
#include <random>

namespace hardware {

class stalls {
 public:
  /// Proceeds in `pace` of 16 cycles: 16 never stalls, 0 always.
  explicit stalls(std::uint32_t seed = 1, unsigned pace = always) : from_(seed + 1), pace_(pace) {}

  static constexpr unsigned always = 16;

  [[nodiscard]] bool goes() { return pace_ == always || (from_() >> 8) % always < pace_; }

 private:
  std::minstd_rand from_;
  unsigned pace_;
};

}  // namespace hardware
