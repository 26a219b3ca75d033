// SPDX-License-Identifier: Apache-2.0
// golden/vectors/code_picker.h: selects codes of one format by value.
#pragma once
#include <cstdint>
#include <vector>

#include "golden/reference/number_format.h"
#include "golden/vectors/draws.h"

namespace golden {

/// Codes are in operand form: TF32 in the high bits of an FP32 pattern.
class code_picker {
 public:
  explicit code_picker(const number_format& format);

  [[nodiscard]] const number_format& format() const { return *format_; }
  /// Exponents of the smallest positive number and of the largest.
  [[nodiscard]] int lowest() const { return lowest_; }
  [[nodiscard]] int highest() const { return format_->emax(); }
  [[nodiscard]] bool has(int exponent) const {
    return lowest() <= exponent && exponent <= highest();
  }

  [[nodiscard]] std::uint32_t zero(bool negative) const { return stored(negative, 0); }
  [[nodiscard]] std::uint32_t smallest(bool negative) const;
  [[nodiscard]] std::uint32_t largest(bool negative) const;
  /// The last code below the smallest normal number, and that number; codes 0 and 1 in a format
  /// without subnormals.
  [[nodiscard]] std::uint32_t largest_subnormal(bool negative) const;
  [[nodiscard]] std::uint32_t smallest_normal(bool negative) const;

  /// 2^exponent, and a number in [2^exponent, 2^(exponent + 1)).
  ///   exponent  between lowest() and highest()
  [[nodiscard]] std::uint32_t power(int exponent, bool negative) const;
  [[nodiscard]] std::uint32_t in_binade(int exponent, bool negative, draws& from) const;
  /// Any finite number, with random unread bits.
  [[nodiscard]] std::uint32_t finite(draws& from) const;

  /// Codes of NaN or Inf, from the ends of their ranges; empty if the format has none.
  [[nodiscard]] std::vector<std::uint32_t> nans() const;
  [[nodiscard]] std::vector<std::uint32_t> infinities() const;

  /// The code of the negated number.
  [[nodiscard]] std::uint32_t negated(std::uint32_t code) const;

 private:
  [[nodiscard]] std::uint32_t first_of(int exponent) const;
  [[nodiscard]] std::uint32_t stored(bool negative, std::uint32_t magnitude) const;
  [[nodiscard]] std::vector<std::uint32_t> specials(number_kind kind) const;

  const number_format* format_;
  int unread_bits_;
  int lowest_;
};

}  // namespace golden
