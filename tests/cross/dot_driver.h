// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_driver.h: compares all backends on every word of a model and reports the first
// difference.
#pragma once
#include <optional>
#include <string>

#include "dot_backends.h"

namespace cross {

/// The first difference in full: bits, fields, both sides, the operands that matter, and the
/// command that replays it; empty if all agree. The environment variable MX_CROSS_CASE names the
/// only word to run.
///   count  words of each kind and length
[[nodiscard]] std::optional<std::string> first_difference(const dot_twins& twins, int count);

}  // namespace cross
