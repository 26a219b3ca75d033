// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native_mma.h: products of E2M1 blocks by a warp's FP4 instructions (sm_120a:
// mma.sync kind::mxf4 and kind::mxf4nvf4, scales and sums included). Has not run on its hardware.
// Equals mx::gemm_element if the instruction matches mx::native_model.
//
// A block of threads computes 128 rows and 128 columns of D, each of its 8 warps 64 rows and 32
// columns: 64 sums a thread. Pieces of 128 of k are staged in shared memory, loaded asynchronously
// three ahead. A lane holds scales of two fragments of A (four of B) in one register, and an
// operand of the instruction selects the lanes: lane 4g + t has those of rows
// 16 (t / 2) + 8 (t mod 2) + g of 32, and of column 8t + g of 32.
// Source: PTX ISA, "Block Scaling for mma.sync": threads 2s and 2s + 1 of a quad hold the scales of
// rows g and g + 8 for thread-id-a s, thread s that of column g for thread-id-b s; two bytes from
// byte-id on with scale_vec::2X, all four with 4X.
#pragma once
#include "gemm/native_lines.h"
#include "unrolled.h"

namespace mx::kernels {

inline constexpr int native_mma_threads = 256;
inline constexpr int native_mma_stages = 4;
inline constexpr int native_mma_tile = 128;
inline constexpr int native_warp_rows = 64, native_warp_columns = 32;

/// Pieces of A and B: native_piece<Kind, 128> for mma.sync.
struct native_arguments {
  gemm_arguments product;
  void *a = nullptr, *b = nullptr;
  std::int64_t pieces = 0, tiles_across = 0;

  /// Initial value of an element of D; +0 without C.
  [[nodiscard]] MX_HD std::uint32_t start_at(std::int64_t row, std::int64_t column) const noexcept {
    const auto* c = static_cast<const std::uint32_t*>(product.c);
    return c == nullptr ? 0 : c[row * product.c_stride + column];
  }
  [[nodiscard]] MX_HD std::int64_t steps() const noexcept {
    return (product.shape.k + native_step - 1) / native_step;
  }
};

/// A register of scales, and which of its warp's the instruction reads.
struct scale_operand {
  std::uint32_t word = 0;
  int byte = 0, thread = 0;
};

template <native_kind Kind>
struct native_mma_stage {
  native_piece<Kind, native_mma_tile> a, b;
};
template <native_kind Kind>
inline constexpr int native_mma_shared_bytes = static_cast<int>(native_mma_stages *
                                                                sizeof(native_mma_stage<Kind>));

template <native_kind Kind, class Thread>
class native_mma_tile_of_d {
 public:
  using stage = native_mma_stage<Kind>;
  using piece = native_piece<Kind, native_mma_tile>;
  static constexpr int down = native_warp_rows / 16, across = native_warp_columns / 8;

  MX_HD native_mma_tile_of_d(const Thread& self, const native_arguments& to) noexcept
      : self_(self), to_(to), stages_(self.template shared<stage>()) {
    const auto block = static_cast<std::int64_t>(self.block());
    const int warp = self.index() / 32;
    tile_down_ = block / to.tiles_across;
    tile_across_ = block % to.tiles_across;
    row_ = warp % 2 * native_warp_rows;
    column_ = warp / 2 * native_warp_columns;
  }

  MX_HD void run() noexcept {
    for (int number = 0; number < native_mma_stages - 1; ++number) load(number);
    each_sum([&](float& sum, std::int64_t row, std::int64_t column) {
      sum = float_of(to_.start_at(row, column));
    });
    for (std::int64_t number = 0; number < to_.pieces; ++number) {
      self_.template wait_for_copies<native_mma_stages - 2>();
      self_.barrier();
      // Overwrites the previous piece, which all warps have finished.
      load(number + native_mma_stages - 1);
      const stage& here = stages_[number % native_mma_stages];
      // A step beyond k changes no sum.
      unrolled<native_piece_k / native_step>([&](int step) {
        if (number * 2 + step < to_.steps()) add(here, step);
      });
    }
    each_sum([&](const float& sum, std::int64_t row, std::int64_t column) {
      static_cast<std::uint32_t*>(to_.product.d)[row * to_.product.d_stride + column] =
          bits_of(sum);
    });
  }

 private:
  [[nodiscard]] MX_HD int group() const noexcept { return self_.index() % 32 / 4; }
  [[nodiscard]] MX_HD int place_in_group() const noexcept { return self_.index() % 4; }

  /// Starts the load of piece `number` of k, if it exists, into its stage.
  MX_HD void load(std::int64_t number) const noexcept {
    if (number < to_.pieces) {
      stage& here = stages_[number % native_mma_stages];
      copy(here.a, static_cast<const piece*>(to_.a)[tile_down_ * to_.pieces + number]);
      copy(here.b, static_cast<const piece*>(to_.b)[tile_across_ * to_.pieces + number]);
    }
    self_.commit_copies();
  }
  MX_HD void copy(piece& to, const piece& from) const noexcept {
    constexpr int quads = static_cast<int>(sizeof(piece) / sizeof(quad_word));
    for (int i = self_.index(); i < quads; i += native_mma_threads) {
      self_.copy_later(reinterpret_cast<quad_word*>(&to) + i,
                       reinterpret_cast<const quad_word*>(&from) + i);
    }
  }

  [[nodiscard]] MX_HD quad_word fragment(const piece& of, int step, int line) const noexcept {
    const std::uint32_t* words = of.codes[step] + line / tile_lines * fragment_words;
    return reinterpret_cast<const quad_word*>(words)[self_.index() % 32];
  }

  /// This lane's scales of 32 lines.
  [[nodiscard]] MX_HD std::uint32_t row_scales(const stage& from, int word, int i) const noexcept {
    const int t = place_in_group();
    return from.a.scales[word][row_ + i * 32 + t / 2 * 16 + t % 2 * 8 + group()];
  }
  [[nodiscard]] MX_HD std::uint32_t column_scales(const stage& from, int word) const noexcept {
    return from.b.scales[word][column_ + place_in_group() * 8 + group()];
  }

  MX_HD void add(const stage& from, int step) noexcept {
    constexpr bool has_halves = native_scale_words(Kind) == 1;
    const int word = has_halves ? 0 : step, byte = has_halves ? step * 2 : 0;
    const std::uint32_t rows[2] = {row_scales(from, word, 0), row_scales(from, word, 1)};
    const std::uint32_t columns = column_scales(from, word);
    quad_word b[across / 2];
    unrolled<across / 2>([&](int j) { b[j] = fragment(from.b, step, column_ + j * tile_lines); });
    unrolled<down>([&](int i) {
      const quad_word a = fragment(from.a, step, row_ + i * tile_lines);
      unrolled<across>([&](int j) {
        self_.template mma_block_scaled<Kind>(sum_[i * across + j], a.word, b[j / 2].word[j % 2],
                                              b[j / 2].word[j % 2 + 2], {rows[i / 2], byte, i % 2},
                                              {columns, byte, j});
      });
    });
  }

  /// work(sum, row, column) for the sums inside D. Sum r of fragment (i, j), of lane 4g + t: row
  /// 16 i + 8 (r / 2) + g, column 8 j + 2 t + r % 2.
  template <class Work>
  MX_HD void each_sum(const Work& work) noexcept {
    const std::int64_t row = tile_down_ * native_mma_tile + row_ + group();
    const std::int64_t column = tile_across_ * native_mma_tile + column_ + place_in_group() * 2;
    unrolled<down * across * 4>([&](int i) {
      const std::int64_t m = row + i / (across * 4) * 16 + i % 4 / 2 * 8;
      const std::int64_t n = column + i / 4 % across * 8 + i % 2;
      if (m < to_.product.shape.m && n < to_.product.shape.n) {
        work(sum_[i / 4][i % 4], m, n);
      }
    });
  }

  const Thread& self_;
  const native_arguments& to_;
  stage* stages_;
  std::int64_t tile_down_ = 0, tile_across_ = 0;
  int row_ = 0, column_ = 0;  ///< of the warp, within the tile
  float sum_[down * across][4] = {};
};

/// Block b of the grid computes tile b of D, tiles in row-major order.
template <native_kind Kind, class Thread>
MX_HD void gemm_native_mma(const Thread& self, const native_arguments& to) {
  native_mma_tile_of_d<Kind, Thread>(self, to).run();
}

}  // namespace mx::kernels
