// SPDX-License-Identifier: Apache-2.0
// sim/task/first_number.h: the number that a text names first.
// Source: reasoning-gym 0.1.25, gsm_symbolic.py, score_answer.
#pragma once
#include <optional>
#include <string_view>

namespace sim {

/// The first match of Python's \b-?\d+(?:\.\d+)?\b, as the nearest binary64: digits with digits
/// behind a point, no letter, digit or underscore beside them. A minus sign counts directly behind
/// one of these alone: "-5" is 5, and "x-5" is -5.
///   text  characters beyond ASCII count as no letters and no digits
[[nodiscard]] std::optional<double> first_number_in(std::string_view text);

}  // namespace sim
