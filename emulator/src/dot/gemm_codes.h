// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_codes.h: codes of E2M1 along the lines of an operand.
#pragma once
#include <algorithm>
#include <cstdint>

#include "mx/dot/bulk_gemm.h"
#include "mx/tensor/blocks.h"

namespace mx {

class code_lines {
 public:
  code_lines(const gemm_operand& source, std::int64_t lines, std::int64_t k)
      : codes_(static_cast<const std::uint8_t*>(source.codes)),
        line_bytes_(source.line_bytes),
        in_pairs_(source.storage == code_storage::pairs),
        lines_(lines),
        k_(k) {}

  [[nodiscard]] code_packing packing() const {
    return in_pairs_ ? code_packing::packed : code_packing::unpacked;
  }

  /// Codes of a line in place, or copied to `space` and padded with zeros after the line's end.
  ///   line   zeros beyond the last one
  ///   first  even
  ///   space  of `count` bytes
  [[nodiscard]] const std::uint8_t* at(std::int64_t line, std::int64_t first, std::int64_t count,
                                       std::uint8_t* space) const {
    const std::int64_t there = line < lines_ ? std::clamp<std::int64_t>(k_ - first, 0, count) : 0;
    const std::uint8_t* codes = nullptr;
    if (there > 0) codes = codes_ + line * line_bytes_ + (in_pairs_ ? first / 2 : first);
    if (there == count) return codes;
    std::fill_n(space, count, std::uint8_t{0});
    if (there > 0) std::copy_n(codes, in_pairs_ ? (there + 1) / 2 : there, space);
    if (in_pairs_ && there % 2 != 0) space[there / 2] &= 0x0F;
    return space;
  }

 private:
  const std::uint8_t* codes_;
  std::int64_t line_bytes_;
  bool in_pairs_;
  std::int64_t lines_, k_;
};

}  // namespace mx
