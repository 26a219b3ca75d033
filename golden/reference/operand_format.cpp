// SPDX-License-Identifier: Apache-2.0
// golden/reference/operand_format.cpp: from the bits of an operand to a term.
#include "golden/reference/operand_format.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "golden/reference/formats.h"

namespace golden {
namespace {

constexpr int widest_table = 16;

std::uint32_t first_normal(const number_format& format) {
  return format.has_zero() ? 1U << format.fraction_bits() : 0;
}

}  // namespace

operand_format::operand_format(const number_format& format)
    : format_(format), emin_(floor_log2(format.magnitude(first_normal(format)))) {}

term operand_format::decoded(std::uint32_t code) const {
  const number x = format_.decode(code);
  if (x.kind == number_kind::nan) return nan_term();
  if (x.kind == number_kind::infinite) return infinite_term(x.value.negative);
  term read{number_kind::finite, x.value.negative, dyadic_of(x.value.value()), 0};
  if (!read.is_zero()) {
    read.exponent = std::min(exponent_in(emin_, read.value), format_.emax());
  }
  return read;
}

std::uint32_t operand_format::code_of(std::uint32_t bits) const {
  if (&format_ == &formats::tf32()) return bits >> 13;
  if (&format_ == &formats::ue4m3() && bits < 256) return bits % 128;
  if (format_.width() < 32 && bits >> format_.width() != 0) {
    throw std::out_of_range("golden::operand_format: " + std::to_string(bits) + " is no code of " +
                            format_.name());
  }
  return bits;
}

term operand_format::read(std::uint32_t bits) const {
  const std::uint32_t code = code_of(bits);
  if (format_.width() > widest_table) return decoded(code);
  std::call_once(table_made_, [this] {
    const std::uint32_t codes = 1U << format_.width();
    for (std::uint32_t each = 0; each < codes; ++each) table_.push_back(decoded(each));
  });
  return table_.at(code);
}

const operand_format& operands_of(const number_format& format) {
  static std::mutex one_at_a_time;
  static std::map<const number_format*, operand_format> made;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  return made.try_emplace(&format, format).first->second;
}

}  // namespace golden
