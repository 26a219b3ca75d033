// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/shares.h: the energies of shares of blocks: 16 adjacent threads compute a
// share, a thread one of its lanes. They work on 16 blocks at a time: first each thread computes
// the comparison values of its block and stores them in shared memory; then each adds its lane's
// elements of all 16 blocks, in their order. The policy locates blocks and measures elements.
// Also holds what all kernels of energies share. Equals mx::energy_share
// (tests/kernels/decompose/decompose_test.cpp).
#pragma once
#include "mx/block/energy.h"
#include "quantize/blocks.h"

namespace mx::kernels {

inline constexpr int share_threads = energy_lanes;

/// The sums of one thread.
struct lane_energy {
  double sums[energy_terms] = {};
  std::uint32_t blocks = 0, special = 0, elements = 0, dead = 0, dead_actual = 0, violations = 0;

  [[nodiscard]] MX_HD double& sum(energy_term term) noexcept {
    return sums[static_cast<int>(term)];
  }
  MX_HD void add_product(energy_term term, double a, double b) noexcept {
    sum(term) = fused_multiply_add(a, b, sum(term));
  }

  MX_HD void add(const measured_element& e, double divisor) noexcept {
    each_product(e, divisor,
                 [this](energy_term term, double a, double b) { add_product(term, a, b); });
    dead += is_dead(e) ? 1 : 0;
    dead_actual += is_dead_actually(e) ? 1 : 0;
  }
};

/// The blocks of the rows of a matrix.
///   tensor_scale   null if the format has none
///   share_blocks   blocks of a whole share
///   step, gaps     for MXFP4 under a power-of-two rule
struct decompose_arguments {
  quantization how;
  matrix_lines from;
  const float* tensor_scale = nullptr;
  std::uint64_t blocks_a_line = 0, blocks = 0, share_blocks = 0, shares = 0;
  scale_step step;
  row_gaps gaps;
  error_energy* out = nullptr;
};

/// Consecutive blocks of a share.
struct block_group {
  std::uint64_t first = 0;
  int count = 0;
};

/// Group number `stage` of the share's blocks, `size` blocks each, fewer at the end.
[[nodiscard]] MX_HD inline block_group group_of(const decompose_arguments& to, std::uint64_t share,
                                                std::uint64_t stage, int size) noexcept {
  const std::uint64_t begin = share * to.share_blocks;
  const std::uint64_t left = begin < to.blocks ? to.blocks - begin : 0;
  const std::uint64_t own = left < to.share_blocks ? left : to.share_blocks;
  const auto whole = static_cast<std::uint64_t>(size);
  const std::uint64_t done = stage * whole;
  const std::uint64_t rest = done < own ? own - done : 0;
  return {begin + done, static_cast<int>(rest < whole ? rest : whole)};
}

/// The counts of the lanes of a share, without its sums.
[[nodiscard]] MX_HD inline error_energy counts_of_lanes(const lane_energy* lanes) noexcept {
  error_energy counts;
  for (int i = 0; i < energy_lanes; ++i) {
    counts.blocks += lanes[i].blocks, counts.special_blocks += lanes[i].special;
    counts.elements += lanes[i].elements, counts.identity_violations += lanes[i].violations;
    counts.dead += lanes[i].dead, counts.dead_actual += lanes[i].dead_actual;
  }
  return counts;
}

/// The combined sums of the lanes of a share: a thread combines some terms, then the first thread
/// all.
///   Threads  of the share
///   sums     of its 16 lanes, in shared memory, written by threads of the warp
template <int Threads, class Thread>
MX_HD void put_together(const Thread& self, const format& element, lane_energy* sums,
                        error_energy* out) noexcept {
  const int own = self.index() % Threads;
  self.warp_barrier();
  for (int term = own; term < energy_terms; term += Threads) {
    double lanes[energy_lanes] = {};
    for (int i = 0; i < energy_lanes; ++i) lanes[i] = sums[i].sums[term];
    sums[term].sums[term] = sum_of_lanes(lanes);  // read by no other thread
  }
  self.warp_barrier();
  if (own != 0 || out == nullptr) return;
  energy_totals totals;
  for (int term = 0; term < energy_terms; ++term) totals.of[term] = sums[term].sums[term];
  *out = totals.finished(counts_of_lanes(sums), static_cast<std::int64_t>(divisor_of(element)));
}

/// Bytes of shared memory of a block of threads: for a policy, or for the final sums.
template <class Policy>
[[nodiscard]] MX_HD constexpr std::size_t decompose_bytes() noexcept {
  const std::size_t figures = sizeof(typename Policy::figures) * Policy::threads;
  const std::size_t sums = sizeof(lane_energy) * Policy::threads;
  return figures > sums ? figures : sums;
}

/// Threads 16 s to 16 s + 15 of the grid compute share s.
/// A policy has
///   threads                          of a block of threads, whole warps
///   figures                          of a block, in shared memory
///   find(self, to, group, mine, sum) figures of block number `mine` of the group, by its thread;
///                                    counts the block
///   add(to, number, figures, lane, sum)   adds a lane's elements of block `number`
template <class Policy, class Thread>
MX_HD void decompose_shares(const Thread& self, const decompose_arguments& to) {
  constexpr int shares_here = Policy::threads / share_threads;
  const int lane = self.index() % share_threads, place = self.index() / share_threads;
  const std::uint64_t share = self.block() * shares_here + static_cast<std::uint64_t>(place);
  // Figures of a warp's two shares are interleaved, so that equal blocks of both share no bank.
  auto* figures =
      self.template shared<typename Policy::figures>() + place / 2 * 2 * share_threads + place % 2;
  lane_energy sum;
  const std::uint64_t stages = (to.share_blocks + share_threads - 1) / share_threads;
  for (std::uint64_t stage = 0; stage < stages; ++stage) {
    const block_group group = group_of(to, share, stage, share_threads);
    Policy::find(self, to, group, figures[2 * lane], sum);
    self.warp_barrier();
    for (int b = 0; b < group.count; ++b) {
      Policy::add(to, group.first + static_cast<std::uint64_t>(b), figures[2 * b], lane, sum);
    }
    self.warp_barrier();
  }
  self.barrier();
  auto* sums = self.template shared<lane_energy>() + place * share_threads;
  sums[lane] = sum;
  put_together<share_threads>(self, to.how.format.element, sums,
                              share < to.shares ? to.out + share : nullptr);
}

}  // namespace mx::kernels
