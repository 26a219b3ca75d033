// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm_fma_slice.h: slices of k of both factors as FP32 numbers in shared memory, for
// gemm_fma. A thread expands one line of a factor: 16 codes and their scale, which it has loaded while
// the slice before was multiplied.
//
// Shared memory: k -> 256 numbers, 128 lines of A and 128 of B behind each other: lanes store to
// neighbouring banks, and four lines are one load of 16 bytes. Then tables of what codes stand for.
#pragma once
#include "gemm_fma_line.h"
#include "gemm_fma_walk.h"

namespace mx::kernels {

inline constexpr int fma_tile_edge = 128;  // rows and columns of D a block of threads takes
inline constexpr int fma_lines = 2 * fma_tile_edge;
inline constexpr int fma_threads = fma_lines;

/// Numbers of four lines, loaded at once.
struct alignas(16) four_values {
  float value[4];
};

/// A slice's numbers: those of line l at [k][l / 4].value[l % 4].
using fma_values = four_values[fma_slice][fma_lines / 4];

/// Sums of half of a tile's rows: row -> 128 columns. They lie where the slices lay.
inline constexpr int fma_stored_rows = fma_tile_edge / 2;
inline constexpr int fma_stored_turns = fma_stored_rows * fma_tile_edge / fma_threads;
using fma_result = four_values[fma_stored_rows][fma_tile_edge / 4];

struct fma_memory {
  union {
    fma_values slice[2];
    fma_result result;
  };
  fma_tables tables;
};
inline constexpr int fma_shared_bytes = sizeof(fma_memory);
static_assert(fma_shared_bytes <= 48 * 1024);

template <fma_sums S, class Thread>
class fma_loads {
 public:
  MX_HD fma_loads(const Thread& self, const fma_arguments& to, std::int64_t first_row,
                  std::int64_t first_column) noexcept
      : to_(to), memory_(*self.template shared<fma_memory>()), thread_(self.index()) {
    const gemm_arguments& p = to.product;
    const bool is_row = thread_ < fma_tile_edge;
    // A line beyond the matrix is its last one: what it gives is not stored.
    const std::int64_t line = (is_row ? first_row : first_column) + thread_ % fma_tile_edge;
    const std::int64_t last = (is_row ? p.shape.m : p.shape.n) - 1;
    line_ = static_cast<std::uint32_t>(line < last ? line : last);
  }

  /// A thread's entries of the tables; a barrier comes before store.
  MX_HD void fill_tables() const noexcept { memory_.tables.fill(to_.product.plan.model, thread_); }

  MX_HD void fetch(const fma_walk<S>& at) noexcept {
    const fma_line from = fma_line::of(factor_at(at), line_, to_.product.blocks_a_line);
    codes_ = from.slice(at.slice());
    scale_ = from.scales[at.slice() >> to_.block_bits];
  }

  /// Expands what was fetched.
  MX_HD void store(const fma_walk<S>& at, fma_values& slice) const noexcept {
    const float scale = memory_.tables.scale[scale_];
    const float* values = memory_.tables.element[thread_ / fma_tile_edge];
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
  /// What this thread expands a line of. Its addresses are made anew for each slice: registers are scarce.
  [[nodiscard]] MX_HD const gemm_operand& factor_at(const fma_walk<S>& at) const noexcept {
    if (is_weighted(at)) return to_.rest;
    return thread_ < fma_tile_edge ? to_.product.a : to_.product.b;
  }
  [[nodiscard]] MX_HD bool is_weighted(const fma_walk<S>& at) const noexcept {
    return S == fma_sums::second_pass && at.pass() == fma_pass::rest && thread_ < fma_tile_edge;
  }

  const fma_arguments& to_;
  fma_memory& memory_;
  int thread_;
  std::uint32_t line_;
  quad_word codes_ = {};
  std::uint32_t scale_ = 0;
};

}  // namespace mx::kernels
