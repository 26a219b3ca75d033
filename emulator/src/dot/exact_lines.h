// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/exact_lines.h: common units and magnitudes of the numbers of a factor's lines,
// which determine whether sums of their products are exact.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "mx/dot/product.h"

namespace mx {

/// The numbers of a line, elements including their scales, as integers times 2^unit.
///   largest    of their magnitudes, below 2^24      sum  of all magnitudes
///   exponent   at least every exponent at which the model reads one of them, or if a model adds
///              exact sums of groups, one of their scales
///   is_number  the line has a nonzero number and neither NaN nor Inf; all are binary32 numbers
///              and not subnormal. Otherwise the other members are unspecified
struct exact_line {
  int unit = 0, exponent = no_exponent;
  std::uint64_t largest = 0, sum = 0;
  bool is_number = false;
};

/// The numbers of a format's codes and of a model's scales.
class exact_numbers {
 public:
  /// An odd significand times 2^exponent, or zero; `read` is the exponent used for alignment.
  struct number {
    std::uint32_t significand = 0;
    int exponent = 0, read = 0;
    bool is_special = false;
    float value = 0;
  };

  ///   f  model.a or model.b
  exact_numbers(const dot_model& model, const format& f);

  [[nodiscard]] number element(std::uint32_t code) const {
    return code < elements_.size() ? elements_[code] : number_of(factor_of(model_, format_, code));
  }
  [[nodiscard]] const number& scale(std::uint8_t code) const { return scales_[code]; }
  [[nodiscard]] const dot_model& model() const { return model_; }

 private:
  static number number_of(const factor& x);

  dot_model model_;
  format format_;
  std::vector<number> elements_, scales_;  ///< by code
};

/// The lines of A or of B.
class exact_lines {
 public:
  exact_lines(const exact_numbers& numbers, const gemm_operand& from, std::int64_t lines,
              std::int64_t k);

  [[nodiscard]] const exact_line& operator[](std::int64_t line) const {
    return lines_[static_cast<std::size_t>(line)];
  }
  /// The numbers of a part of a line; unspecified unless the line is_number.
  ///   first  a multiple of the model's block
  void copy(std::int64_t line, std::int64_t first, std::int64_t count, float* out) const;

 private:
  using number = exact_numbers::number;
  [[nodiscard]] std::uint32_t code_at(std::int64_t line, std::int64_t k) const;
  [[nodiscard]] const number& scale_at(std::int64_t line, std::int64_t k) const;
  [[nodiscard]] exact_line line_of(std::int64_t line) const;
  template <class Work>
  void visit(std::int64_t line, std::int64_t first, std::int64_t last, const Work& work) const;

  const exact_numbers& numbers_;
  gemm_operand from_;
  std::int64_t k_;
  std::vector<exact_line> lines_;
};

}  // namespace mx
