// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/rectangles.h: the energies of shares of blocks of several rows, by the
// core's own functions: a block of threads computes a share, its blocks one after the other;
// sixteen threads add the lanes' elements in their order.
// Equals mx::energy_share (tests/kernels/quantize/rectangles_test.cpp).
#pragma once
#include "decompose/shares.h"
#include "quantize/rectangle.h"

namespace mx::kernels {

/// Bytes of shared memory: for a block, or for the final sums.
[[nodiscard]] MX_HD constexpr int decompose_rectangle_bytes(const block_format& f) noexcept {
  constexpr int sums = static_cast<int>(sizeof(lane_energy)) * energy_lanes;
  static_assert(sums <= most_rectangle_bytes);
  return rectangle_bytes(f) > sums ? rectangle_bytes(f) : sums;
}

/// Adds one lane's elements of a block.
template <class Thread>
MX_HD void add_lane(const rectangle<Thread>& block, const quantization& how, const unpacked& tensor,
                    int lane, lane_energy& sum) noexcept {
  const block_format& f = how.format;
  const measured_block measured{block.scale(), ratio_of(f, block.scale().code, tensor),
                                block.amax()};
  for (int i = lane; i < block.size(); i += energy_lanes) {
    if (block.is_inside(i)) ++sum.elements;
    const unpacked value = unpack(block.value_of(i));
    if (value.is_zero()) continue;
    const checked_element e = mx::checked(f, value, block.code_of(i), measured);
    sum.add(e.measured, static_cast<double>(divisor_of(f.element)));
    sum.violations += e.adds_up ? 0 : 1;
  }
}

/// The combined sums of the lanes of a share.
[[nodiscard]] MX_HD inline error_energy energy_of_lanes(const lane_energy* lanes,
                                                        const format& element) noexcept {
  energy_totals totals;
  for (int term = 0; term < energy_terms; ++term) {
    double sums[energy_lanes] = {};
    for (int i = 0; i < energy_lanes; ++i) sums[i] = lanes[i].sums[term];
    totals.of[term] = sum_of_lanes(sums);
  }
  return totals.finished(counts_of_lanes(lanes), static_cast<std::int64_t>(divisor_of(element)));
}

/// Block b of the grid computes share b.
template <class Thread>
MX_HD void decompose_rectangles(const Thread& self, const decompose_arguments& to) {
  const unpacked tensor = loaded_tensor_scale(to.tensor_scale);
  const std::uint64_t first = self.block() * to.share_blocks;
  const std::uint64_t left = to.blocks - first;
  const std::uint64_t count = left < to.share_blocks ? left : to.share_blocks;
  lane_energy sum;
  for (std::uint64_t b = 0; b < count; ++b) {
    const rectangle<Thread> block(self, to.how, to.from, first + b, to.blocks_a_line, tensor);
    if (self.index() == 0) {
      ++sum.blocks;
      sum.special += block.scale().special ? 1 : 0;
    }
    if (!block.scale().special && self.index() < energy_lanes) {
      add_lane(block, to.how, tensor, self.index(), sum);
    }
    self.barrier();
  }
  auto* lanes = self.template shared<lane_energy>();
  if (self.index() < energy_lanes) lanes[self.index()] = sum;
  self.barrier();
  if (self.index() == 0) to.out[self.block()] = energy_of_lanes(lanes, to.how.format.element);
}

}  // namespace mx::kernels
