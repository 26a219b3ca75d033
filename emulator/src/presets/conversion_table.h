// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/conversion_table.h: the code of an element for every FP32 number that it may
// be made of, by the upper 16 bits of the number.
// Conversions of others round a magnitude up and down at numbers of at most 8 significant bits, and
// give what is larger no smaller code: between two numbers with the same upper bits and one code
// there is no other. What they do to a zero alone, and between the numbers of a rounded logarithm's
// last ULPs, lies at an end of such an interval.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/presets/variant.h"

namespace mx {

class conversion_table {
 public:
  /// In an entry: numbers with these upper bits have several codes, or are NaN and Inf.
  static constexpr std::uint16_t undecided = 0x100;

  /// A table that is not filled.
  conversion_table() = default;
  ///   code_of  code_of(y) of a finite y
  template <class CodeOf>
  explicit conversion_table(const CodeOf& code_of) : entries_(1U << 16) {
    for (std::uint32_t upper = 0; upper < entries_.size(); ++upper) {
      entries_[upper] = undecided;
      // Subnormals are left out: what rounds to one has lost bits.
      const std::uint32_t field = upper >> 7 & 0xFF;
      if (field == 0 || field == 0xFF) continue;
      const std::uint8_t first = code_of(float_of(upper << 16));
      const std::uint8_t last = code_of(float_of(upper << 16 | 0xFFFF));
      if (first == last) entries_[upper] = first;
    }
  }

  [[nodiscard]] bool is_filled() const { return !entries_.empty(); }
  /// The code, or `undecided`.
  [[nodiscard]] std::uint16_t operator[](float y) const { return entries_[bits_of(y) >> 16]; }

 private:
  std::vector<std::uint16_t> entries_;
};

/// The table of a conversion, 128 KiB, which is made once and kept; of method search, or stochastic, one
/// that is not filled.
[[nodiscard]] const conversion_table& table_of(const format& f, const element_conversion& c);

}  // namespace mx
