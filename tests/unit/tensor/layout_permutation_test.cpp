// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/layout_permutation_test.cpp: mx/tensor/layout.h against each layout restated in
// its source's form: a view of the padded matrix with more axes, and a permutation of them.
#include <string>
#include <vector>

#include "catch.h"
#include "mx/tensor/layout.h"

namespace {

using mx::scale_layout;
using u64 = std::uint64_t;

struct shape {
  u64 rows, columns;
};

/// Row-major view of the padded matrix and the order in which its axes are written.
struct permutation {
  shape padded;
  std::vector<u64> view;
  std::vector<std::size_t> axes;
};

u64 up(u64 value, u64 multiple) { return (value + multiple - 1) / multiple * multiple; }

/// 32x4x4 as in torchao's to_blocked and the Triton kernels.
permutation blocked(shape s, u64 column_multiple) {
  const u64 r = up(s.rows, 128), c = up(s.columns, column_multiple);
  return {{r, c}, {r / 128, 4, 32, c / 4, 4}, {0, 3, 2, 1, 4}};
}

permutation gfx950(shape s, u64 row_multiple) {
  const u64 r = up(s.rows, row_multiple), c = up(s.columns, 8);
  return {{r, c}, {r / 32, 2, 16, c / 8, 2, 4}, {0, 3, 5, 2, 4, 1}};
}

permutation gfx1250(shape s, u64 row_multiple, u64 width) {
  const u64 r = up(s.rows, row_multiple), c = up(s.columns, width);
  return {{r, c}, {r, c / width, width}, {1, 0, 2}};
}

permutation source_of(scale_layout layout, shape s) {
  const u64 r8 = up(s.rows, 8), r32 = up(s.rows, 32), r4 = up(s.rows, 4);
  const u64 c4 = up(s.columns, 4), c8 = up(s.columns, 8);
  switch (layout) {
    case scale_layout::linear:
      break;
    case scale_layout::blocked_128x4:
      return blocked(s, 4);
    case scale_layout::blocked_128x4_triton:
      return blocked(s, 8);
    case scale_layout::blocked_8x4:
      return {{r8, c4}, {r8 / 8, 8, c4 / 4, 4}, {0, 2, 1, 3}};
    case scale_layout::interleaved_4x1:
      return {{r4, s.columns}, {r4 / 4, 4, s.columns}, {0, 2, 1}};
    case scale_layout::gfx950_32x8:
      return gfx950(s, 32);
    case scale_layout::gfx950_32x8_aiter:
      return gfx950(s, 256);
    case scale_layout::gfx950_32x8_mfma32:
      return {{r32, c8}, {r32 / 32, 32, c8 / 8, 4, 2}, {0, 2, 4, 1, 3}};
    case scale_layout::gfx1250:
      return gfx1250(s, 1, 4);
    case scale_layout::gfx1250_block16:
      return gfx1250(s, 1, 8);
    case scale_layout::packed_int32:
      return gfx1250(s, 4, 4);
  }
  return {s, {s.rows, s.columns}, {0, 1}};
}

/// For each byte of the layout, the index in the padded matrix of its element.
std::vector<u64> permuted(const permutation& p) {
  std::vector<u64> strides(p.view.size(), 1);
  for (std::size_t a = p.view.size() - 1; a > 0; --a) strides[a - 1] = strides[a] * p.view[a];
  std::vector<u64> from(p.padded.rows * p.padded.columns);
  for (u64 at = 0; at < from.size(); ++at) {
    u64 rest = at;
    for (std::size_t i = p.axes.size(); i-- > 0;) {
      from[at] += rest % p.view[p.axes[i]] * strides[p.axes[i]];
      rest /= p.view[p.axes[i]];
    }
  }
  return from;
}

std::vector<shape> shapes() {
  std::vector<shape> all;
  for (u64 rows : {1, 2, 3, 5, 8, 16, 31, 32, 33, 127, 128, 129, 200, 257}) {
    for (u64 columns : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17}) all.push_back({rows, columns});
  }
  return all;
}

void check_as_its_source(scale_layout layout, shape s) {
  const permutation p = source_of(layout, s);
  const std::vector<u64> from = permuted(p);
  REQUIRE(mx::size(layout, s.rows, s.columns) == from.size());
  for (u64 at = 0; at < from.size(); ++at) {
    const u64 row = from[at] / p.padded.columns, column = from[at] % p.padded.columns;
    const mx::scale_place place = mx::place(layout, s.rows, s.columns, at);
    REQUIRE(place == mx::scale_place{row, column, row >= s.rows || column >= s.columns});
    REQUIRE(mx::offset(layout, s.rows, s.columns, row, column) == at);
  }
}

TEST_CASE("every_layout_is_the_permutation_that_its_source_writes") {
  for (const auto& entry : mx::scale_layout_table) {
    INFO(std::string(entry.name));
    for (const shape s : shapes()) {
      INFO(s.rows << " x " << s.columns);
      check_as_its_source(entry.value, s);
    }
  }
}

TEST_CASE("every_scale_has_one_byte_and_the_other_bytes_are_padding") {
  for (const auto& entry : mx::scale_layout_table) {
    for (const shape s : shapes()) {
      std::vector<int> holders(mx::size(entry.value, s.rows, s.columns));
      for (u64 r = 0; r < s.rows; ++r) {
        for (u64 c = 0; c < s.columns; ++c) {
          ++holders.at(mx::offset(entry.value, s.rows, s.columns, r, c));
        }
      }
      for (u64 at = 0; at < holders.size(); ++at) {
        const bool padding = mx::place(entry.value, s.rows, s.columns, at).is_padding;
        REQUIRE(holders[at] == (padding ? 0 : 1));
      }
    }
  }
}

}  // namespace
