// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/dot_yardstick.h: how fast this machine adds products of bytes, memory aside.
#pragma once
#include <string>

namespace sim::cli {

/// An instruction that uses registers alone.
struct dot_yardstick {
  std::string name;     ///< of the instruction; empty: unsupported
  double products = 0;  ///< 10^9 a second, one thread
};

/// The widest dot instruction of the machine.
[[nodiscard]] dot_yardstick measure_dot_yardstick();

/// The instruction that multiplies matrices of bfloat16.
[[nodiscard]] dot_yardstick measure_matrix_yardstick();

}  // namespace sim::cli
