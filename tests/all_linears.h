// SPDX-License-Identifier: Apache-2.0
// tests/all_linears.h: the linears of a layer without experts, to go through.
#pragma once
#include <array>

#include "sim/study/linear.h"

namespace test {

using sim::linear;

inline constexpr std::array all_linears{linear::q,    linear::k,  linear::v,   linear::o,
                                        linear::gate, linear::up, linear::down};

}  // namespace test
