// SPDX-License-Identifier: Apache-2.0
// sim/task/first_number.cpp: see first_number.h.
#include "sim/task/first_number.h"

#include <charconv>
#include <limits>

namespace sim {
namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Whether a word begins or ends before the character at an index.
bool is_boundary(std::string_view text, std::size_t at) {
  const bool before = at > 0 && is_word(text[at - 1]),
             behind = at < text.size() && is_word(text[at]);
  return before != behind;
}

std::size_t end_of_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_ascii_digit(text[at])) ++at;
  return at;
}

/// The number that begins at an index; empty if none does.
std::string_view number_at(std::string_view text, std::size_t begin) {
  if (!is_boundary(text, begin)) return {};
  const std::size_t digits = begin + (text[begin] == '-' ? 1 : 0);
  const std::size_t whole = end_of_digits(text, digits);
  if (whole == digits) return {};
  if (whole < text.size() && text[whole] == '.') {
    const std::size_t end = end_of_digits(text, whole + 1);
    if (end > whole + 1 && is_boundary(text, end)) return text.substr(begin, end - begin);
  }
  return is_boundary(text, whole) ? text.substr(begin, whole - begin) : std::string_view();
}

/// As Python's float: beyond binary64 it is infinite, or 0.
double binary64_of(std::string_view number) {
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const bool negative = number.front() == '-';
  const std::string_view whole = number.substr(0, number.find('.'));
  const bool large = whole.find_first_of("123456789") != std::string_view::npos;
  const double size = large ? std::numeric_limits<double>::infinity() : 0;
  return negative ? -size : size;
}

}  // namespace

std::optional<double> first_number_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view number = number_at(text, i);
    if (!number.empty()) return binary64_of(number);
  }
  return {};
}

}  // namespace sim
