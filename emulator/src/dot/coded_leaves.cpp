// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/coded_leaves.cpp: sums of products of codes by a tree over their index, a tile
// of all leaves at a time. Equals mx::gemm of each leaf and mx::add_fp32 of the levels, checked by
// tests/unit/dot/coded_leaves_test.cpp. Floor: M N K products over those of the machine's dot
// instruction.
#include "mx/dot/coded_leaves.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "dot/leaf_lines.h"
#include "dot/right_factor.h"
#include "mx/tensor/ieee_arithmetic.h"

namespace mx {
namespace {

/// Strips of rows whose levels stay in a near cache while all leaves are added.
constexpr std::int64_t strips_at_once = 8;

void check_leaves(const gemm_plan& plan, const gemm_shape& shape,
                  std::span<const coded_outer_product> leaves) {
  check_plan(plan, shape);
  if (plan.alpha != 1) throw std::invalid_argument("mx: leaves under an alpha of their plan");
  if (plan.output != formats::binary32) throw std::invalid_argument("mx: leaves that are not FP32");
  if (shape.m == 0 || shape.n == 0) return;
  for (const coded_outer_product& leaf : leaves) {
    check_plan(plan, {shape.m, shape.n, leaf.k});
    if (leaf.k == 0) continue;
    check_operand(plan.model, plan.model.a, leaf.left);
    check_operand(plan.model, plan.model.b, leaf.right);
  }
}

/// The lines from `first` on.
gemm_operand lines_from(const gemm_operand& all, const dot_model& model, std::int64_t first,
                        std::int64_t k) {
  gemm_operand some = all;
  if (k == 0) return some;
  some.codes = static_cast<const std::uint8_t*>(all.codes) + first * all.line_bytes;
  if (model.block > 0) some.scales = all.scales + first * ((k + model.block - 1) / model.block);
  return some;
}

}  // namespace

class coded_leaves::layout {
 public:
  layout(const gemm_plan& plan, std::int64_t m, std::int64_t n,
         std::span<const coded_outer_product> leaves);

  void add(std::int64_t first_leaf, std::int64_t row_begin, std::int64_t row_end,
           float* const* levels) const;

 private:
  [[nodiscard]] bool has_kernels() const;
  void add_tiles(std::int64_t first_leaf, std::int64_t row_begin, std::int64_t row_end,
                 float* const* levels) const;
  void add_tile(const leaf_lines& lines, const gemm_tile_place& at, const gemm_region& region,
                leaf_place to) const;
  void add_product(std::size_t leaf, std::int64_t row_begin, std::int64_t row_end,
                   const leaf_place& to) const;
  [[nodiscard]] std::uint32_t nan() const { return nan_of(plan_.model, formats::binary32); }

  gemm_plan plan_;
  std::int64_t m_, n_;
  std::vector<coded_outer_product> leaves_;
  gemm_scale_table scales_;
  const gemm_kernels* kernels_ = nullptr;
  std::vector<std::unique_ptr<const leaf_lines>> lines_;     ///< with kernels
  std::vector<std::unique_ptr<const right_factor>> rights_;  ///< without
};

coded_leaves::layout::layout(const gemm_plan& plan, std::int64_t m, std::int64_t n,
                             std::span<const coded_outer_product> leaves)
    : plan_(plan), m_(m), n_(n), leaves_(leaves.begin(), leaves.end()) {
  check_leaves(plan, {m, n, 0}, leaves);
  if (m == 0 || n == 0) return;
  if (has_kernels()) {
    kernels_ = kernels_of(plan.model, leaves_.front().right, best_dot());
    scales_ = gemm_scales_of(plan.model.scale);
  }
  for (const coded_outer_product& leaf : leaves_) {
    if (kernels_ != nullptr) {
      lines_.push_back(std::make_unique<leaf_lines>(*kernels_, scales_, plan.model, m, n, leaf));
    } else {
      rights_.push_back(
          std::make_unique<right_factor>(plan.model, leaf.right, n, leaf.k, permitted_dot()));
    }
  }
}

/// Whether the kernels support the plan and every leaf.
bool coded_leaves::layout::has_kernels() const {
  if (!is_sum(plan_)) return false;
  return std::all_of(leaves_.begin(), leaves_.end(), [&](const coded_outer_product& leaf) {
    return leaf.k > 0 && leaf.k <= vector_product::near_elements && is_one_sum(plan_, leaf.k) &&
           has_kernel_codes(plan_.model.a, leaf.left) &&
           kernels_of(plan_.model, leaf.right, best_dot()) != nullptr;
  });
}

void coded_leaves::layout::add(std::int64_t first_leaf, std::int64_t row_begin,
                               std::int64_t row_end, float* const* levels) const {
  if (first_leaf < 0 || row_begin < 0 || row_end > m_) {
    throw std::invalid_argument("mx: leaves or rows out of range");
  }
  if (row_begin >= row_end || n_ == 0) return;
  if (kernels_ != nullptr) return add_tiles(first_leaf, row_begin, row_end, levels);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const float alpha = fp32::multiply(leaves_[i].left_scale, leaves_[i].right_scale);
    add_product(i, row_begin, row_end,
                {alpha, nan(), first_leaf + static_cast<std::int64_t>(i), levels, 0, n_});
  }
}

void coded_leaves::layout::add_tiles(std::int64_t first_leaf, std::int64_t row_begin,
                                     std::int64_t row_end, float* const* levels) const {
  const std::int64_t height = kernels_->tile.rows, columns = kernels_->tile.columns;
  const std::int64_t rows = strips_at_once * height;
  for (std::int64_t column = 0; column < n_; column += columns) {
    for (std::int64_t row = row_begin / rows * rows; row < row_end; row += rows) {
      const gemm_region tiles{row, std::min(row + rows, row_end), column,
                              std::min(column + columns, n_)};
      const gemm_region region{std::max(row, row_begin), tiles.end_row, column, tiles.end_column};
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const leaf_place to{
            lines_[i]->alpha(), nan(), first_leaf + static_cast<std::int64_t>(i), levels, 0, n_};
        for (std::int64_t first = tiles.row; first < tiles.end_row; first += height) {
          add_tile(*lines_[i], {first / height, column / columns}, region, to);
        }
      }
    }
  }
}

/// The rows of a tile that lie in a region of whole columns.
void coded_leaves::layout::add_tile(const leaf_lines& lines, const gemm_tile_place& at,
                                    const gemm_region& region, leaf_place to) const {
  const std::int64_t first = at.strip * kernels_->tile.rows, last = first + kernels_->tile.rows;
  to.at = first * n_ + region.column;
  const bool whole =
      region.row <= first && last <= region.end_row && region.columns() == kernels_->tile.columns;
  if (whole && lines.carry(at, to)) return;
  alignas(64) std::uint32_t sums[vector_tiles::most_sums];
  lines.sum(at, sums);
  for (std::int64_t i = std::max(first, region.row); i < std::min(last, region.end_row); ++i) {
    float* row = reinterpret_cast<float*>(sums) + (i - first) * kernels_->tile.columns;
    finish_row(row, to.alpha, nullptr, to.nan, region.columns(), row);
    carry_row(row, to.leaf, to.levels, to.at + (i - first) * n_, to.nan, region.columns());
  }
}

/// The rows of one leaf's D as a product of its own.
void coded_leaves::layout::add_product(std::size_t leaf, std::int64_t row_begin,
                                       std::int64_t row_end, const leaf_place& to) const {
  const coded_outer_product& of = leaves_[leaf];
  gemm_plan plan = plan_;
  plan.alpha = to.alpha;
  std::vector<std::uint32_t> d(static_cast<std::size_t>((row_end - row_begin) * n_));
  multiply(plan, row_end - row_begin, lines_from(of.left, plan.model, row_begin, of.k),
           *rights_[leaf], gemm_output(plan, n_, nullptr, nullptr, nullptr, d.data()),
           gemm_threads::calling);
  carry_row(reinterpret_cast<const float*>(d.data()), to.leaf, to.levels, row_begin * n_, to.nan,
            (row_end - row_begin) * n_);
}

coded_leaves::coded_leaves(const gemm_plan& plan, std::int64_t m, std::int64_t n,
                           std::span<const coded_outer_product> leaves) {
  const ieee_arithmetic arithmetic;
  layout_ = std::make_unique<const layout>(plan, m, n, leaves);
}
coded_leaves::coded_leaves(coded_leaves&&) noexcept = default;
coded_leaves& coded_leaves::operator=(coded_leaves&&) noexcept = default;
coded_leaves::~coded_leaves() = default;

void coded_leaves::add(std::int64_t first_leaf, std::int64_t row_begin, std::int64_t row_end,
                       float* const* levels) const {
  const ieee_arithmetic arithmetic;
  layout_->add(first_leaf, row_begin, row_end, levels);
}

}  // namespace mx
