// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/mutants_test.cpp: every known bug changes what its description says, in
// inputs that trigger it, and nothing else.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "catch.h"
#include "golden/validator/mutants/product_mutant.h"
#include "mx/dot/dot.h"
#include "mx/dot/generic_models.h"
#include "mx/number/philox.h"

namespace {

using namespace golden::validator;

/// Rows of multiples of 1/16 from -8 to 8, which hold ties, and finer numbers.
coded_rows mixed_rows(const mx::block_format& f, std::uint64_t rows, std::uint64_t length) {
  coded_rows t;
  t.rules = {f, f.has_tensor_scale() ? mx::scale_rule::ideal : mx::scale_rule::floor};
  t.rows = rows, t.length = length;
  for (std::uint64_t i = 0; i < rows * length; ++i) {
    const std::uint32_t word = mx::philox(1, {{static_cast<std::uint32_t>(i), 0, 0, 0}}).word[0];
    const float coarse = static_cast<float>(static_cast<int>(word % 257) - 128) / 16;
    // The blocks have different sizes, so that exchanged scales are detected.
    const float size = static_cast<float>(1U << (i / 32 * 7 % 11));
    t.x.push_back(size *
                  (i % 3 == 0 ? coarse + static_cast<float>(word >> 20) * 0x1p-20F : coarse));
  }
  quantize(t);
  return t;
}

/// The same with one block each of zeros, -0, subnormals, NaN and Inf.
coded_rows special_rows(const mx::block_format& f) {
  coded_rows t = mixed_rows(f, 6, 64);
  const float specials[] = {0.0F, -0.0F, 0x1p-127F, std::numeric_limits<float>::quiet_NaN(),
                            -std::numeric_limits<float>::infinity()};
  for (std::uint64_t row = 0; row < std::size(specials); ++row) {
    for (std::uint64_t k = 0; k < 32; ++k) t.x[row * 64 + k] = specials[row];
  }
  quantize(t);
  return t;
}

const mutant& mutant_of(const std::string& name) {
  for (const mutant& m : all_mutants()) {
    if (m.name == name) return m;
  }
  throw std::runtime_error("there is no mutant " + name);
}

coded_rows with(coded_rows t, const std::string& name) {
  mutant_of(name).apply(t);
  return t;
}

bool is_same(const coded_rows& a, const coded_rows& b) {
  return a.codes == b.codes && a.scales == b.scales &&
         mx::bits_of(a.tensor_scale) == mx::bits_of(b.tensor_scale);
}

template <class T>
std::vector<std::size_t> places_of_change(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) places.push_back(i);
  }
  return places;
}

constexpr mx::block_format mxfp4 = mx::block_formats::mxfp4;

}  // namespace

TEST_CASE("every mutant has an occasion, a name and a sentence of its own") {
  const coded_rows subjects[] = {mixed_rows(mxfp4, 128, 2048), special_rows(mxfp4),
                                 mixed_rows(mx::block_formats::nvfp4, 64, 256)};
  std::set<std::string_view> names;
  for (const mutant& m : all_mutants()) {
    INFO(m.name);
    CHECK(names.insert(m.name).second);
    CHECK(m.sentence.size() > 10);
    CHECK(std::any_of(std::begin(subjects), std::end(subjects), [&](const coded_rows& t) {
      coded_rows wrong = t;
      m.apply(wrong);
      return !is_same(wrong, t);
    }));
  }
  for (const mutant& m : all_mutants()) {
    for (const coded_rows& t : subjects) {
      coded_rows once = t, again = t;
      m.apply(once), m.apply(again);
      CHECK(is_same(once, again));
      CHECK(once.codes.size() == t.codes.size());
      CHECK(once.scales.size() == t.scales.size());
    }
  }
}

TEST_CASE("ordinary numbers give special mutants no occasion, and formats theirs") {
  const coded_rows t = mixed_rows(mxfp4, 8, 128);
  for (const char* name : {"subnormal-inputs-flushed", "nan-ignored", "nan-scale-lost",
                           "zero-block-scale", "tensor-scale", "tensor-scale-zero",
                           "tensor-scale-inf", "tensor-scale-nan", "tensor-scale-unset"}) {
    INFO(name);
    CHECK(is_same(with(t, name), t));
  }
  const coded_rows wide = mixed_rows(mx::block_formats::mxfp8_e4m3, 8, 128);
  CHECK(is_same(with(wide, "nibbles-swapped"), wide));
  const coded_rows integers = mixed_rows(mx::block_formats::mxint8, 8, 128);
  CHECK(is_same(with(integers, "negative-zero-lost"), integers));
  const coded_rows narrow = mixed_rows(mxfp4, 7, 128);
  CHECK(is_same(with(narrow, "wrong-axis"), narrow));
}

TEST_CASE("mutants of rounding change neighbours alone, and ties only ties") {
  const coded_rows t = mixed_rows(mxfp4, 64, 256);
  const std::vector<float> grid{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (const char* name : {"ties-away", "ties-toward-zero"}) {
    const coded_rows wrong = with(t, name);
    const auto places = places_of_change(t.codes, wrong.codes);
    CHECK(places.size() > 10);
    CHECK(wrong.scales == t.scales);
    for (const std::size_t at : places) {
      const float scale = std::ldexp(1.0F, t.scales[at / 32] - 127);
      const float middle = (grid[t.codes[at] & 7U] + grid[wrong.codes[at] & 7U]) / 2;
      REQUIRE(std::abs(t.x[at]) == middle * scale);
    }
  }
  for (const auto& [at, up] :
       {std::pair{"ties-away", true}, std::pair{"ties-toward-zero", false}}) {
    const coded_rows wrong = with(t, at);
    for (const std::size_t place : places_of_change(t.codes, wrong.codes)) {
      REQUIRE((wrong.codes[place] > t.codes[place]) == up);
    }
  }
  const coded_rows cut = with(t, "truncation");
  for (std::size_t i = 0; i < t.codes.size(); ++i) {
    const float scale = std::ldexp(1.0F, t.scales[i / 32] - 127);
    REQUIRE(grid[cut.codes[i] & 7U] * scale <= std::abs(t.x[i]));
  }
}

TEST_CASE("without the largest code, the largest elements of both signs are one step smaller") {
  const auto magnitude = [](const mx::block_format& f, std::uint8_t code) {
    return std::abs(mx::to_binary32(mx::decode(f.element, code)));
  };
  for (const mx::block_format& f :
       {mxfp4, mx::block_formats::mxfp8_e4m3, mx::block_formats::mxint8}) {
    const coded_rows t = mixed_rows(f, 64, 256), wrong = with(t, "largest-code-lost");
    const std::uint32_t most = f.element.max_code();
    std::set<bool> negative;
    for (std::size_t i = 0; i < t.codes.size(); ++i) {
      const bool is_largest =
          magnitude(f, t.codes[i]) == mx::to_binary32(mx::decode(f.element, most));
      if (!is_largest) {
        REQUIRE(wrong.codes[i] == t.codes[i]);
        continue;
      }
      negative.insert(mx::decode(f.element, t.codes[i]).negative);
      REQUIRE(magnitude(f, wrong.codes[i]) == mx::to_binary32(mx::decode(f.element, most - 1)));
    }
    CHECK(negative.size() == 2);
  }
}

TEST_CASE("mutants of scales change as many blocks as they say") {
  const coded_rows t = mixed_rows(mxfp4, 128, 2048);
  const std::size_t blocks = 128 * 64;
  struct changed {
    const char* name;
    std::size_t count;
    int by;
  };
  for (const changed& c : {changed{"scale-x2-0.1%", 8, 1}, changed{"scale-x2-1%", 82, 1},
                           changed{"scale-/2-2%", 164, -1}, changed{"scale-off-by-one", blocks, 1},
                           changed{"one-scale", 1, -1}}) {
    INFO(c.name);
    const coded_rows wrong = with(t, c.name);
    CHECK(wrong.codes == t.codes);
    const auto places = places_of_change(t.scales, wrong.scales);
    CHECK(places.size() == c.count);
    for (const std::size_t at : places) REQUIRE(wrong.scales[at] == t.scales[at] + c.by);
  }
  const coded_rows nvfp4 = mixed_rows(mx::block_formats::nvfp4, 4, 64);
  const coded_rows doubled = with(nvfp4, "scale-off-by-one");
  for (std::size_t i = 0; i < nvfp4.scales.size(); ++i) {
    REQUIRE(doubled.scales[i] == std::min(nvfp4.scales[i] + 8, 126));
  }
  CHECK(mx::bits_of(with(nvfp4, "tensor-scale").tensor_scale) ==
        mx::bits_of(nvfp4.tensor_scale) + 1);
  const std::pair<const char*, std::uint32_t> stored[] = {{"tensor-scale-zero", 0U},
                                                          {"tensor-scale-inf", 0x7F800000U},
                                                          {"tensor-scale-nan", 0x7FC00000U},
                                                          {"tensor-scale-unset", 0x3F800000U}};
  for (const auto& [name, bits] : stored) {
    const coded_rows wrong = with(nvfp4, name);
    CHECK(mx::bits_of(wrong.tensor_scale) == bits);
    CHECK((wrong.codes == nvfp4.codes && wrong.scales == nvfp4.scales));
  }
}

TEST_CASE("scales below the smallest normal one are doubled and halved as others are") {
  coded_rows t = mixed_rows(mx::block_formats::nvfp4, 1, 32);
  constexpr std::uint8_t codes[] = {0, 3, 7, 9};
  for (const std::uint8_t code : codes) {
    t.x.assign(32, 0.0F);
    t.x[0] = 2688.0F;  // so that the tensor scale is 1
    t.x[16] = 6 * mx::to_binary32(mx::decode(t.rules.format.scale, code));
    quantize(t);
    REQUIRE(t.scales == std::vector<std::uint8_t>{126, code});
    const float scale = mx::to_binary32(mx::decode(t.rules.format.scale, code));
    const auto second = [&](const char* name) {
      return mx::to_binary32(mx::decode(t.rules.format.scale, with(t, name).scales[1]));
    };
    CHECK(second("scale-x2-1%") == 2 * scale);
    CHECK(std::abs(second("scale-/2-2%") - scale / 2) <= 0x1p-10F);
  }
}

TEST_CASE("the other scale rule is rceil, and floor where rceil was asked for") {
  coded_rows t = mixed_rows(mxfp4, 16, 256);
  coded_rows rceil = t;
  rceil.rules.rule = mx::scale_rule::rceil;
  quantize(rceil);
  CHECK(is_same(with(t, "other-scale-rule"), rceil));
  CHECK(is_same(with(rceil, "other-scale-rule"), t));
}

TEST_CASE("an amax that leaves numbers out is that of the others") {
  coded_rows t = mixed_rows(mxfp4, 1, 64);
  t.x.assign(64, 1.0F);
  t.x[3] = -6, t.x[40] = 6, t.x[60] = -24;
  quantize(t);
  CHECK(t.scales == std::vector<std::uint8_t>{127, 129});
  const coded_rows positive = with(t, "amax-of-positive");
  CHECK(positive.scales == std::vector<std::uint8_t>{125, 127});
  CHECK(positive.codes[3] == 15);  // -6 / 0.25 saturates
  CHECK(positive.codes[40] == 7);
  const coded_rows half = with(t, "amax-of-half");
  CHECK(half.scales == std::vector<std::uint8_t>{127, 127});
  CHECK(half.codes[60] == 15);
}

TEST_CASE("mutants of places move codes and scales as they say") {
  const coded_rows t = mixed_rows(mxfp4, 128, 128);
  coded_rows twice = with(with(t, "nibbles-swapped"), "nibbles-swapped");
  CHECK(is_same(twice, t));
  CHECK(with(t, "nibbles-swapped").codes[0] == t.codes[1]);
  for (const std::size_t at :
       places_of_change(t.codes, with(t, "nibbles-swapped-in-last-block").codes)) {
    REQUIRE(at % 128 >= 96);
  }
  const coded_rows dropped = with(t, "last-block-dropped");
  for (std::size_t i = 0; i < t.codes.size(); ++i) {
    REQUIRE(dropped.codes[i] == (i % 128 >= 96 ? 0 : t.codes[i]));
  }
  CHECK(dropped.scales == t.scales);
  const coded_rows rows = with(t, "last-row-dropped");
  CHECK(std::count(rows.codes.end() - 128, rows.codes.end(), 0) == 128);
  CHECK(places_of_change(t.codes, rows.codes).front() >= 127 * 128);
  const coded_rows shifted = with(t, "codes-shifted");
  CHECK(shifted.codes[128] == t.codes[255]);
  CHECK(shifted.codes[129] == t.codes[128]);
  std::set<std::size_t> zeroed;
  for (const std::size_t at : places_of_change(t.codes, with(t, "blocks-zeroed-1%").codes)) {
    zeroed.insert(at / 32);
  }
  CHECK(zeroed.size() == 5);
}

TEST_CASE("codes change places within the bytes of their order, and have none one a byte") {
  coded_rows halves = mixed_rows(mxfp4, 8, 128);
  halves.order.nibbles = mx::nibble_order::split_half;
  const coded_rows swapped = with(halves, "nibbles-swapped");
  for (std::size_t i = 0; i < halves.codes.size(); ++i) {
    REQUIRE(swapped.codes[i] == halves.codes[i ^ 16]);
  }
  const coded_rows odd = mixed_rows({mx::formats::e2m1, mx::formats::e8m0, 1, 3}, 8, 12);
  const coded_rows last = with(odd, "nibbles-swapped-in-last-block");
  for (std::size_t i = 0; i < odd.codes.size(); ++i) {
    REQUIRE(last.codes[i] == (i % 12 < 8 ? odd.codes[i] : odd.codes[i ^ 1]));
  }
  coded_rows bytes = mixed_rows(mxfp4, 8, 128);
  bytes.order.packing = mx::code_packing::unpacked;
  CHECK(is_same(with(bytes, "nibbles-swapped"), bytes));
}

TEST_CASE("mutants of scales' places move them as they say") {
  const coded_rows t = mixed_rows(mxfp4, 128, 128);
  const coded_rows tiled = with(t, "scale-layout");
  const coded_rows turned = with(t, "scales-transposed");
  for (std::size_t row = 0; row < 128; ++row) {
    for (std::size_t b = 0; b < 4; ++b) {
      REQUIRE(tiled.scales[row % 32 * 16 + row / 32 * 4 + b] == t.scales[row * 4 + b]);
      REQUIRE(turned.scales[b * 128 + row] == t.scales[row * 4 + b]);
    }
  }
  const coded_rows swapped = with(t, "scale-pairs-swapped");
  std::set<std::size_t> rows;
  for (const std::size_t at : places_of_change(t.scales, swapped.scales)) {
    rows.insert(at / 4);
    REQUIRE(swapped.scales[at] == t.scales[at ^ 1U]);
  }
  CHECK(rows.size() == 8);
}

TEST_CASE("blocks along the other axis are those of the transpose") {
  const coded_rows t = mixed_rows(mxfp4, 64, 96);
  coded_rows turned = t;
  turned.rows = 96, turned.length = 64;
  for (std::size_t i = 0; i < t.x.size(); ++i) turned.x[i % 96 * 64 + i / 96] = t.x[i];
  quantize(turned);
  const coded_rows wrong = with(t, "wrong-axis");
  for (std::size_t i = 0; i < t.codes.size(); ++i) {
    REQUIRE(wrong.codes[i] == turned.codes[i % 96 * 64 + i / 96]);
  }
  for (std::size_t i = 0; i < t.scales.size(); ++i) {
    REQUIRE(wrong.scales[i] == turned.scales[i % 96 * 2 + i / 96]);
  }
}

TEST_CASE("mutants of special blocks change those alone") {
  const coded_rows t = special_rows(mxfp4);
  CHECK(t.scales[6] == 255);
  CHECK(t.scales[8] == 255);
  struct changed {
    const char* name;
    std::vector<std::size_t> scales;
  };
  for (const changed& c :
       {changed{"nan-scale-lost", {6, 8}}, changed{"nan-ignored", {6, 8}},
        changed{"zero-block-scale", {0, 2}}, changed{"subnormal-inputs-flushed", {}}}) {
    INFO(c.name);
    CHECK(places_of_change(t.scales, with(t, c.name).scales) == c.scales);
  }
  CHECK(with(t, "nan-scale-lost").scales[6] == 254);
  CHECK(with(t, "zero-block-scale").scales[0] == 127);
  const coded_rows ignored = with(t, "nan-ignored");
  CHECK(ignored.scales[6] == 0);
  CHECK(ignored.scales[8] == 252);
  CHECK(ignored.codes[4 * 64] == 15);
  const coded_rows positive = with(t, "negative-zero-lost");
  CHECK(t.codes[64] == 8);
  CHECK(positive.codes[64] == 0);
  CHECK(std::count(positive.codes.begin(), positive.codes.end(), 8) == 0);
  const coded_rows flushed = with(t, "subnormal-elements-flushed");
  CHECK(std::count_if(flushed.codes.begin(), flushed.codes.end(),
                      [](std::uint8_t code) { return (code & 7U) == 1; }) == 0);
  for (const std::size_t at : places_of_change(t.codes, flushed.codes)) {
    REQUIRE((t.codes[at] & 7U) == 1);
  }
}

TEST_CASE("subnormal inputs are flushed where they would have codes") {
  coded_rows t = mixed_rows(mxfp4, 1, 32);
  t.x.assign(32, -0x1p-127F);
  quantize(t);
  const coded_rows wrong = with(t, "subnormal-inputs-flushed");
  CHECK(t.codes[0] == 10);
  CHECK(wrong.codes[0] == 8);
}

namespace {

coded_product wide_product() {
  coded_product p{mixed_rows(mxfp4, 3, 256), mixed_rows(mxfp4, 2, 256), {}};
  for (coded_rows* t : {&p.a, &p.b}) {
    for (std::size_t i = 0; i < t->x.size(); ++i) t->x[i] *= i / 32 % 3 == 0 ? 0x1p-13F : 1.0F;
    quantize(*t);
  }
  p.model = mx::with_scales(
      mx::with_formats(mx::accumulations::block_by_block(), mxfp4.element, mxfp4.element),
      mxfp4.scale, 32);
  return p;
}

}  // namespace

TEST_CASE("a product is the model's dot product of the codes") {
  const coded_product p = wide_product();
  const std::vector<std::uint32_t> d = p.result();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(d[i * 2 + j] == mx::dot(p.model, p.a.codes.data() + i * 256, p.b.codes.data() + j * 256,
                                    256, 0, p.a.scales.data() + i * 8, p.b.scales.data() + j * 8));
    }
  }
}

TEST_CASE("mutants of products are those of A, of both factors, and of the sum") {
  const coded_product p = wide_product();
  const std::vector<std::uint32_t> right = p.result();
  CHECK(all_product_mutants().size() == all_mutants().size() + 6);
  for (const char* name : {"truncation", "truncation-of-both", "accumulator-13-bits",
                           "accumulator-25-bits", "accumulator-truncates", "last-block-dropped"}) {
    INFO(name);
    const auto found = std::find_if(all_product_mutants().begin(), all_product_mutants().end(),
                                    [name](const product_mutant& m) { return m.name == name; });
    REQUIRE(found != all_product_mutants().end());
    coded_product wrong = p;
    found->apply(wrong);
    CHECK(wrong.result() != right);
    const bool of_both = std::string(name) == "truncation-of-both";
    CHECK((wrong.b.codes != p.b.codes) == of_both);
  }
}

TEST_CASE("mutants of what is written change single words of the right product") {
  const coded_product p = wide_product();
  std::vector<std::uint32_t> one_word = p.result(), no_column = one_word;
  one_word[3] ^= 1;
  for (std::size_t row = 0; row < 3; ++row) no_column[2 * row + 1] = 0;
  for (const product_mutant& m : all_product_mutants()) {
    coded_product wrong = p;
    m.apply(wrong);
    if (m.name == "one-word") CHECK(wrong.result() == one_word);
    if (m.name == "last-column-dropped") CHECK(wrong.result() == no_column);
    CHECK((wrong.spoil != nullptr) == (m.name == "one-word" || m.name == "last-column-dropped"));
  }
}
