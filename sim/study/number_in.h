// SPDX-License-Identifier: Apache-2.0
// sim/study/number_in.h: the number that a whole text is.
#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace sim {

/// As std::from_chars reads it: "12", "-1.5e3", "inf"; none of a text that has anything else, or a
/// number that the type does not hold.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional{value} : std::nullopt;
}

/// An integer as TOML writes one in decimal: without a sign but a minus, and without leading zeros,
/// which other readers take for octal.
template <std::integral Integer>
[[nodiscard]] std::optional<Integer> decimal_in(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  return number_in<Integer>(text);
}

}  // namespace sim
