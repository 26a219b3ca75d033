// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/conversion_table.h: the code of an element for every FP32 number before
// conversion, indexed by the upper 16 bits of the number.
// The presets' conversions change their rounding at numbers of at most 8 significant bits, and are
// monotone: between two numbers with the same upper bits and one code there is no other code.
// Special treatment of zero alone, and of the numbers within a rounded logarithm's last ULPs, lies
// at an end of such an interval.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/presets/variant.h"

namespace mx {

class conversion_table {
 public:
  /// Entry for upper bits whose numbers have several codes, or are NaN and Inf.
  static constexpr std::uint16_t undecided = 0x100;

  /// An empty table.
  conversion_table() = default;
  ///   code_of  code_of(y) of a finite y
  template <class CodeOf>
  explicit conversion_table(const CodeOf& code_of) : entries_(1U << 16) {
    for (std::uint32_t upper = 0; upper < entries_.size(); ++upper) {
      entries_[upper] = undecided;
      // Subnormals are excluded: a number that was rounded to one has lost bits.
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

/// The table of a conversion, 128 KiB, built once and cached; empty for method search and for
/// stochastic rounding.
[[nodiscard]] const conversion_table& table_of(const format& f, const element_conversion& c);

}  // namespace mx
