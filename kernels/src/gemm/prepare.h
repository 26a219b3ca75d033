// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/prepare.h: a factor of a product as tensor cores load it, in the layout of
// gemm/mma_panel.h or gemm/wgmma_stage.h: codes as bytes, scales as FP32 factors, and bounds of
// scale codes. Read once and written once: 0.53 bytes an element in, 1.13 out, against k products
// an element.
#pragma once
#include "gemm/dp4a.h"
#include "gemm/folded_scales.h"
#include "input_pairs.h"
#include "unrolled.h"

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
    prepared_half halves[2];
    code_bounds bounds;
    unrolled<2>([&](int half) {
      halves[half] = half_of(half);
      unrolled<blocks / 2>([&](int i) { bounds = bounds.with(halves[half].scale[i].bounds); });
    });
    store_bounds(bounds);
    if constexpr (Layout::folds) fold(halves);
    if (!is_inside()) return;
    unrolled<2>([&](int half) { store(halves[half], half); });
  }

 private:
  /// Blocks of zeros have the factor 0, which does not affect their sum, and are excluded from the
  /// bounds; so is NaN.
  struct prepared_scale {
    float factor = 0;
    code_bounds bounds;
  };

  /// 32 of k of the line.
  ///   fold  power of two that is multiplied into the codes
  struct prepared_half {
    quad_word packed;
    prepared_scale scale[blocks / 2];
    int fold = 0;
  };

  [[nodiscard]] MX_HD std::int64_t number_of(int half, int i) const noexcept {
    return step_ * blocks + half * (blocks / 2) + i;
  }
  [[nodiscard]] MX_HD prepared_half half_of(int half) const noexcept {
    prepared_half made = {packed_block(p_, line_, step_ * gemm_step + half * 32), {}};
    unrolled<blocks / 2>([&](int i) {
      made.scale[i] = scale_of(number_of(half, i), magnitudes_of(made.packed, i));
      if (made.scale[i].factor == 0) clear(made.packed, i);
    });
    return made;
  }
  MX_HD void store(const prepared_half& of, int half) const noexcept {
    unrolled<blocks / 2>([&](int i) {
      Layout::store_factor(p_.to, line_, number_of(half, i), p_.side, of.scale[i].factor);
    });
    if constexpr (Layout::folds) {
      Layout::store_codes(p_.to, line_, step_, half, p_.side, of.packed, of.fold);
    } else {
      Layout::store_codes(p_.to, line_, step_, half, p_.side, of.packed);
    }
  }

  /// Gives the lines of the warp a common scale in each half, if they can have one.
  MX_HD void fold(prepared_half (&halves)[2]) const noexcept {
    unrolled<2>([&](int half) {
      const int code = common_code_of(bounds_of_warp(fold_bounds_of(halves[half], half)));
      float common = no_common_factor;
      if (code != no_common_code) {
        prepared_scale& own = halves[half].scale[0];
        common = Layout::template factor<M.scale>(p_.side, static_cast<std::uint32_t>(code));
        if (!own.bounds.is_empty()) halves[half].fold = own.bounds.low - code, own.factor = common;
      }
      if (is_first_of_group()) Layout::store_common(p_.to, line_, step_, half, common);
    });
  }
  /// NaN, and blocks beyond k, have no common scale with others.
  [[nodiscard]] MX_HD code_bounds fold_bounds_of(const prepared_half& of, int half) const noexcept {
    const float factor = of.scale[0].factor;
    const bool is_beyond_k = number_of(half, 0) >= p_.product.blocks_a_line;
    return factor != factor || is_beyond_k ? code_bounds{0, 255} : of.scale[0].bounds;
  }

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
  [[nodiscard]] MX_HD code_bounds bounds_of_warp(code_bounds bounds) const noexcept {
    for (int mask = 16; mask > 0; mask /= 2) {
      bounds = bounds.with(bounds_in(self_.exchange(word_of(bounds), mask)));
    }
    return bounds;
  }
  [[nodiscard]] MX_HD bool is_first_of_group() const noexcept {
    return is_inside() && line_ % group_lines == 0;
  }
  MX_HD void store_bounds(const code_bounds& own) const noexcept {
    const code_bounds bounds = bounds_of_warp(own);
    if (is_first_of_group()) Layout::store_bounds(p_.to, line_, step_, word_of(bounds));
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
