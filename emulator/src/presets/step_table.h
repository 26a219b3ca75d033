// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/step_table.h: a code that follows from a positive FP32 number and never
// falls as that grows, looked up. Equals the function from which it is made.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/number/bits.h"

namespace mx {

/// The normal numbers in sixteenths of a binade, in each of which the code grows at most once.
class step_table {
 public:
  ///   code_of  code_of(x) of a positive normal number, 0 to 255
  template <class CodeOf>
  explicit step_table(const CodeOf& code_of) : steps_(std::size_t{255} * parts) {
    for (std::uint32_t field = 1; field < 255; ++field) {
      const std::uint32_t first = field << 23;
      const bool constant = code_of(float_of(first)) == code_of(float_of(first | 0x7FFFFF));
      for (std::uint32_t part = 0; part < parts; ++part) {
        const std::uint32_t from = first + part * part_size;
        steps_[from / part_size] =
            constant ? step{0x7FFFFFFF, code_of(float_of(from)), true} : step_in(code_of, from);
      }
    }
  }

  /// Whether the code of a pattern is known.
  [[nodiscard]] bool has(std::uint32_t bits) const {
    return bits - 0x00800000 < 0x7F000000 && steps_[bits / part_size].known;
  }
  ///   bits  has(bits)
  [[nodiscard]] std::uint32_t operator[](std::uint32_t bits) const {
    const step& at = steps_[bits / part_size];
    return at.code + (bits >= at.up ? 1U : 0U);
  }

 private:
  static constexpr std::uint32_t parts = 16, part_size = (1U << 23) / parts;

  /// `code` below the pattern `up`, and one more from it on.
  struct step {
    std::uint32_t up = 0;
    std::uint32_t code = 0;
    bool known = false;
  };

  template <class CodeOf>
  static step step_in(const CodeOf& code_of, std::uint32_t from) {
    const std::uint32_t code = code_of(float_of(from));
    std::uint32_t below = from, up = from + part_size - 1;
    const std::uint32_t last = code_of(float_of(up));
    if (last == code) return {0x7FFFFFFF, code, true};
    while (up - below > 1) {
      const std::uint32_t middle = below + (up - below) / 2;
      (code_of(float_of(middle)) == code ? below : up) = middle;
    }
    return {up, code, last == code + 1};
  }

  std::vector<step> steps_;
};

}  // namespace mx
