// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/decimal.cpp: numbers as the shortest decimals that parse to the same bits.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "mx/number/bits.h"
#include "mx/spelling.h"

namespace mx {
namespace {

constexpr std::uint32_t infinity_bits = 0x7F800000;
/// Exponents of the first digit between which all digits are written out.
constexpr int first_plain = -4, first_scientific = 16;

/// d[0].d[1]d[2]... * 10^exponent, with the fewest digits that identify the number.
struct decimal_digits {
  std::string digits;
  int exponent = 0;
};

decimal_digits digits_of(float magnitude) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), magnitude, std::chars_format::scientific);
  const std::string written(text.begin(), end.ptr);
  const std::size_t mark = written.find('e');
  decimal_digits d{written.substr(0, mark), std::atoi(written.c_str() + mark + 1)};
  std::erase(d.digits, '.');
  return d;
}

std::string scientific(const decimal_digits& d) {
  const std::string power = std::to_string(std::abs(d.exponent));
  return d.digits.substr(0, 1) + (d.digits.size() > 1 ? "." : "") + d.digits.substr(1) +
         (d.exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
}

std::string plain(const decimal_digits& d) {
  if (d.exponent < 0) {
    return "0." + std::string(static_cast<std::size_t>(-1 - d.exponent), '0') + d.digits;
  }
  const auto whole = static_cast<std::size_t>(d.exponent) + 1;
  if (d.digits.size() <= whole) return d.digits + std::string(whole - d.digits.size(), '0');
  return d.digits.substr(0, whole) + "." + d.digits.substr(whole);
}

}  // namespace

std::string decimal_text(float value) {
  const std::uint32_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > infinity_bits) return "NaN";
  const std::string sign = bits != magnitude ? "-" : "";
  if (magnitude == infinity_bits) return sign + "Inf";
  const decimal_digits d = digits_of(float_of(magnitude));
  const bool in_full = d.exponent >= first_plain && d.exponent < first_scientific;
  return sign + (in_full ? plain(d) : scientific(d));
}

}  // namespace mx
