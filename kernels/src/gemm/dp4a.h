// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/dp4a.h: products of E2M1 blocks by dp4a. A block of threads computes 16 rows and
// 16 columns of D, a thread an element; 64 of k at a time are held in shared memory as bytes,
// expanded once for 16 elements. Equals mx::gemm_element (tests/kernels/gemm/gemm_test.cpp).
//
// Shared memory: 16 lines of A, then 16 of B, of `dp4a_pitch` words each, on different banks.
#pragma once
#include "gemm/aligned.h"
#include "gemm/integer_codes.h"

namespace mx::kernels {

inline constexpr int gemm_step = 64;
inline constexpr int dp4a_edge = 16;
inline constexpr int dp4a_threads = dp4a_edge * dp4a_edge;
inline constexpr int dp4a_words = gemm_step / 4;
inline constexpr int dp4a_pitch = dp4a_words + 1;
inline constexpr int dp4a_shared_bytes = 2 * dp4a_edge * dp4a_pitch * 4;

/// Four codes of a line from k on as bytes; zeros beyond the line.
[[nodiscard]] MX_HD inline std::uint32_t word_of_line(const gemm_arguments& to,
                                                      const gemm_operand& of, std::int64_t lines,
                                                      std::int64_t line, std::int64_t k) noexcept {
  if (line >= lines || k >= to.shape.k) return 0;
  const line_codes codes = line_at(to, of, line, 0).codes;
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= byte_of_code(codes[static_cast<int>(k) + i]) << (8 * i);
  return word;
}

template <dot_model M, class Thread>
class dp4a_element {
 public:
  static constexpr int blocks = gemm_step / M.block;

  MX_HD dp4a_element(const Thread& self, const gemm_arguments& to) noexcept
      : self_(self), to_(to), shared_(self.template shared<std::uint32_t>()) {
    const std::int64_t across = (to.shape.n + dp4a_edge - 1) / dp4a_edge;
    const auto block = static_cast<std::int64_t>(self.block());
    first_row_ = block / across * dp4a_edge;
    first_column_ = block % across * dp4a_edge;
  }

  MX_HD void run() noexcept {
    if (is_inside()) acc_ = float_of(start_of(to_.plan, addend_at(to_, row(), column())));
    for (std::int64_t k = 0; k < to_.shape.k; k += gemm_step) {
      self_.barrier();
      load(k);
      self_.barrier();
      if (is_inside()) step(k);
    }
    if (is_inside()) store_sum<M>(to_, row(), column(), acc_);
  }

 private:
  [[nodiscard]] MX_HD std::int64_t row() const noexcept {
    return first_row_ + self_.index() / dp4a_edge;
  }
  [[nodiscard]] MX_HD std::int64_t column() const noexcept {
    return first_column_ + self_.index() % dp4a_edge;
  }
  [[nodiscard]] MX_HD bool is_inside() const noexcept {
    return row() < to_.shape.m && column() < to_.shape.n;
  }

  /// A thread expands a word of A and one of B.
  MX_HD void load(std::int64_t k) const noexcept {
    const int line = self_.index() / dp4a_words, word = self_.index() % dp4a_words;
    const std::int64_t at = k + word * 4;
    shared_[line * dp4a_pitch + word] =
        word_of_line(to_, to_.a, to_.shape.m, first_row_ + line, at);
    shared_[(dp4a_edge + line) * dp4a_pitch + word] =
        word_of_line(to_, to_.b, to_.shape.n, first_column_ + line, at);
  }

  /// start, accumulated by `dot` over the words of the line of A and of that of B.
  template <class Dot>
  [[nodiscard]] MX_HD std::int32_t sum_of_words(int first, int count, std::int32_t start,
                                                const Dot& dot) const noexcept {
    const std::uint32_t* a = shared_ + self_.index() / dp4a_edge * dp4a_pitch + first;
    const std::uint32_t* b = shared_ + (dp4a_edge + self_.index() % dp4a_edge) * dp4a_pitch + first;
    std::int32_t sum = start;
    for (int i = 0; i < count; ++i) sum = dot(a[i], b[i], sum);
    return sum;
  }

  /// A block beyond k is all zeros.
  MX_HD void step(std::int64_t k) noexcept {
    std::int32_t sum[blocks];
    std::uint32_t a[blocks] = {}, b[blocks] = {};
    for (int i = 0; i < blocks; ++i) {
      sum[i] = sum_of_words(i * (M.block / 4), M.block / 4, bits_of_no_sum, dot_of_bytes);
      if (k + i * M.block >= to_.shape.k) continue;
      a[i] = scale_of(to_.a, row(), k + i * M.block);
      b[i] = scale_of(to_.b, column(), k + i * M.block);
    }
    if constexpr (is_fused(M)) {
      add_fused(k, sum, a, b);
    } else {
      for (int i = 0; i < blocks && to_.shape.k > k + i * M.block; ++i) {
        add_block(k + i * M.block, sum[i], a[i], b[i]);
      }
    }
  }

  [[nodiscard]] MX_HD std::uint32_t scale_of(const gemm_operand& of, std::int64_t line,
                                             std::int64_t k) const noexcept {
    return of.scales[line * to_.blocks_a_line + k / M.block];
  }

  MX_HD void add_block(std::int64_t k, std::int32_t sum, std::uint32_t a,
                       std::uint32_t b) noexcept {
    if (M.block == 32 && a > largest_row_code && a != e8m0::nan().code) {
      acc_ = step_by_core<M>(to_, row(), column(), k, M.block, acc_);
      return;
    }
    acc_ = sequential_step(acc_, sum, row_factor::of(factor_of_scale<M.scale>(gemm_side::row, a)),
                           factor_of_scale<M.scale>(gemm_side::column, b));
  }

  MX_HD void add_fused(std::int64_t k, const std::int32_t (&sum)[blocks],
                       const std::uint32_t (&a)[blocks],
                       const std::uint32_t (&b)[blocks]) noexcept {
    row_factor rows[blocks];
    float columns[blocks] = {};
    code_bounds row_codes, column_codes;
    for (int i = 0; i < blocks && to_.shape.k > k + i * M.block; ++i) {
      rows[i] = row_factor::of(factor_of_scale<M.scale>(gemm_side::row, a[i]));
      columns[i] = factor_of_scale<M.scale>(gemm_side::column, b[i]);
      row_codes = row_codes.with(bounds_of(a[i]));
      column_codes = column_codes.with(bounds_of(b[i]));
    }
    const fused_window window =
        window_of<M.scale>(row_codes, column_codes).below(fp32::magnitude(acc_));
    float step = 0;
    const bool is_fast = !window.needs_core(acc_) && fast_sum(step, sum, rows, columns, window);
    if (is_fast) {
      acc_ = added_toward_zero(acc_, step);
    } else if (!add_aligned(rows, columns, range_of<M.scale>(row_codes, column_codes))) {
      acc_ = step_by_core<M>(to_, row(), column(), k, gemm_step, acc_);
    }
  }

  [[nodiscard]] static MX_HD code_bounds bounds_of(std::uint32_t scale) noexcept {
    const auto code = static_cast<int>(scale & ((1U << M.scale.width()) - 1));
    return {code, code};
  }

  /// Whether the sum of the step's blocks is exact.
  [[nodiscard]] static MX_HD bool fast_sum(float& step, const std::int32_t (&sum)[blocks],
                                           const row_factor (&rows)[blocks],
                                           const float (&columns)[blocks],
                                           const fused_window& window) noexcept {
    if constexpr (M.block == 32) {
      step = fused_sum(sum, rows, columns);
      return true;
    } else {
      const fused_halves halves = fused_sums(sum, rows, columns);
      step = halves.first + halves.second;
      return halves.largest(0) < window.whole;
    }
  }

  [[nodiscard]] MX_HD bool add_aligned(const row_factor (&rows)[blocks],
                                       const float (&columns)[blocks],
                                       const aligned_range& range) noexcept {
    if (range.is_empty()) return false;
    step_terms<M, group_cut::toward_zero> terms;
    for (int g = 0; g < 4; ++g) terms.sum[g] = sum_of_words(g * 4, 4, bits_of_no_sum, dot_of_bytes);
    for (int i = 0; i < blocks; ++i) {
      terms.row[i] = rows[i];
      terms.column[i] = columns[i];
      const bool is_zero = rows[i].scale == 0 || columns[i] == 0;
      terms.any[i] = is_zero ? 0 : sum_of_words(i * (M.block / 4), M.block / 4, 0, any_of_bytes);
    }
    const aligned_result result = aligned_step(terms, acc_, range);
    if (result.is_served) acc_ = result.sum;
    return result.is_served;
  }

  const Thread& self_;
  const gemm_arguments& to_;
  std::uint32_t* shared_;
  std::int64_t first_row_ = 0, first_column_ = 0;
  float acc_ = 0;
};

/// Block b of the grid computes tile b of D, tiles in row-major order.
template <dot_model M, class Thread>
MX_HD void gemm_mxfp4_dp4a(const Thread& self, const gemm_arguments& to) {
  dp4a_element<M, Thread>(self, to).run();
}

}  // namespace mx::kernels
