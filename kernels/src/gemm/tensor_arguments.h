// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/tensor_arguments.h: arguments of gemm_mxfp4_mma and gemm_mxfp4_wgmma, and the
// order of their tiles of D.
#pragma once
#include "gemm/mma_sums.h"
#include "gemm/prepare.h"

namespace mx::kernels {

inline constexpr int mma_tile = 128;  // rows and columns of D computed by a block of threads

///   a, b  prepared in the kernel's layout, lines padded to tiles
///   left  of each thread of the grid, the fragments of its sums that are left to the core
struct tensor_arguments {
  gemm_arguments product;
  prepared_lines a, b;
  std::uint32_t* left = nullptr;

  /// The first row and column of a block's tile of D. Columns of 8 tiles one after another, so that
  /// blocks that run together share lines of A and of B.
  [[nodiscard]] MX_HD place_of_d tile_at(std::uint64_t block) const noexcept {
    constexpr std::int64_t most_down = 8;
    const std::int64_t down = a.lines / mma_tile, across = b.lines / mma_tile;
    const auto tile = static_cast<std::int64_t>(block);
    const std::int64_t band = tile / (most_down * across), first = band * most_down;
    const std::int64_t in_band = down - first < most_down ? down - first : most_down;
    const std::int64_t rest = tile - first * across;
    return {(first + rest % in_band) * mma_tile, rest / in_band * mma_tile};
  }
};

}  // namespace mx::kernels
