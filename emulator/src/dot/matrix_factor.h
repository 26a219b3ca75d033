// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/matrix_factor.h: one factor of a product, converted to matrices of bfloat16 on
// demand.
#pragma once
#include <cstdint>
#include <vector>

#include "dot/gemm_codes.h"
#include "dot/gemm_matrix.h"

namespace mx {

/// What both factors of products under a format of scales look up.
struct matrix_tables {
  gemm_scale_table scales;
  scaled_codes codes;

  explicit matrix_tables(const format& scale);
};

/// Rows of A or columns of B in pairs of 16.
class matrix_factor {
 public:
  static constexpr int pair_lines = 2 * matrix::lines;
  using place_function = decltype(matrix_kernels::place_left);

  /// Checks all scales.
  matrix_factor(const matrix_kernels& kernels, const matrix_tables& tables,
                const gemm_operand& source, std::int64_t lines, std::int64_t k);

  /// Whether the kernels support every scale.
  [[nodiscard]] bool is_regular() const { return regular_; }

  /// Bounds of the scales of the lines [32 pair, 32 pair + 32).
  [[nodiscard]] const scale_bounds& bounds_of(std::int64_t pair) const {
    return bounds_[static_cast<std::size_t>(pair)];
  }

  /// Stores matrices of 16 lines from `line` on, `slabs` of them from k = `first` on.
  void place(place_function in_order, std::int64_t line, std::int64_t first, int slabs,
             std::uint16_t* to) const;

  /// Stores exponents of 32 lines from `line` on, as in matrix_exponents, for `slabs` slabs from
  /// k = `first` on. For blocks of 32.
  void place_exponents(std::int64_t line, std::int64_t first, int slabs, std::int32_t* exponents,
                       std::uint32_t* none) const;

 private:
  void look_through(std::int64_t pair);
  void look_through_line(std::int64_t line, scale_bounds& bounds);
  [[nodiscard]] scale_bounds bounds_of_step(std::int64_t line, std::int64_t step) const;
  [[nodiscard]] const gemm_scale& scale_of(std::int64_t line, std::int64_t block) const;
  [[nodiscard]] bool is_zero(std::int64_t line, std::int64_t block) const;

  int unit_;
  const matrix_tables& tables_;
  code_lines codes_;
  const std::uint8_t* scales_;
  std::int64_t lines_, blocks_;
  std::vector<scale_bounds> bounds_;
  std::vector<std::uint8_t> irregular_;
  bool regular_ = true;
};

}  // namespace mx
