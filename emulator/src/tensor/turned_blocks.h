// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/turned_blocks.h: blocks along an axis that is not the last: those that lie
// beside one another are gathered and scattered by whole lines, not one by one.
#pragma once
#include <cstring>
#include <vector>

#include "tensor/block_batch.h"
#include "tensor/block_geometry.h"

namespace mx {

/// Moves runs of blocks: `count` blocks from place p on, beside one another along the inner axis.
class turned_blocks {
 public:
  turned_blocks(const block_geometry& g, number_type type) : g_(g), type_(type) {}

  /// Whether a geometry has such runs, and its codes move as whole words.
  [[nodiscard]] static bool serves(const block_geometry& g) {
    return g.shape.inner >= least_run && g.rows() == 1 && g.columns() % (g.halved ? 8 : 4) == 0;
  }

  /// The number of blocks beside the one at place p, and itself, of `most`.
  [[nodiscard]] std::uint64_t run_from(const block_place& p, std::uint64_t most) const {
    return std::min(most, g_.shape.inner - p.inner);
  }

  /// Elements of block b to out + b * stride, padded with zeros.
  void gather(const block_place& p, std::uint64_t count, const unsigned char* x,
              std::uint64_t stride, float* out) {
    if (p.columns < stride) std::fill_n(out, count * stride, 0.0F);
    lines_.resize(p.columns * count);
    for (std::uint64_t k = 0; k < p.columns; ++k) {
      const std::uint64_t first = g_.element(p, 0) + k * g_.shape.inner;
      widen(type_, x + first * bytes_of(type_), count, lines_.data() + k * count);
    }
    transpose(lines_.data(), signed_of(count), signed_of(p.columns), signed_of(count), out,
              signed_of(stride));
  }

  /// Codes of block b from codes + b * stride.
  void scatter(const block_place& p, std::uint64_t count, const std::uint8_t* codes,
               std::uint64_t stride, std::uint8_t* out) {
    const std::uint64_t bytes = g_.halved ? stride / 2 : stride, words = bytes / 4;
    lines_.resize(words * count);
    turned_.resize(words * count);
    auto* packed = reinterpret_cast<std::uint8_t*>(lines_.data());
    if (g_.halved) {
      pack_pairs(codes, bytes * count, storing::cached, packed);
    } else {
      std::memcpy(packed, codes, bytes * count);
    }
    transpose(lines_.data(), signed_of(words), signed_of(count), signed_of(words), turned_.data(),
              signed_of(count));
    const std::uint64_t used = g_.columns() / (g_.halved ? 8 : 4);
    std::uint8_t* first = out + g_.code_byte(p, 0, p.along * g_.columns());
    for (std::uint64_t w = 0; w < used; ++w) {
      scatter_words(reinterpret_cast<const std::uint8_t*>(turned_.data() + w * count), count,
                    first + 4 * w * g_.shape.inner);
    }
  }

 private:
  static constexpr std::uint64_t least_run = 8;

  static std::ptrdiff_t signed_of(std::uint64_t n) { return static_cast<std::ptrdiff_t>(n); }

  /// Byte k of each word to line k.
  void scatter_words(const std::uint8_t* words, std::uint64_t count, std::uint8_t* out) const {
    for (std::uint64_t k = 0; k < 4; ++k) {
      std::uint8_t* line = out + k * g_.shape.inner;
#pragma GCC ivdep
      for (std::uint64_t i = 0; i < count; ++i) line[i] = words[4 * i + k];
    }
  }

  const block_geometry& g_;
  number_type type_;
  std::vector<float> lines_, turned_;
};

}  // namespace mx
