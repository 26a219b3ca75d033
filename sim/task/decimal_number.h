// SPDX-License-Identifier: Apache-2.0
// sim/task/decimal_number.h: decimal numbers as text, exactly.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sim {

/// digits * 10^exponent, with its sign. Equal numbers have equal members.
///   digits  without zeros at either end; empty: the number is 0, whose exponent is 0 and sign +
struct decimal_number {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  friend bool operator==(const decimal_number&, const decimal_number&) = default;
};

/// The finite number that Python's decimal.Decimal reads from an ASCII text: a sign, digits with a
/// point, an exponent; white space around them and underscores anywhere between are skipped.
///   returns  no value for any other text, Infinity and NaN included, and beyond Decimal's
///            exponents
[[nodiscard]] std::optional<decimal_number> decimal_in(std::string_view text);

/// Whether |a - b| <= tolerance.
///   b, tolerance  with at most `most_places` digits before and behind the point; a is any number
[[nodiscard]] bool is_within(const decimal_number& a, const decimal_number& b,
                             const decimal_number& tolerance);

inline constexpr std::int64_t most_places = 1000;
[[nodiscard]] bool has_few_places(const decimal_number& n);

}  // namespace sim
