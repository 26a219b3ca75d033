// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/coded_leaves.cpp: sums of products of codes by a tree over their index, a tile of
// all leaves at a time. Equals mx::gemm of each leaf and mx::add_fp32 of the levels, checked by
// tests/unit/dot/coded_leaves_test.cpp.
// Floor: M N K products over those of the machine's dot instruction.
#include "mx/dot/coded_leaves.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "dot/few_lines.h"
#include "dot/right_factor.h"

namespace mx {
namespace {

/// Elements of k that the kernels add and carry in registers.
constexpr std::int64_t few_elements = 32;

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

/// A leaf whose lines are laid out for the kernels.
class coded_leaves::leaf_lines {
 public:
  leaf_lines(const gemm_kernels& kernels, const gemm_scale_table& scales, const dot_model& model,
             std::int64_t m, std::int64_t n, const coded_outer_product& leaf)
      : kernels_(kernels),
        core_(model, {m, n, leaf.k}, leaf.left, leaf.right),
        alpha_(fp32::multiply(leaf.left_scale, leaf.right_scale)) {
    if (kernels.few != nullptr && leaf.k <= few_elements) {
      few_.emplace(kernels, scales, core_);
    } else {
      all_.emplace(kernels, scales, core_);
    }
  }
  leaf_lines(const leaf_lines&) = delete;
  leaf_lines& operator=(const leaf_lines&) = delete;

  [[nodiscard]] float alpha() const { return alpha_; }

  /// Carries a whole tile in registers; returns false, without effect, where the kernels cannot.
  [[nodiscard]] bool carry(const gemm_tile_place& at, const leaf_place& to) const {
    if (!few_.has_value() || !few_->is_regular(at) || !is_close(at)) return false;
    carry_few(at, to);
    return true;
  }
  /// Sums of a whole tile from +0.
  void sum(const gemm_tile_place& at, std::uint32_t* sums) const {
    if (all_.has_value()) return all_->tiles.sum(at, nullptr, 0, sums);
    float* level = reinterpret_cast<float*>(sums);
    const bool close = is_close(at);
    if (close) carry_few(at, {1, 0, 0, &level, 0, kernels_.tile.columns});
    if (!close || !few_->is_regular(at)) settle(at, close, sums);
  }

 private:
  struct few_factors {
    few_lines left, right;

    few_factors(const gemm_kernels& kernels, const gemm_scale_table& scales,
                const core_product& core)
        : left(gemm_lines::side::left, kernels, scales, core.a(), core.shape().m, core.shape().k),
          right(gemm_lines::side::right, kernels, scales, core.b(), core.shape().n,
                core.shape().k) {}
    [[nodiscard]] bool is_regular(const gemm_tile_place& at) const {
      return left.is_regular_group(at.strip) && right.is_regular_group(at.panel);
    }
  };
  struct all_factors {
    gemm_lines left, right;
    vector_tiles tiles;

    all_factors(const gemm_kernels& kernels, const gemm_scale_table& scales,
                const core_product& core)
        : left(gemm_lines::side::left, kernels, scales, core.a(), core.shape().m, core.shape().k),
          right(gemm_lines::side::right, kernels, scales, core.b(), core.shape().n, core.shape().k),
          tiles(kernels, core, left, right) {
      for (std::int64_t group = 0; group < left.groups(); ++group) left.fill(group);
      for (std::int64_t group = 0; group < right.groups(); ++group) right.fill(group);
    }
  };

  /// Whether no alignment of two blocks cuts anything off: a term has eight bits below its scales'
  /// exponent, of the 35 below the largest.
  [[nodiscard]] bool is_close(const gemm_tile_place& at) const {
    const bool aligns = kernels_.unit == 16 && kernels_.units_a_step > 1;
    return !aligns || few_->left.apart(at.strip) + few_->right.apart(at.panel) <= 27;
  }
  void carry_few(const gemm_tile_place& at, const leaf_place& to) const {
    const auto units = static_cast<int>((core_.shape().k + kernels_.unit - 1) / kernels_.unit);
    kernels_.few(few_->left.slice(at.strip), few_->right.slice(at.panel), units, to);
  }
  /// Elements that the kernels do not support by the core: those of some lines, or of a whole tile.
  void settle(const gemm_tile_place& at, bool is_close, std::uint32_t* sums) const {
    const gemm_tile tile = kernels_.tile;
    const std::int64_t row = at.strip * tile.rows, column = at.panel * tile.columns;
    for (std::int64_t i = row; i < std::min(row + tile.rows, core_.shape().m); ++i) {
      for (std::int64_t j = column; j < std::min(column + tile.columns, core_.shape().n); ++j) {
        if (is_close && !few_->left.is_irregular(i) && !few_->right.is_irregular(j)) continue;
        sums[(i - row) * tile.columns + j - column] = core_.element(i, j, 0, core_.shape().k, 0);
      }
    }
  }

  const gemm_kernels& kernels_;
  core_product core_;
  float alpha_;
  std::optional<few_factors> few_;
  std::optional<all_factors> all_;
};

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
                           std::span<const coded_outer_product> leaves)
    : layout_(std::make_unique<const layout>(plan, m, n, leaves)) {}
coded_leaves::coded_leaves(coded_leaves&&) noexcept = default;
coded_leaves& coded_leaves::operator=(coded_leaves&&) noexcept = default;
coded_leaves::~coded_leaves() = default;

void coded_leaves::add(std::int64_t first_leaf, std::int64_t row_begin, std::int64_t row_end,
                       float* const* levels) const {
  layout_->add(first_leaf, row_begin, row_end, levels);
}

void add_leaves(const gemm_plan& plan, std::span<const coded_outer_product> leaves,
                std::int64_t first_leaf, std::int64_t m, std::int64_t row_begin,
                std::int64_t row_end, std::int64_t n, float* const* levels) {
  if (row_begin < 0 || row_end > m || row_begin > row_end) {
    throw std::invalid_argument("mx: rows out of range");
  }
  std::vector<coded_outer_product> some(leaves.begin(), leaves.end());
  for (coded_outer_product& leaf : some) {
    if (leaf.left.codes == nullptr) continue;
    leaf.left = lines_from(leaf.left, plan.model, row_begin, leaf.k);
  }
  std::vector<float*> moved;
  for (std::int64_t level = 0;
       (first_leaf + static_cast<std::int64_t>(leaves.size())) >> level != 0; ++level) {
    moved.push_back(levels[level] + row_begin * n);
  }
  coded_leaves(plan, row_end - row_begin, n, some)
      .add(first_leaf, 0, row_end - row_begin, moved.data());
}

}  // namespace mx
