// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/place.cpp: correct codes and scales in the wrong places, or missing.
#include <algorithm>
#include <array>

#include "mutant.h"
#include "mx/tensor/layout.h"

namespace golden::validator {
namespace {

/// Exchanges the codes of every byte of a row that holds one of the block or of a later one.
void swap_nibbles_from(coded_rows& t, std::uint64_t first_block) {
  const bool packed = t.order.packing == mx::code_packing::packed;
  if (!packed || t.rules.format.element.width() != 4) return;
  const bool halves = t.order.nibbles == mx::nibble_order::split_half;
  const std::uint64_t span = halves ? t.block() : 2, apart = span / 2;
  const std::uint64_t first = first_block * t.block() / span * span;
  for (std::uint64_t row = 0; row < t.rows; ++row) {
    std::uint8_t* codes = t.codes.data() + row * t.padded();
    for (std::uint64_t k = first; k + apart < t.padded(); ++k) {
      if (k % span < apart) std::swap(codes[k], codes[k + apart]);
    }
  }
}
void swap_nibbles(coded_rows& t) { swap_nibbles_from(t, 0); }
void swap_nibbles_of_last_block(coded_rows& t) {
  if (t.blocks() > 0) swap_nibbles_from(t, t.blocks() - 1);
}

void drop_last_block(coded_rows& t) {
  for (std::uint64_t row = 0; row < t.rows && t.blocks() > 0; ++row) {
    const auto end = t.codes.begin() + static_cast<std::ptrdiff_t>((row + 1) * t.padded());
    std::fill(end - static_cast<std::ptrdiff_t>(t.block()), end, std::uint8_t{0});
  }
}

void drop_last_row(coded_rows& t) {
  if (t.rows == 0) return;
  std::fill_n(t.codes.rbegin(), t.padded(), std::uint8_t{0});
  std::fill_n(t.scales.rbegin(), t.blocks(), std::uint8_t{0});
}

void zero_some_blocks(coded_rows& t) {
  for (std::uint64_t i = 0; i < t.scales.size(); ++i) {
    if (!is_one_in(100, i, t.scales.size())) continue;
    const auto at = static_cast<std::ptrdiff_t>(i * t.block());
    std::fill_n(t.codes.begin() + at, t.block(), std::uint8_t{0});
  }
}

void shift_codes(coded_rows& t) {
  for (std::uint64_t row = 0; row < t.rows && t.padded() > 0; ++row) {
    const auto first = t.codes.begin() + static_cast<std::ptrdiff_t>(row * t.padded());
    const auto end = first + static_cast<std::ptrdiff_t>(t.padded());
    std::rotate(first, end - 1, end);
  }
}

void swap_scale_pairs(coded_rows& t) {
  for (std::uint64_t row = 0; row < t.rows; ++row) {
    if (!is_one_in(16, row, t.rows)) continue;
    std::uint8_t* scales = t.scales.data() + row * t.blocks();
    for (std::uint64_t b = 0; b + 1 < t.blocks(); b += 2) std::swap(scales[b], scales[b + 1]);
  }
}

/// Scales in 128x4 order where a reader expects row-major order; padding omitted.
void lay_scales_out_otherwise(coded_rows& t) {
  constexpr mx::scale_layout layout = mx::scale_layout::blocked_128x4;
  const std::vector<std::uint8_t> right = t.scales;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < mx::size(layout, t.rows, t.blocks()); ++i) {
    const mx::scale_place from = mx::place(layout, t.rows, t.blocks(), i);
    if (!from.is_padding) t.scales[at++] = right[from.row * t.blocks() + from.column];
  }
}

void transpose_scales(coded_rows& t) {
  const std::vector<std::uint8_t> right = t.scales;
  std::uint64_t at = 0;
  for (std::uint64_t b = 0; b < t.blocks(); ++b) {
    for (std::uint64_t row = 0; row < t.rows; ++row) t.scales[at++] = right[row * t.blocks() + b];
  }
}

/// Blocks down the columns, codes in their places; shapes do not reveal it where both axes are
/// whole blocks.
void block_along_the_other_axis(coded_rows& t) {
  if (t.rows % t.block() != 0 || t.length % t.block() != 0) return;
  coded_rows turned{t.rules, t.length, t.rows, std::vector<float>(t.x.size()), {}, {}, 1};
  for (std::uint64_t i = 0; i < t.x.size(); ++i) {
    turned.x[i % t.length * t.rows + i / t.length] = t.x[i];
  }
  quantize(turned);
  for (std::uint64_t i = 0; i < t.codes.size(); ++i) {
    t.codes[i] = turned.codes[i % t.length * t.rows + i / t.length];
  }
  const std::uint64_t down = turned.blocks();
  for (std::uint64_t i = 0; i < t.scales.size(); ++i) {
    t.scales[i] = turned.scales[i % t.length * down + i / t.length];
  }
}

constexpr std::array place_table{
    mutant{"nibbles-swapped", "the two codes of every byte have changed places", swap_nibbles},
    mutant{"nibbles-swapped-in-last-block",
           "the two codes of every byte of the last block of each row have changed places",
           swap_nibbles_of_last_block},
    mutant{"last-block-dropped", "the last block of each row has codes 0", drop_last_block},
    mutant{"last-row-dropped", "the last row has codes and scales 0", drop_last_row},
    mutant{"blocks-zeroed-1%", "1 % of the blocks have codes 0", zero_some_blocks},
    mutant{"codes-shifted", "the codes of each row have moved by one place", shift_codes},
    mutant{"scale-pairs-swapped", "in one row of 16 the scales of two blocks each are swapped",
           swap_scale_pairs},
    mutant{"scale-layout", "the scales are put into the order of 128x4 tiles once too often",
           lay_scales_out_otherwise},
    mutant{"scales-transposed", "the scales lie column by column", transpose_scales},
    mutant{"wrong-axis", "blocks run along the other axis", block_along_the_other_axis}};

}  // namespace

std::span<const mutant> place_mutants() { return place_table; }

}  // namespace golden::validator
