// SPDX-License-Identifier: Apache-2.0
// golden/reference/operand_format.h: from the bits of an operand to a term.
// Source: MMA-Sim, arXiv 2511.10909v2 and its program (a TF32 operand is an FP32 pattern without
// its low 13 bits; the highest bit of UE4M3 is no part of the number).
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include "golden/reference/term.h"

namespace golden {

class operand_format {
 public:
  explicit operand_format(const number_format& format);

  [[nodiscard]] const number_format& format() const { return format_; }
  /// Exponent of the smallest normal number; of the smallest number where there is no zero.
  [[nodiscard]] int emin() const { return emin_; }

  /// What the bits stand for.
  ///   exponent  between those of the smallest and the largest normal number: -2 in INT8 has 0, as
  ///             all its numbers have
  ///   bits      a code; an FP32 pattern for TF32; the highest bit of UE4M3 is ignored
  ///   errors    std::out_of_range where they are no code of the format
  [[nodiscard]] term read(std::uint32_t bits) const;

 private:
  [[nodiscard]] term decoded(std::uint32_t code) const;
  [[nodiscard]] std::uint32_t code_of(std::uint32_t bits) const;

  const number_format& format_;
  int emin_;
  mutable std::once_flag table_made_;
  mutable std::vector<term> table_;  // of formats up to 16 bits wide, made at the first reading
};

/// One for each format, made at the first call.
[[nodiscard]] const operand_format& operands_of(const number_format& format);

}  // namespace golden
