// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/dot_yardstick.h: how fast this machine adds products of bytes, memory aside.
#pragma once
#include <string>

namespace sim::cli {

/// The widest dot instruction of the machine on registers alone.
struct dot_yardstick {
  std::string name;     ///< of the instruction; empty where there is none
  double products = 0;  ///< 10^9 a second, one thread
};

[[nodiscard]] dot_yardstick measure_dot_yardstick();

}  // namespace sim::cli
