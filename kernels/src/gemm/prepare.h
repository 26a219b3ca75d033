// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/prepare.h: a factor of a product as tensor cores load it, in the layout of
// gemm/mma_panel.h or gemm/wgmma_stage.h: codes as bytes, scales as FP32 factors, and bounds of scale
// codes. Read once and written once: 0.53 bytes an element in, 1.13 out, against k products an
// element.
#pragma once
#include "gemm/dp4a.h"
#include "input_pairs.h"

namespace mx::kernels {

inline constexpr int tile_lines = 16;
inline constexpr int group_lines = 32;
inline constexpr int fragment_words = 128;  // 16 lines, 32 of k
inline constexpr int prepare_threads = 256;

/// Bounds of scale codes as a word: low | high << 8.
[[nodiscard]] MX_HD constexpr std::uint32_t word_of(const code_bounds& bounds) noexcept {
  return static_cast<std::uint32_t>(bounds.low | bounds.high << 8);
}
[[nodiscard]] MX_HD constexpr code_bounds bounds_in(std::uint32_t word) noexcept {
  return {static_cast<int>(word & 0xFF), static_cast<int>(word >> 8)};
}

/// Location of one factor of a product in the workspace.
struct prepared_lines {
  std::uint32_t* codes = nullptr;     ///< the first panel, or piece
  std::int64_t lines = 0, steps = 0;  ///< padded
};

struct prepare_arguments {
  gemm_arguments product;
  gemm_operand from;
  std::int64_t lines = 0;  ///< of the factor itself
  gemm_side side = gemm_side::row;
  prepared_lines to;
};

/// The 32 codes of a line from k on: one load of 16 bytes if whole and aligned, else code by code.
[[nodiscard]] MX_HD inline quad_word packed_block(const prepare_arguments& p, std::int64_t line,
                                                  std::int64_t k) noexcept {
  quad_word packed = {};
  if (line >= p.lines || k >= p.product.shape.k) return packed;
  const unsigned char* at =
      static_cast<const unsigned char*>(p.from.codes) + line * p.from.line_bytes + k / 2;
  const bool whole = p.from.storage == code_storage::pairs && k + 32 <= p.product.shape.k &&
                     reinterpret_cast<std::uintptr_t>(at) % sizeof(quad_word) == 0;
  if (whole) return *reinterpret_cast<const quad_word*>(at);
  const line_codes codes = line_at(p.product, p.from, line, 0).codes;
  for (int i = 0; i < 32 && k + i < p.product.shape.k; ++i) {
    packed.word[i / 8] |= (codes[static_cast<int>(k) + i] & 15) << (i % 8 * 4);
  }
  return packed;
}

template <dot_model M, class Layout, class Thread>
class prepared_step {
 public:
  static constexpr int blocks = gemm_step / M.block;

  MX_HD prepared_step(const Thread& self, const prepare_arguments& p) noexcept
      : self_(self), p_(p) {
    const auto thread = static_cast<std::int64_t>(self.block()) * prepare_threads + self.index();
    line_ = thread % p.to.lines;
    step_ = thread / p.to.lines;
  }

  MX_HD void run() const noexcept {
    code_bounds bounds;
    for (int half = 0; half < 2; ++half) {
      quad_word packed = packed_block(p_, line_, step_ * gemm_step + half * 32);
      for (int i = 0; i < blocks / 2; ++i) {
        const std::int64_t number = step_ * blocks + half * (blocks / 2) + i;
        const prepared_scale scale = scale_of(number, magnitudes_of(packed, i));
        if (is_inside()) Layout::store_factor(p_.to, line_, number, p_.side, scale.factor);
        if (scale.factor == 0) clear(packed, i);
        bounds = bounds.with(scale.bounds);
      }
      if (is_inside()) Layout::store_codes(p_.to, line_, step_, half, p_.side, packed);
    }
    store_bounds(bounds);
  }

 private:
  [[nodiscard]] MX_HD bool is_inside() const noexcept { return step_ < p_.to.steps; }

  /// Zero if all codes of a block in a half are zero: the OR of their magnitudes.
  [[nodiscard]] static MX_HD std::uint32_t magnitudes_of(const quad_word& packed,
                                                         int block) noexcept {
    std::uint32_t any = 0;
    for (int i = 0; i < M.block / 8; ++i) any |= packed.word[block * (M.block / 8) + i];
    return any & 0x77777777;
  }

  /// Clears codes under a scale of zero: they have no exponent.
  static MX_HD void clear(quad_word& packed, int block) noexcept {
    for (int i = 0; i < M.block / 8; ++i) packed.word[block * (M.block / 8) + i] = 0;
  }

  struct prepared_scale {
    float factor = 0;
    code_bounds bounds;
  };

  /// Blocks of zeros have the factor 0, which does not affect their sum, and are excluded from the
  /// bounds; so is NaN.
  [[nodiscard]] MX_HD prepared_scale scale_of(std::int64_t number,
                                              std::uint32_t magnitudes) const noexcept {
    if (number >= p_.product.blocks_a_line) return {Layout::factor_beyond_k(p_.side), {}};
    if (!is_inside() || line_ >= p_.lines) return {};
    constexpr std::uint32_t mask = (1U << M.scale.width()) - 1;
    const std::uint32_t code = p_.from.scales[line_ * p_.product.blocks_a_line + number] & mask;
    const float factor = Layout::template factor<M.scale>(p_.side, code);
    if (factor != factor) return {factor, {}};
    if (magnitudes == 0 || factor == 0) return {};
    return {factor, {static_cast<int>(code), static_cast<int>(code)}};
  }

  /// Lanes of a warp hold adjacent lines of one group.
  MX_HD void store_bounds(code_bounds bounds) const noexcept {
    for (int mask = 16; mask > 0; mask /= 2) {
      bounds = bounds.with(bounds_in(self_.exchange(word_of(bounds), mask)));
    }
    if (!is_inside() || line_ % group_lines != 0) return;
    Layout::store_bounds(p_.to, line_, step_, word_of(bounds));
  }

  const Thread& self_;
  const prepare_arguments& p_;
  std::int64_t line_ = 0, step_ = 0;
};

/// A thread prepares 64 of k of one line, a warp those of 32 lines.
template <dot_model M, class Layout, class Thread>
MX_HD void gemm_prepare(const Thread& self, const prepare_arguments& p) {
  prepared_step<M, Layout, Thread>(self, p).run();
}

}  // namespace mx::kernels
