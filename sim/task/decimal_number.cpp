// SPDX-License-Identifier: Apache-2.0
// sim/task/decimal_number.cpp: see decimal_number.h.
#include "sim/task/decimal_number.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>

namespace sim {
namespace {

/// Limits of decimal.Decimal: of the first digit's exponent, and of the last one's.
constexpr std::int64_t highest_exponent = 999'999'999'999'999'999;
constexpr std::int64_t lowest_exponent = -1'999'999'999'999'999'997;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Those of Python's str.isspace in ASCII.
bool is_space(char c) { return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F); }

std::string without_spaces_and_underscores(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  std::string result(text);
  std::erase(result, '_');
  return result;
}

/// Takes the sign off the text. Returns whether it is a minus.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Of "e-12", taken off the text; 0 of none. No value where it has no digits, or more than 64 bits.
std::optional<std::int64_t> take_exponent(std::string_view& text) {
  if (!text.starts_with('e') && !text.starts_with('E')) return 0;
  text.remove_prefix(1);
  const bool negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || value > -lowest_exponent) return {};
  return negative ? -value : value;
}

/// Exponent behind the first digit: |n| < 10^top.
std::int64_t top(const decimal_number& n) {
  return n.exponent + static_cast<std::int64_t>(n.digits.size());
}

/// Moves the zeros at the end into the exponent.
decimal_number reduced(decimal_number n) {
  const std::size_t first = n.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  const std::size_t last = n.digits.find_last_not_of('0');
  n.exponent += static_cast<std::int64_t>(n.digits.size() - 1 - last);
  n.digits = n.digits.substr(first, last + 1 - first);
  return n;
}

/// n / 10^unit, where that is an integer.
boost::multiprecision::cpp_int multiple(const decimal_number& n, std::int64_t unit) {
  if (n.digits.empty()) return 0;
  const auto zeros = static_cast<std::size_t>(n.exponent - unit);
  const boost::multiprecision::cpp_int size(n.digits + std::string(zeros, '0'));
  return n.negative ? boost::multiprecision::cpp_int(-size) : size;
}

}  // namespace

std::optional<decimal_number> decimal_in(std::string_view text) {
  const std::string kept = without_spaces_and_underscores(text);
  std::string_view rest = kept;
  const bool negative = take_sign(rest);
  std::string digits(take_digits(rest));
  std::int64_t places = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string_view behind = take_digits(rest);
    places = static_cast<std::int64_t>(behind.size());
    digits += behind;
  }
  if (digits.empty()) return {};
  const auto exponent = take_exponent(rest);
  if (!exponent || !rest.empty()) return {};
  decimal_number n{negative, digits, *exponent - places};
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  if (n.exponent < lowest_exponent) return {};
  if (top(n) - 1 - static_cast<std::int64_t>(first) > highest_exponent) return {};
  return reduced(std::move(n));
}

bool is_within(const decimal_number& a, const decimal_number& b, const decimal_number& tolerance) {
  // b and the tolerance are multiples of ten times this unit: a number below it has no effect but
  // by its sign, however small it is.
  const std::int64_t fine = std::min(b.exponent, tolerance.exponent) - 1;
  decimal_number near = a;
  if (!a.digits.empty() && top(a) <= fine) {
    near = {a.negative, "1", fine};
  } else if (!a.digits.empty() && top(a) > std::max(top(b), top(tolerance)) + 1) {
    return false;
  }
  const std::int64_t unit = std::min(fine, near.exponent);
  const boost::multiprecision::cpp_int difference = multiple(near, unit) - multiple(b, unit);
  return abs(difference) <= multiple(tolerance, unit);
}

bool has_few_places(const decimal_number& n) {
  return n.exponent >= -most_places && top(n) <= most_places;
}

}  // namespace sim
