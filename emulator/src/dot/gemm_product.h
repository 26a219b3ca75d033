// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_product.h: elements of D = A B + C, by the core and by vector kernels.
#pragma once

#include "dot/gemm_lines.h"
#include "dot/gemm_output.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/tensor/parallel.h"

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

  /// Whether a range of k begins with a step of `grain`, and ends with one or with k.
  [[nodiscard]] bool is_of_steps(std::int64_t first, std::int64_t count, std::int64_t grain) const {
    const bool ends = first + count == shape_.k;
    return first % grain == 0 && (count % grain == 0 || ends);
  }

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

/// Whether an operand holds codes of E2M1 as the kernels read them.
[[nodiscard]] bool has_kernel_codes(const format& f, const gemm_operand& operand);

/// The kernels for products with B; null if only the core supports them. They need
/// has_kernel_codes(model.a, A).
[[nodiscard]] const gemm_kernels* kernels_of(const dot_model& model, const gemm_operand& b,
                                             dot_instruction dot);

/// Whether the kernels do not support C as a start: -0, a subnormal, Inf, NaN.
[[nodiscard]] inline bool is_irregular_start(std::uint32_t c) {
  const std::uint32_t field = c & 0x7F800000;
  return (field == 0x7F800000) | ((field == 0) & (c != 0));
}

/// Upper bound of the binades by which a sum of k products exceeds the largest scale.
[[nodiscard]] int growth_over(std::int64_t k);

/// Which threads compute a product.
enum class gemm_threads : std::uint8_t { calling, all };

/// Calls work(i) for i below count.
template <class Work>
void for_each(std::int64_t count, gemm_threads threads, const Work& work) {
  if (threads == gemm_threads::all && count > 1) {
    for_each_in_parallel(count, work);
  } else {
    for (std::int64_t i = 0; i < count; ++i) work(i);
  }
}

/// B for the kernels.
struct vector_right {
  const gemm_kernels& kernels;
  gemm_scale_table scales;
  gemm_lines lines;

  vector_right(const gemm_kernels& of, const dot_model& model, const gemm_operand& b,
               std::int64_t n, std::int64_t k);
  vector_right(const vector_right&) = delete;
  vector_right& operator=(const vector_right&) = delete;
};

/// A tile of D: a strip of A's lines and a panel of B's.
struct gemm_tile_place {
  std::int64_t strip, panel;
};

/// Tiles of D by the kernels, and by the core where they are unsupported.
class vector_tiles {
 public:
  static constexpr int most_sums = 256;  ///< of a tile

  vector_tiles(const gemm_kernels& kernels, const core_product& by_core, const gemm_lines& left,
               const gemm_lines& right)
      : kernels_(kernels), by_core_(by_core), left_(left), right_(right) {}

  [[nodiscard]] const gemm_kernels& kernels() const { return kernels_; }
  /// The elements of D in a tile.
  [[nodiscard]] gemm_region region_of(const gemm_tile_place& at) const;
  /// The tiles of a region that begins with one.
  template <class Work>
  void visit(const gemm_region& region, const Work& work) const {
    const std::int64_t width = right_.width(), height = left_.width();
    for (std::int64_t panel = region.column / width; panel * width < region.end_column; ++panel) {
      for (std::int64_t strip = region.row / height; strip * height < region.end_row; ++strip) {
        work(gemm_tile_place{strip, panel});
      }
    }
  }
  /// Adds the units [first, last) to sums in place, as the kernels do.
  void add(const gemm_tile_place& at, std::int64_t first, std::int64_t last,
           const gemm_sums& sums) const;
  /// Whether the kernels support all lines of a tile.
  [[nodiscard]] bool is_regular(const gemm_tile_place& at) const {
    return left_.is_regular_group(at.strip) && right_.is_regular_group(at.panel);
  }
  /// Whether they support an element from its start on.
  [[nodiscard]] bool is_regular(std::int64_t i, std::int64_t j, std::uint32_t start) const {
    return !is_irregular_start(start) && !left_.is_irregular(i) && !right_.is_irregular(j);
  }
  /// A whole tile of sums over all of k.
  ///   starts   of the tile's first element, with this stride; null: +0
  ///   sums     most_sums of them; rows have as many as B's groups have lines
  void sum(const gemm_tile_place& at, const std::uint32_t* starts, std::int64_t stride,
           std::uint32_t* sums) const;

 private:
  void settle(const gemm_region& region, const std::uint32_t* starts, std::int64_t stride,
              std::uint32_t* sums) const;

  const gemm_kernels& kernels_;
  const core_product& by_core_;
  const gemm_lines &left_, &right_;
};

/// Elements by the kernels of an instruction set, and by the core where they are unsupported.
class vector_product {
 public:
  /// Columns of B stay in a cache for all rows.
  static constexpr gemm_task task{192, 512};
  /// Elements of k up to which a panel of B stays in a cache.
  static constexpr std::int64_t near_elements = 2048;

  vector_product(const core_product& by_core, const vector_right& right, gemm_threads threads);

  /// As core_product::add.
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;
  /// A region of D whose sums run over all of k at once.
  void store(const gemm_region& region, const gemm_output& output) const;

 private:
  const core_product& by_core_;
  gemm_lines left_;
  const gemm_lines& right_;
  vector_tiles tiles_;
};

}  // namespace mx
