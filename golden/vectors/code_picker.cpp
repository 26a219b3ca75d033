// SPDX-License-Identifier: Apache-2.0
// golden/vectors/code_picker.cpp: selects codes of one format by value.
#include "golden/vectors/code_picker.h"

#include <algorithm>

#include "golden/reference/formats.h"

namespace golden {

code_picker::code_picker(const number_format& format)
    : format_(&format),
      unread_bits_(&format == &formats::tf32() ? 13 : 0),
      lowest_(floor_log2(format.magnitude(format.has_zero() ? 1 : 0))) {}

std::uint32_t code_picker::stored(bool negative, std::uint32_t magnitude) const {
  return format_->with_sign(negative, magnitude) << unread_bits_;
}

std::uint32_t code_picker::smallest(bool negative) const {
  return stored(negative, format_->has_zero() ? 1 : 0);
}

std::uint32_t code_picker::largest(bool negative) const {
  return stored(negative, format_->magnitudes() - 1);
}

std::uint32_t code_picker::largest_subnormal(bool negative) const {
  return stored(negative, (1U << format_->fraction_bits()) - 1);
}

std::uint32_t code_picker::smallest_normal(bool negative) const {
  return stored(negative, 1U << format_->fraction_bits());
}

std::uint32_t code_picker::first_of(int exponent) const {
  return format_->first_not_below(power_of_two(exponent)).value_or(format_->magnitudes());
}

std::uint32_t code_picker::power(int exponent, bool negative) const {
  return stored(negative, first_of(exponent));
}

std::uint32_t code_picker::in_binade(int exponent, bool negative, draws& from) const {
  const std::uint32_t first = first_of(exponent);
  const std::uint32_t last = first_of(exponent + 1) - 1;
  // All fraction bits are set at the end of a binade, which makes truncation most visible.
  return stored(negative, from.one_in(3) ? last : from.between(first, last));
}

std::uint32_t code_picker::finite(draws& from) const {
  const bool negative = from.one_in(2);
  const std::uint32_t code = stored(negative, from.between(0U, format_->magnitudes() - 1));
  if (format_ == &formats::ue4m3() && from.one_in(4)) return code | 0x80;
  return unread_bits_ == 0 ? code : code | from.between(0U, (1U << unread_bits_) - 1);
}

std::vector<std::uint32_t> code_picker::specials(number_kind kind) const {
  const int width = format_->width();
  const auto last = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
  const std::uint32_t ends[] = {
      format_->magnitudes(), format_->magnitudes() + 1, last / 2, last / 2 + 1, last / 2 + 2, last};
  std::vector<std::uint32_t> found;
  for (const std::uint32_t magnitude : ends) {
    for (const std::uint32_t code : {magnitude, magnitude | (last / 2 + 1)}) {
      if (code <= last && format_->decode(code).kind == kind) {
        found.push_back(code << unread_bits_);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::uint32_t> code_picker::nans() const { return specials(number_kind::nan); }

std::vector<std::uint32_t> code_picker::infinities() const {
  return specials(number_kind::infinite);
}

std::uint32_t code_picker::negated(std::uint32_t code) const {
  const number x = format_->decode(code >> unread_bits_);
  const auto magnitude = format_->last_not_above(x.value.magnitude);
  return stored(!x.value.negative, magnitude.value_or(0));
}

}  // namespace golden
