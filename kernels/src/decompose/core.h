// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/core.h: energies of blocks of any format, under any rule and rounding, by
// the core's own functions: a policy of decompose_shares.
#pragma once
#include "decompose/shares.h"

namespace mx::kernels {

/// Blocks of any format, under any rule and rounding, by the core's own functions.
struct decompose_core {
  static constexpr int threads = 64;

  struct figures {
    measured_block block;
    std::uint8_t codes[largest_block];
  };

  template <class Thread>
  static MX_HD void find(const Thread& self, const decompose_arguments& to,
                         const block_group& group, figures& own, lane_energy& sum) noexcept {
    const int lane = self.index() % share_threads;
    if (lane >= group.count) return;
    const std::uint64_t number = group.first + static_cast<std::uint64_t>(lane);
    const auto size = static_cast<std::uint64_t>(to.how.format.size());
    const std::uint64_t line = number / to.blocks_a_line, first = number % to.blocks_a_line * size;
    float x[largest_block] = {};
    load_block(to.from, line, first, size, x);
    const unpacked tensor = loaded_tensor_scale(to.tensor_scale);
    own.block = measured(to.how, x, tensor, number, own.codes);
    const std::uint64_t left = to.from.length - first;
    ++sum.blocks;
    if (own.block.chosen.special) {
      ++sum.special;
    } else {
      sum.elements += static_cast<std::uint32_t>(left < size ? left : size);
    }
  }

  static MX_HD void add(const decompose_arguments& to, std::uint64_t number, const figures& block,
                        int lane, lane_energy& sum) noexcept {
    if (block.block.amax.is_zero()) return;  // includes special blocks
    const block_format& f = to.how.format;
    const auto size = static_cast<std::uint64_t>(f.size());
    const std::uint64_t line = number / to.blocks_a_line, first = number % to.blocks_a_line * size;
    for (auto i = static_cast<std::uint64_t>(lane); i < size && first + i < to.from.length;
         i += energy_lanes) {
      const unpacked value = unpack(to.from.at(line, first + i));
      if (value.is_zero()) continue;
      const checked_element e = mx::checked(f, value, block.codes[i], block.block);
      sum.add(e.measured, static_cast<double>(divisor_of(f.element)));
      sum.violations += e.adds_up ? 0 : 1;
    }
  }
};

}  // namespace mx::kernels
