// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native_tensor.h: products of E2M1 blocks by the FP4 instructions of a
// multiprocessor's tensor core (sm_100a: tcgen05.mma kind::mxf4 and kind::mxf4nvf4): operands in
// shared memory, scales and sums in tensor memory. Has not run on its hardware. Equals
// mx::gemm_element if the instruction matches mx::native_model.
//
// A block of threads, four warps, computes 128 rows and 256 columns of D. Warp 0 copies pieces of
// 128 of k into shared memory, up to tensor_stages ahead. Warp 1 copies the scales of a piece on
// into tensor memory, to columns reserved for the stage, and starts two instructions; a stage is
// free again once they are done with it. All warps first store C to tensor memory, a row a thread,
// and finally load D from it.
// Without C, +0 is stored: for an instruction that does not read D it would be open whether +0
// takes part in its alignment, and which sign a sum of -0 has.
// Order: copies and instructions that one thread starts run in that order where PTX guarantees it
// (tcgen05.cp then tcgen05.mma; tcgen05.mma then tcgen05.mma of one shape); all else waits for a
// barrier.
// Source: PTX ISA, "tcgen05 Memory Consistency Model", "Implicitly pipelined tcgen05 instructions".
#pragma once
#include "gemm/native_descriptors.h"
#include "gemm/native_mma.h"

namespace mx::kernels {

inline constexpr int tensor_threads = 128;
inline constexpr int tensor_stages = 6;
inline constexpr int tensor_chunk = 16;  // columns of D moved at once by a thread

template <native_kind Kind>
struct tensor_stage {
  native_piece<Kind, tensor_rows> a;
  native_piece<Kind, tensor_columns> b;
};

/// Shared memory of a block of threads.
///   full, empty  of a stage: its copies have completed; its instructions are done
template <native_kind Kind>
struct alignas(16) tensor_shared {
  tensor_stage<Kind> stages[tensor_stages];
  std::uint64_t full[tensor_stages], empty[tensor_stages], done;
  std::uint32_t base, unused;
};

template <native_kind Kind, class Thread>
class tensor_tile_of_d {
 public:
  MX_HD tensor_tile_of_d(const Thread& self, const native_arguments& to) noexcept
      : self_(self), to_(to), shared_(*self.template shared<tensor_shared<Kind>>()) {
    const auto block = static_cast<std::int64_t>(self.block());
    tile_down_ = block / to.tiles_across;
    tile_across_ = block % to.tiles_across;
  }

  MX_HD void run() noexcept {
    begin();
    const std::uint32_t base = shared_.base;
    put_c(base);
    self_.tensor_before_barrier();
    self_.barrier();
    self_.tensor_after_barrier();
    if (warp() == 0) copy_pieces();
    if (warp() == 1) multiply_pieces(base);
    self_.wait_for_phase(&shared_.done, 0);
    self_.tensor_after_barrier();
    take_d(base);
    self_.tensor_before_barrier();
    self_.barrier();
    self_.tensor_after_barrier();
    if (warp() == 1) self_.release_tensor_memory(base);
  }

 private:
  [[nodiscard]] MX_HD int warp() const noexcept { return self_.index() / 32; }
  [[nodiscard]] MX_HD bool is_first_lane() const noexcept { return self_.index() % 32 == 0; }

  MX_HD void begin() const noexcept {
    if (self_.index() == 0) {
      for (int i = 0; i < tensor_stages; ++i) {
        self_.begin_counter(&shared_.full[i], 1);
        self_.begin_counter(&shared_.empty[i], 1);
      }
      self_.begin_counter(&shared_.done, 1);
      self_.show_counters();
    }
    if (warp() == 1) self_.allot_tensor_memory(shared_.base);
    self_.tensor_before_barrier();
    self_.barrier();
    self_.tensor_after_barrier();
  }

  MX_HD void copy_pieces() const noexcept {
    using stage = tensor_stage<Kind>;
    const auto* a = static_cast<const native_piece<Kind, tensor_rows>*>(to_.a);
    const auto* b = static_cast<const native_piece<Kind, tensor_columns>*>(to_.b);
    for (std::int64_t number = 0; number < to_.pieces; ++number) {
      const auto at = static_cast<int>(number % tensor_stages);
      const std::int64_t turn = number / tensor_stages;
      if (turn > 0) self_.wait_for_phase(&shared_.empty[at], static_cast<int>((turn - 1) % 2));
      if (is_first_lane()) {
        stage& here = shared_.stages[at];
        self_.arrive_expecting(&shared_.full[at], sizeof(stage));
        self_.copy_counted(&here.a, &a[tile_down_ * to_.pieces + number], sizeof here.a,
                           &shared_.full[at]);
        self_.copy_counted(&here.b, &b[tile_across_ * to_.pieces + number], sizeof here.b,
                           &shared_.full[at]);
      }
      self_.warp_barrier();
    }
  }

  MX_HD void multiply_pieces(std::uint32_t base) const noexcept {
    for (std::int64_t number = 0; number < to_.pieces; ++number) {
      const auto at = static_cast<int>(number % tensor_stages);
      self_.wait_for_phase(&shared_.full[at], static_cast<int>(number / tensor_stages % 2));
      self_.tensor_after_barrier();
      if (is_first_lane()) {
        multiply(base, number, at);
        self_.commit_tensor_work(&shared_.empty[at]);
        if (number + 1 == to_.pieces) self_.commit_tensor_work(&shared_.done);
      }
      self_.warp_barrier();
    }
  }

  MX_HD void multiply(std::uint32_t base, std::int64_t number, int at) const noexcept {
    using columns = tensor_columns_of<Kind, tensor_stages>;
    const tensor_stage<Kind>& here = shared_.stages[at];
    for (int w = 0; w < columns::words; ++w) {
      copy_scales(base, columns::scales_of_a(at, w), here.a.scales[w], tensor_rows);
      copy_scales(base, columns::scales_of_b(at, w), here.b.scales[w], tensor_columns);
    }
    // A step beyond k changes no sum.
    for (int step = 0; step < 2 && number * 2 + step < to_.steps(); ++step) {
      constexpr bool has_halves = columns::words == 1;
      const int word = has_halves ? 0 : step, first_scale = has_halves ? step * 2 : 0;
      self_.template multiply_tensors<Kind>(
          base, codes_descriptor(self_.shared_address(here.a.codes[step])),
          codes_descriptor(self_.shared_address(here.b.codes[step])),
          native_instruction(Kind, first_scale),
          tensor_address(base, 0, columns::scales_of_a(at, word)),
          tensor_address(base, 0, columns::scales_of_b(at, word)));
    }
  }

  MX_HD void copy_scales(std::uint32_t base, int column, const std::uint32_t* words,
                         int lines) const noexcept {
    for (int i = 0; i < lines / 128; ++i) {
      self_.copy_to_tensor_memory(tensor_address(base, 0, column + i * 4),
                                  scales_descriptor(self_.shared_address(words + i * 128)));
    }
  }

  [[nodiscard]] MX_HD std::int64_t row() const noexcept {
    return tile_down_ * tensor_rows + self_.index();
  }
  /// Elements of D from a column on that are inside it, at most a chunk.
  [[nodiscard]] MX_HD std::int64_t inside(std::int64_t column) const noexcept {
    return row() < to_.product.shape.m ? to_.product.shape.n - column : 0;
  }
  /// A warp has 32 lanes of tensor memory, a thread one lane: a row of D.
  [[nodiscard]] MX_HD std::uint32_t chunk_address(std::uint32_t base, int column) const noexcept {
    return tensor_address(base, warp() * 32, column);
  }

  MX_HD void put_c(std::uint32_t base) const noexcept {
    for (int i = 0; i < tensor_columns; i += tensor_chunk) {
      const std::int64_t column = tile_across_ * tensor_columns + i, count = inside(column);
      std::uint32_t c[tensor_chunk];
      unrolled<tensor_chunk>(
          [&](int n) { c[n] = n < count ? to_.start_at(row(), column + n) : 0; });
      self_.warp_barrier();
      self_.store_tensor_memory(chunk_address(base, i), c);
    }
    self_.wait_for_tensor_stores();
  }

  MX_HD void take_d(std::uint32_t base) const noexcept {
    auto* d = static_cast<std::uint32_t*>(to_.product.d);
    for (int i = 0; i < tensor_columns; i += tensor_chunk) {
      const std::int64_t column = tile_across_ * tensor_columns + i, count = inside(column);
      std::uint32_t sums[tensor_chunk];
      self_.warp_barrier();
      self_.load_tensor_memory(sums, chunk_address(base, i));
      self_.wait_for_tensor_loads();
      unrolled<tensor_chunk>([&](int n) {
        if (n < count) d[row() * to_.product.d_stride + column + n] = sums[n];
      });
    }
  }

  const Thread& self_;
  const native_arguments& to_;
  tensor_shared<Kind>& shared_;
  std::int64_t tile_down_ = 0, tile_across_ = 0;
};

/// Block b of the grid computes tile b of D, tiles in row-major order.
template <native_kind Kind, class Thread>
MX_HD void gemm_native_tensor(const Thread& self, const native_arguments& to) {
  tensor_tile_of_d<Kind, Thread>(self, to).run();
}

}  // namespace mx::kernels
