// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/coded_tensor_test.cpp: tensors of any shape through recipes, against whole
// lines of blocks by the core.
#include "mx/tensor/coded_tensor.h"

#include "catch.h"

#include <cstring>
#include <random>
#include <string>

#include "mx/presets/bulk_variants.h"
#include "mx/recipe_words.h"
#include "tensor_bytes.h"

namespace {

using bytes = std::vector<std::uint8_t>;
using extents = std::vector<std::uint64_t>;
using arrays = tests::tensor_bytes;

mx::recipe spelled(const std::string& format, const std::string& packing = "packed",
                   const std::string& layout = "linear") {
  mx::recipe_words words;
  words.format = format;
  words.packing = packing;
  words.layout = layout;
  return mx::recipe_spelled(words);
}

std::vector<float> drawn(std::uint64_t count) {
  std::mt19937 bits(3);
  std::normal_distribution<float> normal;
  std::vector<float> x(count);
  for (float& v : x) v = normal(bits);
  return x;
}

/// Every vector along the axis, one after the other: a tensor with its blocks along the last axis.
std::vector<float> lines_of(const std::vector<float>& x, const mx::blocked_shape& s) {
  std::vector<float> lines;
  for (std::uint64_t o = 0; o < s.outer; ++o) {
    for (std::uint64_t i = 0; i < s.inner; ++i) {
      for (std::uint64_t a = 0; a < s.length; ++a) {
        lines.push_back(x[(o * s.length + a) * s.inner + i]);
      }
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("shapes of arrays follow the axis, the packing, the layout and the corrections") {
  const mx::coded_shape plain = mx::coded_shape_of(spelled("mxfp4"), {{3, 33, 2}, 1});
  CHECK(plain.codes.extents == extents{3, 32, 2});
  CHECK(plain.scales.extents == extents{3, 2, 2});
  CHECK(plain.tensor_scales.bytes() == 0);
  CHECK(plain.macro_fractions.bytes() == 0);
  const mx::coded_shape apart = mx::coded_shape_of(spelled("mxfp4", "unpacked"), {{3, 33, 2}, 1});
  CHECK(apart.codes.extents == extents{3, 64, 2});
  const mx::coded_shape dense = mx::coded_shape_of(spelled("mxfp6-e3m2", "dense"), {{3, 33, 2}, 1});
  CHECK(dense.codes.extents == extents{3, 48, 2});
  CHECK(mx::coded_shape_of(spelled("mxfp6-e3m2"), {{3, 33, 2}, 1}).codes.extents ==
        extents{3, 64, 2});
  const mx::coded_shape tiled =
      mx::coded_shape_of(spelled("nvfp4", "packed", "128x4"), {{2, 129, 80}, 2});
  CHECK(tiled.scales.extents == extents{2, 512 * 2 * 2});
  CHECK(tiled.tensor_scales.extents == extents{1});
  const mx::coded_shape rows = mx::coded_shape_of(spelled("e2m1:ue4m3:16:row"), {{4, 32}, 1});
  CHECK(rows.tensor_scales.extents == extents{4, 1});
  const mx::coded_shape tiles = mx::coded_shape_of(spelled("fp8-128x128"), {{2, 129, 256}, 2});
  CHECK(tiles.scales.extents == extents{2, 2, 2});
  CHECK(tiles.scales.bytes_a_number == 4);
  CHECK(tiles.codes.extents == extents{2, 129, 256});
  const mx::coded_shape macro =
      mx::coded_shape_of(spelled("mxfp4+mbs=64,12+rotate=64"), {{5, 70}, 1});
  CHECK(macro.codes.extents == extents{5, 64});
  CHECK(macro.macro_fractions.extents == extents{5, 2});
  CHECK(macro.macro_fractions.bytes() == 20);
}

TEST_CASE("axes count from both ends, and tensors that a recipe does not take are refused") {
  using enum mx::tensor_refusal;
  CHECK(mx::axes_of({2, 3}, -2)->axis == 0);
  CHECK(mx::axes_of({}, -1)->extents == extents{1});
  CHECK_FALSE(mx::axes_of({2, 3}, 2).has_value());
  CHECK_FALSE(mx::axes_of({2, 3}, -3).has_value());
  const std::uint64_t huge = std::uint64_t{1} << 62;
  CHECK(mx::refusal_of(spelled("mxfp4"), {{1, huge, 2}, 0}) == size);
  CHECK(mx::refusal_of(spelled("mxfp4"), {{2 * huge, 0}, 1}) == size);
  CHECK(mx::refusal_of(spelled("mxfp4"), {{2 * huge - 1, 0}, 0}) == none);
  CHECK(mx::refusal_of(spelled("e2m1:ue4m3:16:row"), {{1 << 25, 0}, 1}) == empty_rows);
  CHECK(mx::refusal_of(spelled("e2m1:ue4m3:16:row"), {{1 << 24, 0}, 1}) == none);
  CHECK(mx::refusal_of(spelled("mxfp4"), {{std::uint64_t{1} << 32, 0}, 1}) == none);
  CHECK(mx::refusal_of(spelled("nvfp4-2d"), {{32}, 0}) == tiles);
  CHECK(mx::refusal_of(spelled("nvfp4-2d"), {{32, 32}, 0}) == tiles);
  CHECK(mx::refusal_of(spelled("mxfp4+double"), {{32}, 0}) == two_passes);
  CHECK(mx::refusal_of(spelled("mxfp4+double"), {{2, 32, 32}, 0}) == two_passes);
  CHECK(mx::refusal_of(spelled("mxfp4+double"), {{2, 32, 32}, 1}) == none);
  const std::uint64_t longest = std::uint64_t{1} << 30;
  CHECK(mx::refusal_of(spelled("mxfp4+gain=3/4"), {{longest + 1}, 0}) == corrected_length);
  CHECK(mx::refusal_of(spelled("mxfp4+gain=3/4"), {{longest}, 0}) == none);
  const mx::recipe blocked = spelled("mxfp4", "packed", "128x4");
  CHECK(mx::storage_refusal_of(blocked, {{32, 32}, 0}) == layout_axis);
  CHECK(mx::storage_refusal_of(blocked, {{32, 32}, 1}) == none);
  CHECK(mx::storage_refusal_of(blocked, {{std::uint64_t{1} << 54, 1}, 1}) == size);
  CHECK(mx::storage_refusal_of(spelled("mxfp4", "packed", "128x4"),
                               {{std::uint64_t{1} << 52, 1}, 1}) == none);
  for (const auto why :
       {size, empty_rows, tiles, two_passes, corrected_length, layout_axis, layout_size}) {
    CHECK(!mx::sentence_of(blocked, {{2, 3}, 0}, why).empty());
  }
}

TEST_CASE("whatever the axis and the stored order, codes and scales are those of the lines") {
  const std::uint64_t seed_shape[] = {3, 40, 2};
  for (const char* format :
       {"mxfp4", "mxfp8-e4m3", "nvfp4", "e2m1:e8m9:8", "mxfp4+mbs=64+of=0.5", "nvfp4+gain=3/4",
        "e2m1:ue4m3:16:row", "mxfp6-e2m3", "e3m2:e8m0:5", "e2m3:e8m0:16+mbs=64+of=0.5"}) {
    for (const char* packing : {"packed", "unpacked", "high-first", "split-half", "dense"}) {
      const mx::recipe stored = spelled(format, packing);
      if (mx::storage_refusal_of(stored) != mx::recipe_refusal::none) continue;
      for (const std::size_t axis : {0, 1, 2}) {
        INFO(format << " " << packing << " " << axis);
        const mx::recipe& r = stored;
        const mx::tensor_axes t{{seed_shape, seed_shape + 3}, axis};
        const mx::coded_shape s = mx::coded_shape_of(r, t);
        const std::vector<float> x = drawn(s.blocks.elements());
        arrays made(r, s);
        const mx::coding_counts counts =
            mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr, made.places());
        CHECK(counts.blocks == s.sizes.blocks);

        // The same numbers line by line, one code a byte.
        const mx::recipe flat_recipe = spelled(format, "unpacked");
        const mx::tensor_axes flat{{s.blocks.outer * s.blocks.inner, s.blocks.length}, 1};
        const mx::coded_shape f = mx::coded_shape_of(flat_recipe, flat);
        const std::vector<float> lines = lines_of(x, s.blocks);
        arrays right(flat_recipe, f);
        mx::quantize_tensor(flat_recipe, f, mx::number_type::fp32, lines.data(), nullptr,
                            right.places());

        bytes codes(s.sizes.code_bytes), scales(s.sizes.scale_bytes());
        mx::load_pass(r, s, made.constant().first, codes.data(), scales.data());
        const std::uint64_t along = s.sizes.code_bytes_along, inner = s.blocks.inner;
        bool same = true;
        for (std::uint64_t line = 0; line < f.blocks.outer; ++line) {
          for (std::uint64_t k = 0; k < along; ++k) {
            const std::uint64_t at = (line / inner * along + k) * inner + line % inner;
            same = same && codes[at] == right.codes[line * along + k];
          }
        }
        CHECK(same);

        std::vector<float> back(x.size()), flat_back(x.size());
        mx::dequantize_tensor(r, s, made.constant(), back.data());
        mx::dequantize_tensor(flat_recipe, f, right.constant(), flat_back.data());
        const std::vector<float> back_lines = lines_of(back, s.blocks);
        CHECK(std::memcmp(back_lines.data(), flat_back.data(), back.size() * 4) == 0);

        arrays again(r, s);
        mx::store_pass(r, s, codes.data(), scales.data(), again.places().first);
        CHECK(again.codes == made.codes);
        CHECK(again.scales == made.scales);
      }
    }
  }
}

TEST_CASE("a preset writes the codes of its kernel in any layout, and decodes them") {
  mx::recipe_words words;
  words.variant = "torchao.rceil";
  words.layout = "128x4";
  const mx::recipe r = mx::recipe_spelled(words);
  const mx::coded_shape s = mx::coded_shape_of(r, {{5, 64}, 1});
  const std::vector<float> x = drawn(5 * 64);
  arrays made(r, s);
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr, made.places());
  bytes codes(s.sizes.code_bytes), scales(s.sizes.scale_bytes()), right(codes.size()),
      right_scales(scales.size());
  mx::load_pass(r, s, made.constant().first, codes.data(), scales.data());
  mx::quantize_by_variant(mx::preset_of(r), r.format(), x.data(), s.blocks,
                          {right.data(), right_scales.data()});
  CHECK(codes == right);
  CHECK(scales == right_scales);
  CHECK(made.scales.size() == 512);
}

TEST_CASE("given tensor scales are quantized under and not written, a tensor of nothing has 1") {
  const mx::recipe r = spelled("nvfp4");
  const mx::coded_shape s = mx::coded_shape_of(r, {{32}, 0});
  const std::vector<float> x = drawn(32);
  arrays chosen(r, s), given(r, s);
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr, chosen.places());
  float scale = 0;
  std::memcpy(&scale, chosen.above.data(), 4);
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), &scale, given.places());
  CHECK(given.codes == chosen.codes);
  CHECK(given.scales == chosen.scales);
  CHECK(given.above == bytes(4));
  scale *= 2;
  mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), &scale, given.places());
  CHECK(given.scales != chosen.scales);
  const mx::coded_shape none = mx::coded_shape_of(r, {{4, 0}, 1});
  arrays empty(r, none);
  CHECK(mx::quantize_tensor(r, none, mx::number_type::fp32, nullptr, nullptr, empty.places())
            .blocks == 0);
  std::memcpy(&scale, empty.above.data(), 4);
  CHECK(scale == 1.0F);
}

TEST_CASE("numbers with more bits than the recipe gives them are found") {
  const mx::recipe r = spelled("mxfp4+mbs=32,4", "unpacked");
  const mx::coded_shape s = mx::coded_shape_of(r, {{64}, 0});
  arrays a(r, s);
  a.codes.assign(64, 15);
  a.fractions = {15, 15};
  CHECK_FALSE(mx::flaw_of(r, s, a.constant().first).has_value());
  a.fractions[1] = 200;
  CHECK(mx::flaw_of(r, s, a.constant().first)->what == mx::wide_number::macro_fraction);
  CHECK(mx::flaw_of(r, s, a.constant().first)->index == 1);
  a.codes[3] = 16;
  CHECK(mx::flaw_of(r, s, a.constant().first)->what == mx::wide_number::code);
  CHECK(mx::flaw_of(r, s, a.constant().first)->index == 3);
  const mx::recipe wide = spelled("mxfp4+mbs=32,12");
  const mx::coded_shape w = mx::coded_shape_of(wide, {{32}, 0});
  arrays b(wide, w);
  b.fractions = {0xFF, 0x0F};
  CHECK_FALSE(mx::flaw_of(wide, w, b.constant().first).has_value());
  b.fractions = {0x00, 0x10};
  CHECK(mx::flaw_of(wide, w, b.constant().first)->value == 0x1000);
}
