// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_stage.h: the shared memory of gemm_mxfp4_mma and its asynchronous loads: 16
// bytes a thread and instruction, bypassing the registers, while earlier steps are computed.
#pragma once
#include "gemm/prepare.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int mma_threads = 256;
inline constexpr int mma_stages = 3;

///   a, b  prepared with gemm_side::row and gemm_side::column
struct mma_arguments {
  gemm_arguments product;
  prepared_lines a, b;
};

/// A stage of shared memory: codes of A and B, 16 KiB, then factors of A and B.
template <dot_model M>
struct mma_stage {
  static constexpr int blocks = gemm_step / M.block;
  std::uint32_t codes[2][mma_tile / tile_lines][2][fragment_words];
  float factors[2][blocks][mma_tile];
};
template <dot_model M>
inline constexpr int mma_shared_bytes = static_cast<int>(mma_stages * sizeof(mma_stage<M>));

template <dot_model M, class Thread>
class stage_loads {
 public:
  static constexpr int blocks = gemm_step / M.block;

  ///   row, column  first of the block of threads
  MX_HD stage_loads(const Thread& self, const mma_arguments& to, std::int64_t row,
                    std::int64_t column) noexcept
      : self_(self), to_(to), row_(row), column_(column) {}

  /// Starts the load of step `step`, if it exists, into its stage.
  MX_HD void begin(mma_stage<M>* stages, std::int64_t step) const noexcept {
    if (step < to_.a.steps) {
      mma_stage<M>& stage = stages[step % mma_stages];
      load_codes(stage.codes[0], to_.a, row_, step);
      load_codes(stage.codes[1], to_.b, column_, step);
      load_factors(stage, step);
    }
    self_.commit_copies();
  }

 private:
  /// A quarter of the threads loads two tiles of 16 lines, 1 KiB each.
  MX_HD void load_codes(std::uint32_t (&to)[mma_tile / tile_lines][2][fragment_words],
                        const prepared_lines& from, std::int64_t first,
                        std::int64_t step) const noexcept {
    const int quad_number = self_.index() % 64;
    unrolled<2>([&](int i) {
      const int tile = self_.index() / 64 + i * 4;
      const std::uint32_t* source = from.step_of_tile(first / tile_lines + tile, step);
      self_.copy_later(reinterpret_cast<quad_word*>(to[tile]) + quad_number,
                       reinterpret_cast<const quad_word*>(source) + quad_number);
    });
  }

  MX_HD void load_factors(mma_stage<M>& stage, std::int64_t step) const noexcept {
    constexpr int quads = mma_tile / 4;
    const int side = self_.index() / (blocks * quads);
    if (side > 1) return;
    const int block = self_.index() / quads % blocks, quad_number = self_.index() % quads;
    const prepared_lines& from = side == 0 ? to_.a : to_.b;
    const float* source = from.factors_of(step * blocks + block) + (side == 0 ? row_ : column_);
    self_.copy_later(reinterpret_cast<quad_word*>(stage.factors[side][block]) + quad_number,
                     reinterpret_cast<const quad_word*>(source) + quad_number);
  }

  const Thread& self_;
  const mma_arguments& to_;
  std::int64_t row_, column_;
};

}  // namespace mx::kernels
