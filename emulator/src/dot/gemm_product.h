// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_product.h: elements of D = A B + C, by the core and by vector kernels.
#pragma once
#include <tbb/parallel_for.h>

#include "dot/gemm_lines.h"
#include "mx/dot/bulk_gemm.h"

namespace mx {

/// Elements of D: [row, end_row) x [column, end_column).
struct gemm_region {
  std::int64_t row, end_row, column, end_column;

  [[nodiscard]] std::int64_t rows() const { return end_row - row; }
  [[nodiscard]] std::int64_t columns() const { return end_column - column; }
};

/// Rows and columns of D that one task computes.
struct gemm_task {
  std::int64_t rows, columns;
};

/// Elements by mx::dot.
class core_product {
 public:
  static constexpr gemm_task task{192, 512};

  core_product(const dot_model& model, const gemm_shape& shape, const gemm_operand& a,
               const gemm_operand& b)
      : model_(model), shape_(shape), a_(a), b_(b) {}

  [[nodiscard]] const dot_model& model() const { return model_; }
  [[nodiscard]] const gemm_shape& shape() const { return shape_; }
  [[nodiscard]] const gemm_operand& a() const { return a_; }
  [[nodiscard]] const gemm_operand& b() const { return b_; }

  /// One element over k in [first, first + count).
  ///   first  a multiple of the model's block, and even
  [[nodiscard]] std::uint32_t element(std::int64_t row, std::int64_t column, std::int64_t first,
                                      std::int64_t count, std::uint32_t c) const;

  /// Steps of 64 of single elements, relative to this position.
  [[nodiscard]] exact_steps steps_of(std::int64_t row, std::int64_t column,
                                     std::int64_t step) const;

  /// A region's sums over a range of k, as in element(): region.rows() x region.columns().
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;

 private:
  dot_model model_;
  gemm_shape shape_;
  gemm_operand a_, b_;
};

/// The kernels for a product; null if only the core supports it.
[[nodiscard]] const gemm_kernels* kernels_of(const dot_model& model, const gemm_operand& a,
                                             const gemm_operand& b, dot_instruction dot);

/// Whether the kernels do not support C as a start: -0, a subnormal, Inf, NaN.
[[nodiscard]] inline bool is_irregular_start(std::uint32_t c) {
  const std::uint32_t field = c & 0x7F800000;
  return (field == 0x7F800000) | ((field == 0) & (c != 0));
}

/// Upper bound of the binades by which a sum of k products exceeds the largest scale.
[[nodiscard]] int growth_over(std::int64_t k);

/// A tile of D, from a unit of k on.
struct gemm_tile_place {
  std::int64_t strip, panel, unit;
};

/// Elements by the kernels of an instruction set, and by the core where they are unsupported.
class vector_product {
 public:
  /// Columns of B stay in a cache for all rows.
  static constexpr gemm_task task{192, 512};

  vector_product(const gemm_kernels& kernels, const core_product& by_core);

  /// As core_product::add.
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;

 private:
  /// Whether the kernels support every element of a region, starting with C.
  [[nodiscard]] bool is_regular(const gemm_region& region, const std::uint32_t* c) const;
  void chunks(const gemm_region& region, std::int64_t first, std::int64_t last,
              const gemm_sums& sums) const;
  void chunk(const gemm_region& region, std::int64_t unit, std::int64_t units,
             const gemm_sums& sums) const;
  void tile(const gemm_tile_place& at, const gemm_slice& a, const gemm_slice& b, std::int64_t units,
            const gemm_sums& sums) const;
  [[nodiscard]] bool is_near(std::int64_t strip, std::int64_t panel) const;

  const gemm_kernels& kernels_;
  const core_product& by_core_;
  gemm_scale_table scales_;
  gemm_lines left_, right_;
  int growth_;
};

}  // namespace mx
