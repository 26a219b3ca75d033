// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/measured_apart.h: a measurement in a separate process.
#pragma once
#include <functional>

namespace sim::cli {

/// Result of `measure` in a child; this process simulates nothing, so later children can elaborate.
///   errors  std::runtime_error where the child fails
[[nodiscard]] double measured_apart(const std::function<double()>& measure);

}  // namespace sim::cli
