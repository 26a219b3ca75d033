// SPDX-License-Identifier: Apache-2.0
// sim/study/system_failure.h: which exceptions are failures of the system, not of this program.
#pragma once
#include <exception>
#include <string>

namespace sim {

/// What to do where no thread can be made.
inline constexpr const char* more_threads =
    "raise the limit on processes (ulimit -u, pids.max) or memory (ulimit -v)";

/// The message of an exception by which a call of the system failed: with the question whether the
/// disk is full where the error may mean that, with the limits to raise for a thread that cannot be
/// made. Empty for any other exception.
[[nodiscard]] std::string system_failure(const std::exception& ended);

}  // namespace sim
