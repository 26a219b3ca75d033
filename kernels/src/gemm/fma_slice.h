// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_slice.h: slices of k of both factors as FP32 numbers in shared memory, for
// gemm_fma. A thread expands one line of a factor: 16 codes and their scale, loaded while the
// previous slice was multiplied.
//
// Shared memory: k -> numbers of a tile's lines, those of A and then those of B: lanes store to
// adjacent banks, and four lines are one load of 16 bytes. Then the tables of code values.
#pragma once
#include "gemm/fma_line.h"
#include "gemm/fma_walk.h"

namespace mx::kernels {

/// Numbers of four lines, loaded at once.
struct alignas(16) four_values {
  float value[4];
};

/// The part of D of a block of threads: `Edge` rows and columns; a thread expands one of their
/// lines.
template <int Edge>
struct fma_shape {
  static constexpr int threads = 2 * Edge;
  static constexpr int stored_rows = Edge / 2;  ///< in shared memory at once during the final store
  static constexpr int stored_turns = stored_rows * Edge / threads;

  /// A slice's numbers: those of line l at [k][l / 4].value[l % 4].
  using values = four_values[fma_slice][2 * Edge / 4];
  /// Sums of half of the rows, in place of the slices.
  using result = four_values[stored_rows][Edge / 4];
};

template <int Edge>
struct fma_memory {
  union {
    typename fma_shape<Edge>::values slice[2];
    typename fma_shape<Edge>::result result;
  };
  fma_tables tables;
};
static_assert(sizeof(fma_memory<128>) <= 48 * 1024);

/// The position in D of sum (i, j) of a thread.
template <int Edge>
struct fma_place {
  static constexpr int column_runs = Edge / 64;  // of four, 32 apart

  std::uint32_t tile_row, tile_column;  ///< of the block of threads; a register each
  int row, column;                      ///< of the thread, relative to them: multiples of 4

  [[nodiscard]] static MX_HD fma_place of(std::uint64_t block, int thread,
                                          const gemm_shape& shape) noexcept {
    const std::int64_t across = (shape.n + Edge - 1) / Edge;
    const auto tile = static_cast<std::int64_t>(block);
    const int warp = thread / 32, lane = thread % 32;
    return {static_cast<std::uint32_t>(tile / across * Edge),
            static_cast<std::uint32_t>(tile % across * Edge), warp / 2 * 32 + lane / 8 * 4,
            warp % 2 * (Edge / 2) + lane % 8 * 4};
  }
  [[nodiscard]] MX_HD std::int64_t row_of(int i) const noexcept {
    return std::int64_t{tile_row} + row + i / 4 * 16 + i % 4;
  }
  [[nodiscard]] MX_HD std::int64_t column_of(int j) const noexcept {
    return std::int64_t{tile_column} + column + j / 4 * 32 + j % 4;
  }
};

template <fma_sums S, int Edge, class Thread>
class fma_loads {
 public:
  MX_HD fma_loads(const Thread& self, const fma_arguments& to, std::int64_t first_row,
                  std::int64_t first_column) noexcept
      : to_(to), memory_(*self.template shared<fma_memory<Edge>>()), thread_(self.index()) {
    const gemm_arguments& p = to.product;
    const bool is_row = thread_ < Edge;
    // A line beyond the matrix reads the last line: its results are not stored.
    const std::int64_t line = (is_row ? first_row : first_column) + thread_ % Edge;
    const std::int64_t last = (is_row ? p.shape.m : p.shape.n) - 1;
    line_ = static_cast<std::uint32_t>(line < last ? line : last);
  }

  /// Fills a thread's entries of the tables; a barrier must precede store.
  MX_HD void fill_tables() const noexcept {
    for (int code = thread_; code < 256; code += fma_shape<Edge>::threads) {
      memory_.tables.fill(to_.product.plan.model, code);
    }
  }

  MX_HD void fetch(const fma_walk<S>& at) noexcept {
    const fma_line from = fma_line::of(factor_at(at), line_, to_.product.blocks_a_line);
    codes_ = from.slice(at.slice());
    scale_ = from.scales[at.slice() >> to_.block_bits];
  }

  /// Expands what was fetched.
  MX_HD void store(const fma_walk<S>& at, typename fma_shape<Edge>::values& slice) const noexcept {
    const float scale = memory_.tables.scale[scale_];
    const float* values = memory_.tables.element[thread_ / Edge];
    const auto put = [&](int k, std::uint32_t code) {
      // RNE32, as mx::dequantized_factor: both are exact.
      float value = values[code] * scale;
      if (is_weighted(at)) value = to_.alpha * value;
      slice[k][thread_ / 4].value[thread_ % 4] = value;
    };
    if (factor_at(at).storage == code_storage::pairs) {
      unrolled<fma_slice>([&](int k) { put(k, codes_.word[k / 8] >> (k % 8 * 4) & 15); });
    } else {
      unrolled<fma_slice>([&](int k) { put(k, codes_.word[k / 4] >> (k % 4 * 8) & 255); });
    }
  }

 private:
  /// The factor whose line this thread expands. Its addresses are recomputed for each slice:
  /// registers are scarce.
  [[nodiscard]] MX_HD const gemm_operand& factor_at(const fma_walk<S>& at) const noexcept {
    if (is_weighted(at)) return to_.rest;
    return thread_ < Edge ? to_.product.a : to_.product.b;
  }
  [[nodiscard]] MX_HD bool is_weighted(const fma_walk<S>& at) const noexcept {
    return S == fma_sums::second_pass && at.pass() == fma_pass::rest && thread_ < Edge;
  }

  const fma_arguments& to_;
  fma_memory<Edge>& memory_;
  int thread_;
  std::uint32_t line_;
  quad_word codes_ = {};
  std::uint32_t scale_ = 0;
};

}  // namespace mx::kernels
