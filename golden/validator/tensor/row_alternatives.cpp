// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/row_alternatives.cpp: scales for more than one block, and rows at the end
// that a kernel leaves unwritten.
#include <algorithm>
#include <array>

#include "alternatives.h"

namespace golden::validator {
namespace {

using list_of = std::vector<alternative>;

/// Numbers of rows that kernels process at once.
constexpr std::array<std::uint64_t, 6> tiles{128, 64, 32, 16, 8, 4};

void append_shares(const hypothesis& declared, list_of& list) {
  const auto append = [&list](scale_share share) {
    list.push_back({dimension::block_size, [share](hypothesis& r) { r.share = share; }});
  };
  for (const std::uint64_t blocks : {2U, 4U, 8U}) {
    for (const share_source source : {share_source::all, share_source::first}) {
      append({blocks, 1, source});
    }
  }
  // A square tile is as high as a block is long; TransformerEngine writes its scale for each row.
  const auto columns = static_cast<std::uint64_t>(declared.format().columns);
  for (const std::uint64_t rows : {columns, std::uint64_t{128}}) {
    append({std::max<std::uint64_t>(rows / columns, 1), rows, share_source::all});
  }
}

void append_unwritten(list_of& list, const unwritten_rows& rows) {
  list.push_back({dimension::dropped_tail, [rows](hypothesis& r) { r.unwritten = rows; }});
}

void append_rows(const constant_rows& tail, list_of& list) {
  unwritten_rows rows{tail.rows, 0, stale_bytes::constant, tail.codes, {}};
  append_unwritten(list, rows);
  for (const std::uint64_t tile : tiles) {
    append_unwritten(list, {0, tile, stale_bytes::constant, tail.codes, {}});
  }
  if (!tail.scales) return;
  rows.scales = tail.scales;
  append_unwritten(list, rows);
  for (const std::uint64_t tile : tiles) {
    append_unwritten(list, {0, tile, stale_bytes::constant, tail.codes, tail.scales});
  }
}

}  // namespace

void append_row_alternatives(const hypothesis& declared, const tensor_traits& traits,
                             std::vector<alternative>& list) {
  if (declared.format().rows > 1) return;
  if (declared.variant() == nullptr) append_shares(declared, list);
  if (declared.axis != 0) return;
  if (traits.tail.rows > 0) append_rows(traits.tail, list);
  for (const std::uint64_t tile : tiles) {
    append_unwritten(list, {0, tile, stale_bytes::earlier_tile, 0, {}});
  }
}

}  // namespace golden::validator
