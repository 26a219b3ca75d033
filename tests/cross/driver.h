// SPDX-License-Identifier: Apache-2.0
// tests/cross/driver.h: compares all backends on every case and reports the first difference.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "backends.h"
#include "blocks.h"

namespace cross {

/// The first difference in full: bits, fields, both sides, and the command that replays it; empty
/// if all agree. The environment variable MX_CROSS_CASE names the only case to run.
[[nodiscard]] std::optional<std::string> first_difference(const std::vector<named_block>& cases,
                                                          const std::vector<operation>& operations);

/// The same for the exact parts of the error, under both rules, in blocks without NaN and Inf.
[[nodiscard]] std::optional<std::string> first_difference_of_parts(
    const std::vector<named_block>& cases);

}  // namespace cross
