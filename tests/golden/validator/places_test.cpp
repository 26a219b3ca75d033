// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/places_test.cpp: patterns of differing places, and explanations that hold
// in a part of a tensor alone.
#include <algorithm>

#include "catch.h"
#include "golden/validator/places/places_words.h"
#include "golden/validator/tensor/diagnosis_words.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

const std::vector<std::uint64_t> periods{2, 4, 8, 16, 32, 64, 128, 256};

axis_places of(const std::vector<std::uint64_t>& marked, std::uint64_t extent) {
  flag_set flags(extent);
  for (const std::uint64_t place : marked) flags.mark(place);
  return places_of(flags, periods);
}

/// The places of a pattern are found as that pattern, in these words.
void is_found_as(const pattern& p, std::uint64_t extent, const std::string& text) {
  std::vector<std::uint64_t> marked;
  for (std::uint64_t k = 0; k < extent; ++k) {
    if (p.contains(k)) marked.push_back(k);
  }
  CHECK(marked.size() == p.size());
  CHECK(of(marked, extent).regular == p);
  CHECK(axis_text(of(marked, extent), "row") == text);
}

TEST_CASE("regular sets of places are found and worded") {
  is_found_as({0, 0}, 1, "the only row");
  is_found_as({5, 5}, 9, "row 5");
  is_found_as({0, 299}, 300, "all 300 rows");
  is_found_as({128, 255}, 512, "rows 128..255");
  is_found_as({1, 511, 2, 1}, 512, "every 2nd row from 1");
  is_found_as({2, 92, 3, 1}, 300, "every 3rd row from 2 to 92");
  is_found_as({128, 511, 256, 128}, 512, "rows 128..255 of every 256");
  is_found_as({40, 79, 32, 8}, 512, "rows 8..15 of every 32 from row 40 to row 79");
}

TEST_CASE("places without a pattern are counted, few of them listed") {
  CHECK(axis_text(of({3, 7, 19}, 64), "row") == "rows 3, 7 and 19");
  CHECK(axis_text(of({3, 7}, 64), "row") == "rows 3 and 7");
  CHECK(axis_text(of({0, 1, 2, 5, 9, 10, 20, 21, 40, 41, 63}, 64), "row") == "11 of 64 rows");
  CHECK(axis_text(of({3, 4, 5, 8, 9, 10, 11, 13, 15}, 64), "row") == "rows 3..15 (9 of 13)");
}

/// The verdict on mxfp4 output that follows another recipe in some rows.
diagnosis with_rows_of(const hypothesis& other, const pattern& rows, std::uint64_t extent) {
  const hypothesis r = plain(mx::block_formats::mxfp4);
  validator_case kernel({rows_of(r.format(), extent)}), otherwise({rows_of(r.format(), extent)});
  kernel.run_kernel(r);
  otherwise.run_kernel(other);
  rendered& made = kernel.output(0);
  for (std::uint64_t row = 0; row < extent; ++row) {
    if (!rows.contains(row)) continue;
    std::copy_n(otherwise.output(0).codes.begin() + row * 128, 128, made.codes.begin() + row * 128);
    std::copy_n(otherwise.output(0).scales.begin() + row * 8, 8, made.scales.begin() + row * 8);
  }
  return kernel.judge(r, 2);
}

TEST_CASE("a rule in some rows alone is named with them") {
  hypothesis r = plain(mx::block_formats::mxfp4);
  r.recipe.codes.nibbles = mx::nibble_order::high_first;
  CHECK(changes_text(*with_rows_of(r, {1, 63, 2, 1}, 64).explanation) ==
        "nibble_order: expected low-first, found high-first in every 2nd row from 1");
  r = plain(mx::block_formats::mxfp4);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  CHECK(changes_text(*with_rows_of(r, {32, 63}, 80).explanation) ==
        "scale_rule: expected floor, found rceil in rows 32..63");
  r = plain(mx::block_formats::mxfp4);
  r.recipe.rules.rounding = mx::rounding::toward_zero;
  const diagnosis d = with_rows_of(r, {64, 69}, 70);
  CHECK(changes_text(*d.explanation) ==
        "element_rounding: expected nearest-even, found toward-zero in rows 64..69");
  CHECK(d.explanation->where == "rows 64..69");
}

TEST_CASE("codes under a few wrong scales are no evidence for a rule beside these scales") {
  hypothesis r = plain(mx::block_formats::mxfp4);
  r.recipe.rules.rule = mx::scale_rule::floor6;
  for (const std::uint64_t row : {3U, 31U, 63U}) {
    const diagnosis d = with_rows_of(r, {row, row}, 64);
    const comparison& found = d.tensors.front().found;
    REQUIRE(found.scales > 0);
    REQUIRE(found.scales < 8);
    REQUIRE(found.codes >= 8);
    CHECK(d.verdict == verdict::unexplained);
  }
  CHECK(changes_text(*with_rows_of(r, {16, 31}, 64).explanation) ==
        "scale_rule: expected floor, found floor6 in rows 16..31");
}

TEST_CASE("codes in some rows alone that change places with padding are found") {
  probe_input x{"odd", {16, 47}, rows_of(mx::block_formats::mxfp4, 16).values};
  x.values.resize(16 * 47);
  hypothesis r = plain(mx::block_formats::mxfp4);
  validator_case kernel({x}), swapped({x});
  kernel.run_kernel(r);
  r.recipe.codes.nibbles = mx::nibble_order::high_first;
  swapped.run_kernel(r);
  rendered& made = kernel.output(0);
  std::copy_n(swapped.output(0).codes.begin() + 6 * 32, 4 * 32, made.codes.begin() + 6 * 32);
  REQUIRE(kernel.judge(plain(mx::block_formats::mxfp4), 0).tensors[0].found.where.padding > 0);
  const diagnosis d = kernel.judge(plain(mx::block_formats::mxfp4));
  CHECK(changes_text(*d.explanation) ==
        "nibble_order: expected low-first, found high-first in rows 6..9");
  made.codes[9 * 32 + 31] = 0x10;  // beyond the row, where both leave zeros
  CHECK(kernel.judge(plain(mx::block_formats::mxfp4)).verdict == verdict::unexplained);
}

TEST_CASE("scales that are moved in some rows alone are named with them") {
  const hypothesis r = plain(mx::block_formats::mxfp4);
  validator_case kernel({rows_of(r.format(), 64)});
  kernel.run_kernel(r);
  std::vector<std::uint8_t>& scales = kernel.output(0).scales;
  for (std::size_t row = 32; row < 64; ++row) {
    std::rotate(&scales[row * 8], &scales[row * 8 + 7], &scales[row * 8] + 8);
  }
  CHECK(changes_text(*kernel.judge(r).explanation) ==
        "scale_layout: expected linear, found linear, shifted by +1 block along the axis, rolled "
        "in rows 32..63");
}

TEST_CASE("a part that is explained in all but one byte is not explained") {
  const hypothesis r = plain(mx::block_formats::mxfp4);
  for (const std::uint64_t scale : {128U, 255U, 511U}) {
    validator_case kernel({rows_of(r.format(), 64)});
    kernel.run_kernel(r);
    std::vector<std::uint8_t>& scales = kernel.output(0).scales;
    std::fill(scales.begin() + 128, scales.begin() + 256, std::uint8_t{0});
    REQUIRE(kernel.judge(r, 1).verdict == verdict::explained);
    scales[scale] = static_cast<std::uint8_t>(scales[scale] + 3);
    CHECK(kernel.judge(r, 1).verdict == verdict::unexplained);
  }
}

TEST_CASE("what no part was spared of is not named as a part") {
  const hypothesis r = plain(mx::block_formats::mxfp4);
  validator_case kernel({rows_of(r.format(), 16)});
  kernel.run_kernel(r);
  rendered& made = kernel.output(0);
  std::fill(made.codes.begin(), made.codes.end(), std::uint8_t{0x77});
  std::fill(made.scales.begin(), made.scales.end(), std::uint8_t{0x7F});
  CHECK(changes_text(*kernel.judge(r, 2).explanation) ==
        "codes: expected as computed, found 0x07 everywhere and scales: expected as computed, "
        "found 0x7f everywhere");
}

TEST_CASE("places are those of the tensor along any axis") {
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    hypothesis r = plain(mx::block_formats::mxfp8_e4m3);
    r.axis = axis;
    probe_input x = rows_of(r.format(), 64);
    validator_case kernel({x});
    kernel.run_kernel(r);
    kernel.output(0).codes[3 * 256 + 70] ^= 0x20;
    kernel.output(0).scales[axis == 0 ? 8 * 5 + 1 : 256 + 9] ^= 1;
    const diagnosis d = kernel.judge(r, 0);
    CHECK(where_text(d.tensors.front()) ==
          (axis == 0 ? "codes in row 3, column 70; scales in row 5, block column 1"
                     : "codes in row 3, column 70; scales in block row 1, column 9"));
  }
}

}  // namespace
}  // namespace golden::validator
