// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/layout_test.cpp: mx/tensor/layout.h: printed goldens, public formulas, sizes,
// extreme indices.
#include <set>
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

/// The bytes of a layout of a matrix that holds first, first + 1, ... modulo 256; padding is 0.
std::vector<int> laid_out(scale_layout layout, shape s, u64 first) {
  std::vector<int> bytes(mx::size(layout, s.rows, s.columns));
  for (u64 r = 0; r < s.rows; ++r) {
    for (u64 c = 0; c < s.columns; ++c) {
      bytes[mx::offset(layout, s.rows, s.columns, r, c)] =
          static_cast<int>((first + r * s.columns + c) % 256);
    }
  }
  return bytes;
}

std::vector<int> prefix(scale_layout layout, shape s) {
  std::vector<int> bytes = laid_out(layout, s, 0);
  bytes.resize(8);
  return bytes;
}

TEST_CASE("gfx950_has_the_printed_prefixes_of_its_vendor_s_tests") {
  CHECK(prefix(scale_layout::gfx950_32x8, {32, 8}) == std::vector{0, 128, 4, 132, 8, 136, 12, 140});
  CHECK(prefix(scale_layout::gfx950_32x8, {64, 16}) == std::vector{0, 0, 4, 4, 16, 16, 20, 20});
  CHECK(prefix(scale_layout::gfx950_32x8_aiter, {32, 8}) ==
        prefix(scale_layout::gfx950_32x8, {32, 8}));
  CHECK(mx::size(scale_layout::gfx950_32x8, 50, 13) == 64 * 16);
  CHECK(mx::size(scale_layout::gfx950_32x8_aiter, 50, 13) == 256 * 16);
}

TEST_CASE("gfx1250_has_the_printed_bytes_of_its_vendor_s_tests") {
  CHECK(laid_out(scale_layout::gfx1250, {2, 5}, 1) ==
        std::vector{1, 2, 3, 4, 6, 7, 8, 9, 5, 0, 0, 0, 10, 0, 0, 0});
  CHECK(mx::size(scale_layout::gfx1250_block16, 3, 10) == 3 * 16);
}

TEST_CASE("128x4_is_the_atom_that_cutlass_prints") {
  // The elements of a tile, (rows, columns) = ((32, 4), (VS, 4)), have strides ((16, 4), (0, 1)).
  const u64 strides[] = {16, 4, 0, 1};
  for (u64 vector_size : {16, 32}) {
    for (u64 index = 0; index < 128 * vector_size * 4; ++index) {
      const u64 m0 = index % 32, m1 = index / 32 % 4, k0 = index / 128 % vector_size;
      const u64 k1 = index / 128 / vector_size;
      const u64 row = m0 + 32 * m1, column = (k0 + vector_size * k1) / vector_size;
      REQUIRE(mx::offset(scale_layout::blocked_128x4, 128, 4, row, column) ==
              m0 * strides[0] + m1 * strides[1] + k0 * strides[2] + k1 * strides[3]);
    }
  }
}

TEST_CASE("128x4_is_the_formula_of_torchao_and_transformer_engine") {
  const u64 rows = 300, columns = 11;
  for (u64 r = 0; r < rows; ++r) {
    for (u64 c = 0; c < columns; ++c) {
      const u64 expected = (r / 128 * 3 + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4;
      REQUIRE(mx::offset(scale_layout::blocked_128x4, rows, columns, r, c) == expected);
    }
  }
}

TEST_CASE("the_v_cache_layout_is_the_formula_of_the_store_kernel") {
  const u64 tokens = 16;
  for (u64 columns : {4, 8, 16}) {
    const u64 group = columns / 4;
    for (u64 t = 0; t < tokens; ++t) {
      for (u64 s = 0; s < columns; ++s) {
        const u64 expected = (t / 4 * 4 + s / group) * columns + s % group * 4 + t % 4;
        REQUIRE(mx::offset(scale_layout::interleaved_4x1, tokens, columns, t, s) == expected);
      }
    }
  }
}

TEST_CASE("packed_int32_is_a_column_major_matrix_of_little_endian_words") {
  const u64 rows = 6, columns = 10, aligned = 8;
  std::vector<std::uint32_t> words(aligned * 3);
  for (u64 r = 0; r < rows; ++r) {
    for (u64 c = 0; c < columns; ++c) {
      words[c / 4 * aligned + r] |= static_cast<std::uint32_t>(r * columns + c + 1) << (c % 4 * 8);
    }
  }
  const std::vector<int> bytes = laid_out(scale_layout::packed_int32, {rows, columns}, 1);
  REQUIRE(bytes.size() == words.size() * 4);
  for (u64 at = 0; at < bytes.size(); ++at) {
    CHECK(bytes[at] == static_cast<int>(words[at / 4] >> (at % 4 * 8) & 0xFF));
  }
}

TEST_CASE("a_matrix_without_rows_or_columns_has_no_bytes") {
  for (const auto& entry : mx::scale_layout_table) {
    CHECK(mx::size(entry.value, 0, 0) == 0);
    CHECK(mx::size(entry.value, 0, 7) == 0);
    CHECK(mx::size(entry.value, 7, 0) == 0);
    CHECK(mx::has_size(entry.value, 0, ~u64{0}));
  }
}

void check_far_end(scale_layout layout, shape s) {
  const u64 size = mx::size(layout, s.rows, s.columns);
  REQUIRE(mx::has_size(layout, s.rows, s.columns));
  REQUIRE(size >= s.rows * s.columns);
  for (u64 at = size - 2000; at < size; ++at) {
    const mx::scale_place place = mx::place(layout, s.rows, s.columns, at);
    REQUIRE(mx::offset(layout, s.rows, s.columns, place.row, place.column) == at);
  }
  const u64 last = mx::offset(layout, s.rows, s.columns, s.rows - 1, s.columns - 1);
  REQUIRE(last < size);
  REQUIRE(mx::place(layout, s.rows, s.columns, last) ==
          mx::scale_place{s.rows - 1, s.columns - 1, false});
}

constexpr u64 many = (u64{1} << 33) + 77, few = 515;

TEST_CASE("the_far_end_of_a_matrix_of_2_to_the_42_scales_is_found_again") {
  for (const auto& entry : mx::scale_layout_table) {
    INFO(std::string(entry.name));
    check_far_end(entry.value, {many, few});
    check_far_end(entry.value, {few, many});
  }
}

TEST_CASE("the_far_end_lies_where_the_public_formulas_say") {
  constexpr u64 r = many - 1, c = few - 1, words_of_column = many + 3;
  static_assert(words_of_column % 4 == 0);
  CHECK(mx::offset(scale_layout::blocked_128x4, many, few, r, c) ==
        (r / 128 * 129 + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4);
  CHECK(mx::offset(scale_layout::packed_int32, many, few, r, c) ==
        (c / 4 * words_of_column + r) * 4 + c % 4);
  CHECK(mx::offset(scale_layout::gfx1250, few, many, c, r) == (r / 4 * few + c) * 4 + r % 4);
}

TEST_CASE("shapes_whose_padded_size_leaves_63_bits_are_told") {
  const u64 limit = u64{1} << 63;
  CHECK(mx::has_size(scale_layout::linear, limit - 2, 1));
  CHECK_FALSE(mx::has_size(scale_layout::linear, u64{1} << 32, u64{1} << 31));
  CHECK(mx::has_size(scale_layout::linear, (u64{1} << 32) - 1, u64{1} << 31));
  for (const auto& entry : mx::scale_layout_table) {
    CHECK_FALSE(mx::has_size(entry.value, ~u64{0}, 1));
    CHECK_FALSE(mx::has_size(entry.value, 1, ~u64{0}));
    CHECK_FALSE(mx::has_size(entry.value, u64{1} << 40, u64{1} << 40));
    CHECK(mx::has_size(entry.value, u64{1} << 31, u64{1} << 31));
  }
  CHECK(mx::has_size(scale_layout::blocked_128x4, 1, (u64{1} << 56) - 4));
  CHECK_FALSE(mx::has_size(scale_layout::blocked_128x4, 1, u64{1} << 56));
}

TEST_CASE("the_table_names_every_layout_once_with_its_source") {
  std::set<std::string_view> names;
  std::set<scale_layout> values;
  for (const auto& entry : mx::scale_layout_table) {
    names.insert(entry.name);
    values.insert(entry.value);
    CHECK(static_cast<std::size_t>(entry.value) == names.size() - 1);  // it is an index too
    CHECK_FALSE(entry.sentence.empty());
    CHECK_FALSE(entry.source.empty());
    const bool padded = mx::size(entry.value, 1, 1) > 1;
    CHECK(padded == (entry.padding != mx::layout_padding::none));
  }
  CHECK(names.size() == mx::scale_layout_table.size());
  CHECK(values.size() == static_cast<std::size_t>(scale_layout::packed_int32) + 1);
}

TEST_CASE("every_tile_is_compact_and_divides_what_rows_and_columns_are_padded_to") {
  for (const auto& entry : mx::scale_layout_table) {
    const mx::scale_tiling t = mx::tiling_of(entry.value);
    CHECK(t.row_multiple % t.rows.extent() == 0);
    CHECK(t.column_multiple % t.columns.extent() == 0);
    std::set<u64> offsets;
    for (u64 r = 0; r < t.rows.extent(); ++r) {
      for (u64 c = 0; c < t.columns.extent(); ++c) {
        offsets.insert(t.rows.offset_of(r) + t.columns.offset_of(c));
      }
    }
    CHECK(offsets.size() == t.tile_size());
    CHECK(*offsets.rbegin() == t.tile_size() - 1);
  }
}

}  // namespace
