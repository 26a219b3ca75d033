// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/row_alternatives.cpp: scales for more than one block, and rows at the end
// that a kernel leaves unwritten.
#include <algorithm>
#include <array>

#include "alternatives.h"

namespace golden::validator {
namespace {

/// Numbers of rows that kernels process at once.
constexpr std::array<std::uint64_t, 6> tiles{128, 64, 32, 16, 8, 4};

void append_shares(const hypothesis& declared, alternative_list& list) {
  for (const std::uint64_t blocks : {2U, 4U, 8U}) {
    for (const share_source source : {share_source::all, share_source::first}) {
      add(list, dimension::block_size, &habits::share, {blocks, 1, source});
    }
  }
  // A square tile is as high as a block is long; TransformerEngine writes its scale for each row.
  const auto columns = static_cast<std::uint64_t>(declared.format().columns);
  for (const std::uint64_t rows : {columns, std::uint64_t{128}}) {
    add(list, dimension::block_size, &habits::share,
        {std::max<std::uint64_t>(rows / columns, 1), rows, share_source::all});
  }
}

void append_rows(const constant_rows& tail, alternative_list& list) {
  std::vector<std::optional<std::uint8_t>> written{std::nullopt};
  if (tail.scales) written.push_back(tail.scales);
  for (const auto& scales : written) {
    const auto append = [&](std::uint64_t rows, std::uint64_t tile) {
      add(list, dimension::dropped_tail, &habits::unwritten,
          {rows, tile, stale_bytes::constant, tail.codes, scales});
    };
    append(tail.rows, 0);
    for (const std::uint64_t tile : tiles) append(0, tile);
  }
}

}  // namespace

void append_row_alternatives(const hypothesis& declared, const tensor_traits& traits,
                             alternative_list& list) {
  if (declared.format().rows > 1) return;
  if (declared.variant() == nullptr) append_shares(declared, list);
  if (declared.axis != 0) return;
  if (traits.tail.rows > 0) append_rows(traits.tail, list);
  for (const std::uint64_t tile : tiles) {
    add(list, dimension::dropped_tail, &habits::unwritten,
        {0, tile, stale_bytes::earlier_tile, 0, {}});
  }
}

}  // namespace golden::validator
