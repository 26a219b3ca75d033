// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/mma_stage.h: the shared memory of gemm_mxfp4_mma and its asynchronous loads: 16
// bytes a thread and instruction, bypassing the registers, while earlier steps are computed.
#pragma once
#include "gemm/mma_panel.h"

namespace mx::kernels {

inline constexpr int mma_threads = 256;
inline constexpr int mma_stages = 3;

/// A warp's part of a tile of D.
struct warp_part {
  int row, column;
};

struct mma_arguments : tensor_arguments {
  static constexpr int fragments_across = warp_columns / 8;

  /// A warp's part, relative to its tile, and by itself.
  [[nodiscard]] static MX_HD warp_part part_of(int warp) noexcept {
    return {warp % 2 * warp_rows, warp / 2 * warp_columns};
  }
  [[nodiscard]] MX_HD place_of_d warp_at(std::uint64_t block, int warp) const noexcept {
    const place_of_d tile = tile_at(block);
    const warp_part part = part_of(warp);
    return {tile.row + part.row, tile.column + part.column};
  }
};

/// A stage of shared memory: a panel of A and one of B.
template <dot_model M>
struct mma_stage {
  mma_panel<M> side[2];

  [[nodiscard]] MX_HD const mma_panel<M>& a() const noexcept { return side[0]; }
  [[nodiscard]] MX_HD const mma_panel<M>& b() const noexcept { return side[1]; }
};
template <dot_model M>
inline constexpr int mma_shared_bytes = static_cast<int>(mma_stages * sizeof(mma_stage<M>));

/// A thread's loads: of every 128th quad of a panel; half of the threads load A's, half B's.
template <dot_model M, class Thread>
class stage_loads {
 public:
  MX_HD stage_loads(const Thread& self, const mma_arguments& to, const place_of_d& tile) noexcept
      : self_(self),
        side_(self.index() / panel_threads),
        number_(self.index() % panel_threads),
        left_(static_cast<int>(to.a.steps)) {
    const auto* panel =
        side_ == 0 ? panel_of<M>(to.a, tile.row, 0) : panel_of<M>(to.b, tile.column, 0);
    from_ = reinterpret_cast<const quad_word*>(panel) + number_;
  }

  /// Starts the load of the next step, if there is one.
  MX_HD void begin(mma_stage<M>& stage) noexcept {
    if (left_ > 0) load(reinterpret_cast<quad_word*>(&stage.side[side_]) + number_);
    self_.commit_copies();
    left_ -= 1;
    from_ += panel_quads;
  }

 private:
  static constexpr int panel_threads = mma_threads / 2;
  static constexpr int panel_quads = static_cast<int>(sizeof(mma_panel<M>) / sizeof(quad_word));

  MX_HD void load(quad_word* to) const noexcept {
    unrolled<(panel_quads + panel_threads - 1) / panel_threads>([&](int i) {
      const int first = i * panel_threads;
      if (first + number_ < panel_quads) self_.copy_later(to + first, from_ + first);
    });
  }

  const Thread& self_;
  int side_, number_;
  int left_;  ///< steps not loaded yet
  const quad_word* from_;
};

}  // namespace mx::kernels
