// SPDX-License-Identifier: Apache-2.0
// golden/reference/number_format.cpp: a number format is the list of the numbers its codes stand
// for.
#include "golden/reference/number_format.h"

#include <utility>

namespace golden {
namespace {

constexpr std::uint32_t longest_list = 4096;

}  // namespace

number_format::number_format(code_layout layout, definition magnitude)
    : layout_(std::move(layout)),
      magnitude_(std::move(magnitude)),
      largest_(magnitude_(layout_.magnitudes - 1)),
      emax_(floor_log2(largest_)) {
  if (layout_.magnitudes > longest_list) return;
  for (std::uint32_t code = 0; code < layout_.magnitudes; ++code) {
    list_.push_back(magnitude_(code));
  }
}

rational number_format::magnitude(std::uint32_t code) const {
  return list_.empty() ? magnitude_(code) : list_.at(code);
}

number number_format::unsigned_number(bool negative, std::uint32_t code) const {
  if (code < layout_.magnitudes) return {number_kind::finite, {negative, magnitude(code)}};
  if (code == layout_.infinity) return {number_kind::infinite, {negative, 0}};
  return {number_kind::nan, {}};
}

number number_format::decode(std::uint32_t code) const {
  if (layout_.sign == sign_coding::none) {
    const std::uint64_t codes = std::uint64_t{1} << layout_.width;
    return unsigned_number(false, static_cast<std::uint32_t>(code % codes));
  }
  const std::uint32_t first_negative = 1U << (layout_.width - 1);
  if (code < first_negative) return unsigned_number(false, code);
  if (layout_.sign == sign_coding::twos_complement) {
    const std::uint32_t units = first_negative - (code - first_negative);
    return {number_kind::finite, {true, magnitude_(units)}};
  }
  const bool lone_sign = code == first_negative;
  if (lone_sign && layout_.sign == sign_coding::highest_bit_but_zero) return {number_kind::nan, {}};
  return unsigned_number(true, code - first_negative);
}

std::uint32_t number_format::with_sign(bool negative, std::uint32_t magnitude_code) const {
  const std::uint32_t first_negative =
      layout_.sign == sign_coding::none ? 0U : 1U << (layout_.width - 1);
  const bool zero = magnitude_code == 0 && has_zero();
  if (!negative || (zero && layout_.sign != sign_coding::highest_bit)) return magnitude_code;
  if (layout_.sign == sign_coding::twos_complement) return 2 * first_negative - magnitude_code;
  return first_negative + magnitude_code;
}

std::optional<std::uint32_t> number_format::first_not_below(const rational& value) const {
  std::uint32_t first = 0;
  std::uint32_t end = layout_.magnitudes;  // the code looked for is in [first, end]
  while (first < end) {
    const std::uint32_t middle = first + (end - first) / 2;
    if (magnitude(middle) < value) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == layout_.magnitudes) return std::nullopt;
  return first;
}

std::optional<std::uint32_t> number_format::last_not_above(const rational& value) const {
  const std::optional<std::uint32_t> at_or_above = first_not_below(value);
  if (at_or_above && magnitude(*at_or_above) == value) return at_or_above;
  const std::uint32_t below = at_or_above.value_or(layout_.magnitudes);
  if (below == 0) return std::nullopt;
  return below - 1;
}

}  // namespace golden
