// SPDX-License-Identifier: Apache-2.0
// golden/reference/stochastic.h: which random bits an element of a tensor is rounded with.
// Source: PTX ISA, `cvt.rs` (ptx); TransformerEngine, its fallback without that instruction
// (te_soft). Counters and the words of more than 8 bits are this project's own contract.
#pragma once
#include "golden/reference/element_rounding.h"

namespace golden {

/// Lowest bit of the byte that elements 0, 1, 2, 3 of four take from their word.
///   ptx      0, 16, 8, 24
///   te_soft  0, 8, 16, 24
enum class byte_map : unsigned char { ptx, te_soft };

struct random_source {
  std::uint64_t seed = 0;
  int bits = 8;  ///< from 1 to 24
  byte_map map = byte_map::ptx;
};

/// The draw of element `index` of a tensor, counted in the order of its blocks. Philox has the seed
/// as its key and the number of the call as its counter; a call gives four words. A word serves
///   four elements, a byte each, where bits <= 8
///   two elements, a half each and the lower half first, where bits <= 16
///   one element otherwise
/// and the draw is the top bits of what the element got.
[[nodiscard]] random_draw draw_for(const random_source& source, std::uint64_t index);

}  // namespace golden
