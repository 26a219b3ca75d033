// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/native_warp.h: a thread of the grid with Blackwell's FP4 instruction of a
// warp, computed by the emulator's model: fragments and scales are decoded from the PTX manual,
// independently of the kernels.
#pragma once
#include <stdexcept>

#include "gemm/native_mma.h"
#include "grid.h"
#include "mx/dot/dot.h"

namespace kernels_test {

/// Registers of a warp as matrices. Words of a lane are four of A, two of B, scales of A, scales
/// of B.
template <mx::kernels::native_kind Kind>
class native_fragments {
 public:
  native_fragments(const std::array<lane_words, 32>& lanes,
                   const mx::kernels::scale_operand& scale_a,
                   const mx::kernels::scale_operand& scale_b) {
    for (int lane = 0; lane < 32; ++lane) scatter(lanes[lane], lane / 4, lane % 4);
    for (int row = 0; row < 16; ++row) {
      // For A the lower two threads of a quad, or the upper two, which have rows groupID and
      // groupID + 8.
      const int lane = row % 8 * 4 + (scale_a.thread == 0 ? 0 : 2) + (row < 8 ? 0 : 1);
      spread(scales_a_[row], lanes[lane][6], scale_a.byte);
    }
    for (int column = 0; column < 8; ++column) {
      spread(scales_b_[column], lanes[column * 4 + scale_b.thread][7], scale_b.byte);
    }
  }

  /// c + the sum of products of a row and a column.
  [[nodiscard]] std::uint32_t element(int row, int column, std::uint32_t c) const {
    return mx::dot(model, a_[row], b_[column], 64, c, scales_a_[row], scales_b_[column]);
  }

 private:
  static constexpr mx::dot_model model = mx::kernels::native_model<Kind>;
  static constexpr int blocks = 64 / model.block;

  /// "Matrix fragments for mma.m16n8k64": register r of A has row groupID, or groupID + 8 where r
  /// is odd, and k from 8 threadID_in_group on, 32 more in registers 2 and 3; register r of B has
  /// column groupID and the same k, 32 more in register 1.
  void scatter(const lane_words& words, int group, int thread) {
    for (int i = 0; i < 8; ++i) {
      const int k = 8 * thread + i;
      a_[group][k] = nibble(words[0], i);
      a_[group + 8][k] = nibble(words[1], i);
      a_[group][k + 32] = nibble(words[2], i);
      a_[group + 8][k + 32] = nibble(words[3], i);
      b_[group][k] = nibble(words[4], i);
      b_[group][k + 32] = nibble(words[5], i);
    }
  }
  static std::uint8_t nibble(std::uint32_t word, int i) { return word >> (4 * i) & 15; }
  static void spread(std::uint8_t (&scales)[4], std::uint32_t word, int byte) {
    for (int i = 0; i < blocks; ++i) {
      scales[i] = static_cast<std::uint8_t>(word >> (8 * (byte + i)));
    }
  }

  std::uint8_t a_[16][64], b_[8][64], scales_a_[16][4], scales_b_[8][4];
};

/// Whether PTX defines the instruction for these selectors.
template <mx::kernels::native_kind Kind>
[[nodiscard]] bool are_valid(const mx::kernels::scale_operand& a,
                             const mx::kernels::scale_operand& b) {
  const auto byte = [](int id) {
    return id == 0 || (Kind == mx::kernels::native_kind::mxf4 && id == 2);
  };
  return byte(a.byte) && byte(b.byte) && a.thread >= 0 && a.thread < 2 && b.thread >= 0 &&
         b.thread < 4;
}

class native_warp_thread : public host_thread {
 public:
  explicit native_warp_thread(const host_thread& of) : host_thread(of) {}

  template <mx::kernels::native_kind Kind>
  void mma_block_scaled(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                        std::uint32_t b1, const mx::kernels::scale_operand& scale_a,
                        const mx::kernels::scale_operand& scale_b) const {
    if (!are_valid<Kind>(scale_a, scale_b)) throw std::logic_error("selectors that PTX has not");
    const auto lanes = all_words({a[0], a[1], a[2], a[3], b0, b1, scale_a.word, scale_b.word});
    const native_fragments<Kind> fragments(lanes, scale_a, scale_b);
    for (int r = 0; r < 4; ++r) {
      const int row = index() % 32 / 4 + r / 2 * 8, column = index() % 4 * 2 + r % 2;
      sum[r] = mx::float_of(fragments.element(row, column, mx::bits_of(sum[r])));
    }
  }
};

}  // namespace kernels_test
