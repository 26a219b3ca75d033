// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/mxfp4.h: energies of MXFP4 blocks of whole rows under a power-of-two rule,
// ties to even: 8 adjacent threads compute a share of 64 blocks, a thread two neighbouring lanes of
// its 16. They work on stages of 8 blocks, copied into shared memory while the previous stage
// is summed. Thread t computes the comparison values of block t and stores them in shared memory;
// then each thread adds its lanes' elements of all 8 blocks, in their order.
//
// Cost of an element, in instructions of a thread, as compiled by nvcc 13.0 for sm_90a (fast path:
// no tie near, no block close to an end of the range) for FP32; the first figure where the rule
// never clips, the second where it may:
//   binary64      12, 15   3x, E, G, S; 8 or 11 sums, 6 of which have one term at a time: each
//                          rounds by the definition of the sums and cannot be derived from others
//   conversions   3        of x, Q and Q* to binary64
//   binary32      6.5      two for Q, four for Q* and whether it is near a tie
//   comparisons   10, 13   larger and smaller, predicates of the sums, two counts
//   loads, loop   2        from shared memory; a load serves two elements, a block's figures four
//   stages        4.5      the copy, amax, the block's figures: 144 for 32 elements of a thread
//   total         38, 44.5 for 16-bit types, which need no tie check, 37 and 43
// A multiprocessor issues 128 of them a clock, 64 for binary64: 0.30 and 0.35 clocks an element, of
// which binary64 alone takes 0.19 and 0.23; conversions take 0.19 at 16 a clock. By that count,
// 132 multiprocessors at 1.75 GHz process 6.6 to 7.8 * 10^11 elements a second: 2.6 to 3.1 TB/s of
// FP32, 1.3 to 1.6 of 16-bit types. Not measured.
#pragma once
#include "decompose/mxfp4_stage.h"

namespace mx::kernels {

/// |Q*| over amax / 6 of four binary32 elements, few of which are so near to a tie that the
/// roundings have to be checked.
MX_HD inline void find_ideals(const block_magnitudes& magnitudes,
                              const mxfp4_figures<number_type::fp32>& block,
                              float (&ideal)[4]) noexcept {
  ideal_sums sums[4];
  bool near_a_tie = false;
  for (int i = 0; i < 4; ++i) {
    const float x = magnitudes.x[i];
    sums[i] = ideal_sums_of(x, cut_magnitude<number_type::fp32>(x), block.ideal);
    near_a_tie = near_a_tie || sums[i].lower != sums[i].upper;
  }
  for (int i = 0; i < 4; ++i) ideal[i] = sums[i].lower - sums[i].anchor;
  if (!near_a_tie) return;
  for (int i = 0; i < 4; ++i) {
    ideal[i] = decided_ideal(magnitudes.x[i], block.minus_half_amax, ideal[i],
                             sums[i].upper - sums[i].anchor);
  }
}

/// For 16-bit types, which need no check.
template <number_type Type>
MX_HD void find_ideals(const block_magnitudes& magnitudes, const mxfp4_figures<Type>& block,
                       float (&ideal)[4]) noexcept {
  for (int i = 0; i < 4; ++i) ideal[i] = narrow_ideal(magnitudes.x[i], block.ideal);
}

/// A thread's elements of one block, in pairs of its two lanes.
template <number_type Type, clipping Clipping>
struct block_elements {
  using figures = mxfp4_figures<Type>;
  block_magnitudes magnitudes;

  MX_HD void add(const figures& block, lane_energy (&lanes)[2]) const noexcept {
    float ideal[4];
    find_ideals(magnitudes, block, ideal);
    for (int i = 0; i < 4; ++i) {
      const float x = magnitudes.x[i];
      const float nearest = nearest_element(x, cut_magnitude<Type>(x), block.scale);
      const float quantized =
          Clipping == clipping::never ? nearest : smaller_number(nearest, block.largest);
      add_plainly<Clipping>({x, quantized, ideal[i]}, block, lanes[i % 2]);
    }
  }

  /// The loop selects by comparison, not by index, so that the lanes stay in registers.
  MX_HD void add_by_core(const figures& block, lane_energy (&lanes)[2]) const noexcept {
    for (int i = 0; i < 4; ++i) {
      const float even = i < 2 ? magnitudes.x[0] : magnitudes.x[2];
      const float odd = i < 2 ? magnitudes.x[1] : magnitudes.x[3];
      const measured_element e = measured_by_core(i % 2 == 0 ? even : odd, block);
      if (i % 2 == 0) {
        lanes[0].add(e, 3);
      } else {
        lanes[1].add(e, 3);
      }
    }
  }
};

/// Whether the condition holds in one of the 8 threads of a share; called by the whole warp.
template <class Thread>
[[nodiscard]] MX_HD bool any_of_share(const Thread& self, bool own) noexcept {
  std::uint32_t any = own ? 1 : 0;
  for (int mask = 1; mask < 8; mask *= 2) any |= self.exchange(any, mask);
  return any != 0;
}

template <number_type Type, clipping Clipping>
struct decompose_mxfp4 {
  using stage = mxfp4_stage<Type>;
  using elements = block_elements<Type, Clipping>;
  using figures = mxfp4_figures<Type>;
  static constexpr int threads = 128, share_threads = stage::threads;
  static constexpr int shares = threads / share_threads, warp_shares = 32 / share_threads;
  static_assert(energy_lanes == 2 * share_threads);

  /// Figures of equal blocks are adjacent across a warp, so that they share no bank.
  struct shared_figures {
    stage stages[2][shares];
    figures blocks[threads / 32][stage::blocks][warp_shares];
  };
  static constexpr std::size_t sums_bytes = sizeof(lane_energy) * energy_lanes * shares;
  static constexpr std::size_t bytes = sizeof(shared_figures) > sums_bytes ? sizeof(shared_figures)
                                                                           : sums_bytes;

  /// Number of blocks of a share.
  [[nodiscard]] static MX_HD int blocks_of(const decompose_arguments& to,
                                           std::uint64_t share) noexcept {
    return group_of(to, share, 0, static_cast<int>(to.share_blocks)).count;
  }

  /// Adds the blocks of a stage to a thread's lanes, in their order.
  ///   block  the figures of the first; those of the next lie warp_shares further on
  static MX_HD void add(const stage& blocks, const figures* block, int thread,
                        lane_energy (&sums)[2]) noexcept {
    for (int b = 0; b < stage::blocks; b += 2) {
      unrolled<2>([&](int i) {
        elements{magnitudes_of(blocks, b + i, thread)}.add(block[(b + i) * warp_shares], sums);
      });
    }
  }
  static MX_HD void add_with_core(const stage& blocks, const figures* block, int thread,
                                  lane_energy (&sums)[2]) noexcept {
    for (int b = 0; b < stage::blocks; ++b) {
      const elements own{magnitudes_of(blocks, b, thread)};
      if (block[b * warp_shares].core >= 0) {
        own.add_by_core(block[b * warp_shares], sums);
      } else {
        own.add(block[b * warp_shares], sums);
      }
    }
  }

  /// Computes the comparison values of a stage's elements, and adds the elements.
  template <class Thread>
  static MX_HD void add_stage(const Thread& self, const scale_step& step, stage& blocks,
                              figures* found_here, lane_energy (&sums)[2]) {
    const int thread = self.index() % share_threads;
    self.warp_barrier();
    const figures own = found(step, thread, blocks, sums[0].special);
    found_here[thread * warp_shares] = own;
    const bool needs_core = any_of_share(self, own.core >= 0);
    self.warp_barrier();
    if (needs_core) {
      add_with_core(blocks, found_here, thread, sums);
    } else {
      add(blocks, found_here, thread, sums);
    }
    self.warp_barrier();
  }

  ///   quad  the thread's first word of the stage, gaps not counted
  template <class Thread>
  static MX_HD void fetch_stage(const Thread& self, const decompose_arguments& to,
                                std::uint64_t quad, int count, stage& into) noexcept {
    const int thread = self.index() % share_threads;
    const auto* x = static_cast<const quad_word*>(to.from.x);
    if (to.gaps.quads == 0) {
      fetch(self, x + quad, count, thread, into);
    } else {
      fetch(self, gapped_quads<Type>{x, to.gaps, quad}, count, thread, into);
    }
  }

  /// Adds all blocks of a share. All threads of a warp run as many stages as its first share has.
  template <class Thread>
  static MX_HD void add_share(const Thread& self, const decompose_arguments& to,
                              std::uint64_t share, int blocks, lane_energy (&sums)[2]) {
    const int thread = self.index() % share_threads, place = self.index() / share_threads;
    const int warp_blocks = blocks_of(to, share / warp_shares * warp_shares);
    auto& memory = *self.template shared<shared_figures>();
    stage *now = &memory.stages[0][place], *next = &memory.stages[1][place];
    figures* found_here = &memory.blocks[place / warp_shares][0][place % warp_shares];
    const std::uint64_t first = share * to.share_blocks;
    std::uint64_t quad = first * stage::block_pieces + static_cast<std::uint64_t>(thread);
    fetch_stage(self, to, quad, blocks, *now);
    for (int done = 0; done < warp_blocks; done += stage::blocks) {
      quad += stage::blocks * stage::block_pieces;
      fetch_stage(self, to, quad, blocks - done - stage::blocks, *next);
      self.template wait_for_copies<1>();
      add_stage(self, to.step, *now, found_here, sums);
      stage* const other = now;
      now = next, next = other;
    }
  }

  /// Threads 8 s to 8 s + 7 of the grid compute share s; each counts an eighth of its blocks.
  template <class Thread>
  static MX_HD void run(const Thread& self, const decompose_arguments& to) {
    const int thread = self.index() % share_threads, place = self.index() / share_threads;
    const std::uint64_t share = self.block() * shares + static_cast<std::uint64_t>(place);
    const int blocks = blocks_of(to, share);
    lane_energy sums[2];
    add_share(self, to, share, blocks, sums);
    sums[0].blocks =
        static_cast<std::uint32_t>((blocks - thread + stage::blocks - 1) / stage::blocks);
    sums[0].elements = (sums[0].blocks - sums[0].special) * mxfp4::size;
    self.barrier();
    auto* all = self.template shared<lane_energy>() + place * energy_lanes;
    all[2 * thread] = sums[0], all[2 * thread + 1] = sums[1];
    put_together<share_threads>(self, to.how.format.element, all,
                                share < to.shares ? to.out + share : nullptr);
  }
};

}  // namespace mx::kernels
