// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma_stage.h: the shared memory of gemm_mxfp4_wgmma, its layout in the
// workspace, and its load: one copy for 64 lines and 64 of k, by the device's copy engine while
// earlier steps are computed.
//
// A piece, 64 lines and 64 of k: codes as bytes, (16 of k, line) -> 16 bytes, so that 8 lines are a
// core matrix of wgmma, and half pieces of 32 lines are matrices too; then factors, (block, place
// of line):
//   A: line 16 q + 8 h + g at 16 q + 2 g + h           a thread's two rows are adjacent
//   B: line 16 q + 8 j + 2 t + e at 16 q + 4 t + 2 j + e  as are its two columns of two fragments
// and of its halves of 32 lines the bounds of scale codes, as words of gemm/prepare.h, and (half,
// block) -> the common factor, if scales are folded (gemm/folded_scales.h) and lines have one.
// Pieces: (64 lines, step). Lines of A are padded to the rows of a block of threads, those of B to
// its columns, k to 128, all with zeros; columns beyond k have the factor -0.
#pragma once
#include "device/matrix_descriptor.h"
#include "gemm/tensor_arguments.h"
#include "gemm/wgmma_products.h"
#include "mx/kernels/gemm.h"

namespace mx::kernels {

inline constexpr int wgmma_groups = 2;  // warpgroups
inline constexpr int wgmma_threads = wgmma_groups * 128;
inline constexpr int piece_lines = 64;
inline constexpr int wgmma_rows = wgmma_groups * piece_lines;
inline constexpr int wgmma_columns = 2 * piece_lines;
inline constexpr int core_matrix = 8 * sizeof(quad_word);  // bytes
inline constexpr int stage_steps = 2;                      // loaded at once
inline constexpr int wgmma_stages = 4;
/// Stages loaded ahead: one fewer than would be possible, so that no warpgroup waits for the
/// others' last stage.
inline constexpr int wgmma_ahead = wgmma_stages - 2;

///   steps  of all blocks of threads; may be null
struct wgmma_arguments : tensor_arguments {
  step_counts* steps = nullptr;

  static constexpr int fragments_across = wgmma_columns / 8;
  static_assert(wgmma_rows == mma_tile && wgmma_columns == mma_tile);

  [[nodiscard]] MX_HD place_of_d warp_at(std::uint64_t block, int warp) const noexcept {
    const place_of_d tile = tile_at(block);
    return {tile.row + warp * tile_lines, tile.column};
  }
};

template <dot_model M>
struct wgmma_piece {
  static constexpr int blocks = gemm_step / M.block;
  quad_word codes[gemm_step / 16][piece_lines];
  quad_word factors[blocks][piece_lines / 4];
  quad_word bounds;  ///< two words
  quad_word common;  ///< four words, or none if scales are not folded
  quad_word unused[core_matrix / sizeof(quad_word) - 2];  ///< aligns pieces
};

[[nodiscard]] MX_HD constexpr std::int64_t bytes_of_piece(int block) noexcept {
  return gemm_step * piece_lines + gemm_step / block * piece_lines * 4 + core_matrix;
}

template <dot_model M>
[[nodiscard]] MX_HD wgmma_piece<M>* piece_of(const prepared_lines& of, std::int64_t line,
                                             std::int64_t step) noexcept {
  static_assert(sizeof(wgmma_piece<M>) == bytes_of_piece(M.block));
  return reinterpret_cast<wgmma_piece<M>*>(of.codes) + line / piece_lines * of.steps + step;
}

/// Index of a line's factor among those of its block.
[[nodiscard]] MX_HD constexpr int factor_place(gemm_side side, int line) noexcept {
  const int in_tile = line % tile_lines, half = in_tile / 8, in_half = in_tile % 8;
  const int place =
      side == gemm_side::row ? in_half * 2 + half : in_half / 2 * 4 + half * 2 + in_half % 2;
  return line - in_tile + place;
}

/// Whether scales are folded into codes: powers of two, where a step adds block by block. A step of
/// two blocks at once spends most instructions on its window, and those grew by more than folding
/// saves.
template <dot_model M, class Products>
inline constexpr bool folds_scales =
    Products::folds&& M.scale == format{formats::e8m0} && !is_fused(M);

/// Layout in which gemm_prepare stores a factor of a product for wgmma.
template <dot_model M, class Products>
struct core_matrix_layout {
  static constexpr bool folds = folds_scales<M, Products>;

  template <format Scale>
  [[nodiscard]] static MX_HD float factor(gemm_side side, std::uint32_t code) noexcept {
    return Products::template factor<Scale>(side, code);
  }
  /// 0 times -0 leaves every sum unchanged, including -0.
  [[nodiscard]] static MX_HD float factor_beyond_k(gemm_side side) noexcept {
    return side == gemm_side::column ? -0.0F : 0.0F;
  }
  ///   fold  the power of two that codes are multiplied by, if scales are folded
  template <class... Fold>
  static MX_HD void store_codes(const prepared_lines& to, std::int64_t line, std::int64_t step,
                                int half, gemm_side /*side*/, const quad_word& packed,
                                Fold... fold) noexcept {
    for (int i = 0; i < 2; ++i) {
      quad_word bytes;
      for (int w = 0; w < 4; ++w) {
        bytes.word[w] = Products::bytes_of(packed.word[2 * i + w / 2] >> (w % 2 * 16), fold...);
      }
      piece_of<M>(to, line, step)->codes[2 * half + i][line % piece_lines] = bytes;
    }
  }
  static MX_HD void store_factor(const prepared_lines& to, std::int64_t line, std::int64_t number,
                                 gemm_side side, float factor) noexcept {
    constexpr int blocks = wgmma_piece<M>::blocks;
    const int place = factor_place(side, static_cast<int>(line % piece_lines));
    piece_of<M>(to, line, number / blocks)->factors[number % blocks][place / 4].word[place % 4] =
        bits_of(factor);
  }
  static MX_HD void store_bounds(const prepared_lines& to, std::int64_t line, std::int64_t step,
                                 std::uint32_t bounds) noexcept {
    piece_of<M>(to, line, step)->bounds.word[line % piece_lines / group_lines] = bounds;
  }
  static MX_HD void store_common(const prepared_lines& to, std::int64_t line, std::int64_t step,
                                 int block, float factor) noexcept {
    const auto half = static_cast<int>(line % piece_lines / group_lines);
    piece_of<M>(to, line, step)->common.word[2 * half + block] = bits_of(factor);
  }
};

/// The part of a product that a block of threads loads at once.
template <dot_model M>
struct wgmma_stage {
  using piece = wgmma_piece<M>;
  piece a[wgmma_groups][stage_steps], b[wgmma_columns / piece_lines][stage_steps];
};

///   zeros  16 of k that pad blocks of 16: a product takes 32
template <dot_model M>
struct wgmma_shared {
  static constexpr int zero_lines = M.block == 16 ? piece_lines : 1;
  wgmma_stage<M> stage[wgmma_stages];
  quad_word zeros[zero_lines];
  std::uint64_t loaded[wgmma_stages], read[wgmma_stages];
};
template <dot_model M>
inline constexpr int wgmma_shared_bytes = static_cast<int>(sizeof(wgmma_shared<M>));

/// The first warp loads, and waits for the others before it overwrites a stage they read.
template <dot_model M, class Thread>
class wgmma_loads {
 public:
  using stage = wgmma_stage<M>;
  using piece = wgmma_piece<M>;

  MX_HD wgmma_loads(const Thread& self, const wgmma_arguments& to, const place_of_d& tile) noexcept
      : self_(self),
        shared_(self.template shared<wgmma_shared<M>>()),
        steps_(to.a.steps),
        a_(piece_of<M>(to.a, tile.row, 0)),
        b_(piece_of<M>(to.b, tile.column, 0)) {}

  /// Number of stages of k.
  [[nodiscard]] MX_HD int count() const noexcept { return static_cast<int>(steps_ / stage_steps); }

  MX_HD void begin() const noexcept {
    if (self_.index() == 0) {
      for (int i = 0; i < wgmma_stages; ++i) {
        self_.begin_counter(&shared_->loaded[i], 1);
        self_.begin_counter(&shared_->read[i], wgmma_threads / 32);
      }
    }
    if (self_.index() < wgmma_shared<M>::zero_lines) shared_->zeros[self_.index()] = {};
    self_.show_to_engines();
    self_.barrier();
    for (int number = 0; number < wgmma_ahead; ++number) load(number);
  }

  /// Loads stage `number` of k, if it exists, into its buffer.
  MX_HD void load(int number) const noexcept {
    if (self_.index() >= 32 || number >= count()) return;
    const int i = number % wgmma_stages;
    if (number >= wgmma_stages) self_.wait_for_phase(&shared_->read[i], parity_of(number) ^ 1);
    if (self_.index() != 0) return;
    self_.arrive_expecting(&shared_->loaded[i], sizeof(stage));
    stage& to = shared_->stage[i];
    for (int p = 0; p < wgmma_groups; ++p) copy(to.a[p], a_ + p * steps_, number);
    for (int p = 0; p < wgmma_columns / piece_lines; ++p) copy(to.b[p], b_ + p * steps_, number);
  }

  [[nodiscard]] MX_HD const stage& loaded(int number) const noexcept {
    const int i = number % wgmma_stages;
    self_.wait_for_phase(&shared_->loaded[i], parity_of(number));
    return shared_->stage[i];
  }
  /// The warp does not read the stage from here on.
  MX_HD void release(int number) const noexcept {
    self_.warp_barrier();
    if (self_.index() % 32 == 0) self_.arrive(&shared_->read[number % wgmma_stages]);
  }

  /// The first matrices of a warpgroup's rows, and of the columns, in the first stage.
  [[nodiscard]] MX_HD std::uint64_t rows(int group) const noexcept {
    return matrix_of(shared_->stage[0].a[group][0]);
  }
  [[nodiscard]] MX_HD std::uint64_t columns() const noexcept {
    return matrix_of(shared_->stage[0].b[0][0]);
  }

 private:
  [[nodiscard]] static MX_HD int parity_of(int number) noexcept {
    return number / wgmma_stages % 2;
  }
  MX_HD void copy(piece (&to)[stage_steps], const piece* line_of_pieces,
                  int number) const noexcept {
    self_.copy_counted(to, line_of_pieces + std::int64_t{number} * stage_steps, sizeof to,
                       &shared_->loaded[number % wgmma_stages]);
  }
  /// A block of 16 is followed by zeros.
  [[nodiscard]] MX_HD std::uint64_t matrix_of(const piece& of) const noexcept {
    const std::uint32_t first = self_.shared_address(of.codes[0]);
    const std::uint32_t second = self_.shared_address(M.block == 16 ? shared_->zeros : of.codes[1]);
    return descriptor_of({first, second - first, core_matrix});
  }

  const Thread& self_;
  wgmma_shared<M>* shared_;
  std::int64_t steps_;
  const piece *a_, *b_;
};

}  // namespace mx::kernels
