// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/measured_apart.h: a measurement in a process of its own.
#pragma once
#include <functional>

namespace sim::cli {

/// What `measure` gives in a child: nothing is simulated here, so that a next one can elaborate too.
///   errors  std::runtime_error where the child does not end well
[[nodiscard]] double measured_apart(const std::function<double()>& measure);

}  // namespace sim::cli
