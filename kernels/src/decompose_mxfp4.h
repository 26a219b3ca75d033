// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose_mxfp4.h: energies of MXFP4 blocks under a power-of-two rule, ties to even, of
// whole rows: a policy of decompose_shares.
// Operations on binary64 of an element: three widenings, 5 for products and differences, 7 to 9 for the
// sums, of which 2 or 3 act in some threads of a warp and not in others. At 64 a clock, 12 to 14 take
// 0.2 clocks of a multiprocessor. In all there are some 100 instructions of PTX an element, 12 of them
// for the figures of its block: at 128 a clock 0.6 to 0.8 clocks. On 132 multiprocessors at 1.7 GHz that
// is 2.8 to 3.7 * 10^11 elements a second, 1.1 to 1.5 TB/s of FP32; to be measured.
#pragma once
#include "decompose_shares.h"
#include "ideal_mxfp4.h"
#include "mxfp4_pairs.h"

namespace mx::kernels {

/// How the elements of a block are measured.
///   nothing  they add nothing: the block is special, zero, or none
///   plain    in binary32
///   core     by the core: amax is close to the ends of binary32's range
enum class measured_by : std::uint8_t { nothing, plain, core };

inline constexpr std::uint32_t largest_finite_binary32 = 0x7F7FFFFF;

/// What the elements of a block are compared with.
///   largest    6 scale
///   intervals  of ideal_interval_of
struct mxfp4_figures {
  ideal_ties ties;
  double half_amax;
  float amax, scale, largest, intervals;
  measured_by how;
  e8m0 code;
};

///   amax  bits of a finite magnitude
[[nodiscard]] MX_HD inline mxfp4_figures figures_of(std::uint32_t amax,
                                                    const scale_step& step) noexcept {
  mxfp4_figures result{};
  if (amax == 0) return result;
  const std::uint32_t code = scale_code_of(step, pairs::rounded_to_odd(amax, 0) & 0xFFFF);
  result.amax = float_of(amax);
  result.code.code = static_cast<std::uint8_t>(code);
  result.how = measured_by::core;
  if (amax < least_plain_amax || amax >= beyond_plain_amax) return result;
  result.how = measured_by::plain;
  result.ties = ideal_ties_of(static_cast<double>(result.amax));
  result.half_amax = static_cast<double>(result.amax) / 2;
  result.scale = float_of(code << 23);
  result.largest = result.scale * 6;
  result.intervals = intervals_over(result.amax);
  return result;
}

/// One element of a plain block.
[[nodiscard]] MX_HD inline measured_element measured_plainly(const mxfp4_figures& block,
                                                             float magnitude) noexcept {
  const float tripled = tripled_element(magnitude, block.scale, block.largest);
  const float ideal = ideal_element(magnitude, block.intervals, block.ties);
  return {static_cast<double>(magnitude), static_cast<double>(tripled),
          static_cast<double>(ideal) * block.half_amax, magnitude > block.largest};
}

/// The largest of 16 numbers each of 16 threads: of number t of all of them, in thread t. In each step
/// a thread keeps half of its numbers and gives the other half away.
template <int Count, class Thread>
[[nodiscard]] MX_HD std::uint32_t largest_of_own(const Thread& self,
                                                 const std::uint32_t (&number)[Count]) noexcept {
  if constexpr (Count == 1) {
    return number[0];
  } else {
    constexpr int half = Count / 2;
    const bool upper = (self.index() & half) != 0;
    std::uint32_t kept[half];
    for (int i = 0; i < half; ++i) {
      const std::uint32_t other = self.exchange(upper ? number[i] : number[i + half], half);
      const std::uint32_t own = upper ? number[i + half] : number[i];
      kept[i] = own > other ? own : other;
    }
    return largest_of_own<half>(self, kept);
  }
}

/// The magnitude of an element of a matrix without gaps.
template <number_type Type>
[[nodiscard]] MX_HD inline std::uint32_t magnitude_at(const void* x, std::uint64_t place) noexcept {
  if constexpr (Type == number_type::fp32) {
    return static_cast<const std::uint32_t*>(x)[place] & 0x7FFFFFFF;
  } else {
    const std::uint32_t code = static_cast<const std::uint16_t*>(x)[place] & 0x7FFF;
    return Type == number_type::bf16 ? code << 16 : bits_of(pairs::widened_binary16(code));
  }
}

template <number_type Type>
struct decompose_mxfp4 {
  static constexpr int threads = 256;
  using figures = mxfp4_figures;

  template <class Thread>
  static MX_HD void find(const Thread& self, const decompose_arguments& to,
                         const block_group& group, figures& own, lane_energy& sum) noexcept {
    const int lane = self.index() % share_threads;
    std::uint32_t largest[share_threads];
    for (int b = 0; b < share_threads; ++b) {
      // Block 0 is read in place of none: loads that no branch keeps apart wait together.
      const std::uint64_t block = b < group.count ? group.first + static_cast<std::uint64_t>(b) : 0;
      const std::uint32_t first = magnitude_at<Type>(to.from.x, place_of(block, lane));
      const std::uint32_t second =
          magnitude_at<Type>(to.from.x, place_of(block, lane) + energy_lanes);
      largest[b] = first > second ? first : second;
    }
    const std::uint32_t amax = largest_of_own(self, largest);
    if (lane >= group.count) return;
    ++sum.blocks;
    if (amax > largest_finite_binary32) {
      ++sum.special;
      own = {};
    } else {
      sum.elements += mxfp4::size;
      own = figures_of(amax, to.step);
    }
  }

  static MX_HD void add(const decompose_arguments& to, std::uint64_t number, const figures& block,
                        int lane, lane_energy& sum) noexcept {
    if (block.how == measured_by::nothing) return;
    const std::uint64_t place = place_of(number, lane);
    const float first = float_of(magnitude_at<Type>(to.from.x, place));
    const float second = float_of(magnitude_at<Type>(to.from.x, place + energy_lanes));
    if (block.how == measured_by::plain) {
      sum.add(measured_plainly(block, first), 3);
      sum.add(measured_plainly(block, second), 3);
    } else {
      add_by_core(block, first, sum);
      add_by_core(block, second, sum);
    }
  }

 private:
  static_assert(mxfp4::size == 2 * energy_lanes);

  /// Of a lane's first element of a block.
  [[nodiscard]] static MX_HD std::uint64_t place_of(std::uint64_t block, int lane) noexcept {
    return block * mxfp4::size + static_cast<std::uint64_t>(lane);
  }

  static MX_HD void add_by_core(const figures& block, float magnitude, lane_energy& sum) noexcept {
    const unpacked x = unpack(magnitude);
    sum.add(measured(x, compare(x, unpack(block.amax), block.code)), 3);
  }
};

}  // namespace mx::kernels
