// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/leaf_lines.h: a leaf of a reduction tree whose lines are laid out for the
// kernels, by tiles of its product.
#pragma once
#include <algorithm>
#include <optional>

#include "dot/few_lines.h"
#include "dot/gemm_product.h"
#include "mx/dot/coded_leaves.h"

namespace mx {

/// A leaf whose lines are laid out for the kernels.
class leaf_lines {
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
    if (!close || !few_->is_regular(at)) settle(at, sums);
  }

 private:
  template <class Lines>
  struct factors {
    Lines left, right;

    factors(const gemm_kernels& kernels, const gemm_scale_table& scales, const core_product& core)
        : left(gemm_lines::side::left, kernels, scales, core.a(), core.shape().m, core.shape().k),
          right(gemm_lines::side::right, kernels, scales, core.b(), core.shape().n,
                core.shape().k) {}
    [[nodiscard]] bool is_regular(const gemm_tile_place& at) const {
      return left.is_regular_group(at.strip) && right.is_regular_group(at.panel);
    }
  };
  struct all_factors : factors<gemm_lines> {
    vector_tiles tiles;

    all_factors(const gemm_kernels& kernels, const gemm_scale_table& scales,
                const core_product& core)
        : factors(kernels, scales, core), tiles(kernels, core, left, right) {
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
  void settle(const gemm_tile_place& at, std::uint32_t* sums) const {
    const bool close = is_close(at);
    const gemm_tile tile = kernels_.tile;
    const std::int64_t row = at.strip * tile.rows, column = at.panel * tile.columns;
    for (std::int64_t i = row; i < std::min(row + tile.rows, core_.shape().m); ++i) {
      for (std::int64_t j = column; j < std::min(column + tile.columns, core_.shape().n); ++j) {
        if (close && !few_->left.is_irregular(i) && !few_->right.is_irregular(j)) continue;
        sums[(i - row) * tile.columns + j - column] = core_.element(i, j, 0, core_.shape().k, 0);
      }
    }
  }

  const gemm_kernels& kernels_;
  core_product core_;
  float alpha_;
  std::optional<factors<few_lines>> few_;
  std::optional<all_factors> all_;
};

}  // namespace mx
