// SPDX-License-Identifier: Apache-2.0
// tests/probe/card_test.cpp: cards report what an output shows, and nothing more.
#include <algorithm>
#include <span>

#include "catch.h"
#include "golden/probe/block_pool.h"
#include "golden/probe/variant_card.h"
#include "golden/validator/tensor/dimension_words.h"
#include "golden/validator/tensor/tensor_formula.h"
#include "probe_case.h"

namespace golden::probe {
namespace {

using validator::hypothesis;

const card_line& line_of(const variant_card& c, const std::string& property) {
  const auto found = std::find_if(c.lines.begin(), c.lines.end(),
                                  [&](const card_line& l) { return l.property == property; });
  REQUIRE(found != c.lines.end());
  return *found;
}

/// The value of a line with a single value.
std::string told(const variant_card& c, const std::string& property) {
  const card_line& l = line_of(c, property);
  return l.known == knowledge::decided ? l.values.front().word : "";
}

variant_card card_on(const probe& p, mx::number_type type, const hypothesis& r,
                     const mx::block_format& f) {
  return card_of(f, probed_kernel(p, type, r).subjects());
}

TEST_CASE("a card tells every property of a kernel of rules") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  r.recipe.rules.rounding = mx::rounding::ties_toward_zero;
  r.recipe.layout = mx::scale_layout::blocked_128x4;
  r.recipe.codes.nibbles = mx::nibble_order::split_half;
  const variant_card c = card_on(make_probe({f}), mx::number_type::fp32, r, f);
  CHECK(c.explained);
  CHECK(c.presets.empty());
  CHECK(told(c, "scale_rule") == "rceil");
  CHECK(told(c, "element_rounding") == "nearest-zero");
  CHECK(told(c, "nibble_order") == "split-half");
  CHECK(told(c, "scale_layout") == "128x4");
  CHECK(told(c, "subnormals") == "kept");
}

TEST_CASE("a card tells how codes of six bits are stored where they have no gaps") {
  const mx::block_format& f = mx::block_formats::mxfp6_e2m3;
  const probe p = make_probe({f});
  hypothesis r = plain_recipe(f);
  const variant_card apart = card_on(p, mx::number_type::fp32, r, f);
  CHECK(apart.explained);
  CHECK(std::none_of(apart.lines.begin(), apart.lines.end(),
                     [](const card_line& l) { return l.property == "nibble_order"; }));
  r.recipe.codes.sixes = mx::six_bit_order::dense;
  const variant_card c = card_on(p, mx::number_type::fp32, r, f);
  CHECK(c.explained);
  CHECK(told(c, "nibble_order") == "dense");
}

TEST_CASE("every preset is named on a card, beside no other but its equal") {
  for (const mx::block_format& f :
       {mx::block_formats::mxfp4, mx::block_formats::mxfp6_e3m2, mx::block_formats::mxfp8_e4m3,
        mx::block_formats::mxint8, mx::block_formats::nvfp4}) {
    const probe p = make_probe({f});
    for (const std::vector<std::size_t>& group : p.groups) {
      const known_recipe& k = p.recipes[group.front()];
      if (k.rules.variant() == nullptr) continue;
      const variant_card c = card_on(p, mx::number_type::fp32, k.rules, f);
      const std::string name(k.rules.variant()->about.name);
      INFO(name);
      CHECK(c.explained);
      CHECK(std::find(c.presets.begin(), c.presets.end(), name) != c.presets.end());
      std::size_t equal = 0;
      std::vector<const mx::variant_entry*> seen;
      for (const std::size_t other : group) {
        const mx::variant_entry* v = p.recipes[other].rules.variant();
        const bool again = std::find(seen.begin(), seen.end(), v) != seen.end();
        equal += v != nullptr && !again ? 1 : 0;
        seen.push_back(v);
      }
      CHECK(c.presets.size() == equal);
    }
  }
}

TEST_CASE("an amax in BF16 under a rule is no other rule") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const probe p = make_probe({f});
  for (const auto rule : {mx::scale_rule::rceil, mx::scale_rule::even}) {
    hypothesis r = plain_recipe(f);
    r.recipe.rules.rule = rule;
    r.input = {validator::precision::bfloat16, validator::rounded_for::scale};
    const variant_card c = card_on(p, mx::number_type::fp32, r, f);
    CHECK(c.explained);
    CHECK(line_of(c, "scale_rule").values.front().word ==
          word_of(r, validator::dimension::scale_rule));
    CHECK(line_of(c, "scale_rule").known != knowledge::several);
    CHECK(told(c, "input_precision") == "bf16, for the scale only");
  }
}

TEST_CASE("what numbers of BF16 do not show is said, with what would") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const variant_card c =
      card_on(make_probe({f, mx::number_type::bf16}), mx::number_type::bf16, plain_recipe(f), f);
  const card_line& precision = line_of(c, "input_precision");
  CHECK(precision.known == knowledge::several);
  REQUIRE(precision.values.size() > 1);
  CHECK(precision.values.front().word == "as given");
  CHECK(precision.values[1].why.find("BF16 cannot hold it") != std::string::npos);
  CHECK(told(c, "scale_rule") == "floor");
}

TEST_CASE("layouts that are one in a shape are told apart by another shape, as the card says") {
  const mx::block_format& f = mx::block_formats::mxfp8_e4m3;
  const probe p = make_probe({f, mx::number_type::fp32, 128, 128});
  const variant_card c = card_on(p, mx::number_type::fp32, plain_recipe(f), f);
  const card_line& layout = line_of(c, "scale_layout");
  CHECK(layout.known == knowledge::several);
  CHECK(std::any_of(layout.values.begin(), layout.values.end(), [](const card_value& v) {
    return v.word == "gfx1250" && v.why.find("tensors of this shape") != std::string::npos;
  }));
  CHECK(told(card_on(make_probe({f}), mx::number_type::fp32, plain_recipe(f), f), "scale_layout") ==
        "linear");
}

TEST_CASE("rules that no known input tells apart are equal, not open") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::even;
  const variant_card c = card_on(make_probe({f}), mx::number_type::fp32, r, f);
  const card_line& rule = line_of(c, "scale_rule");
  CHECK(rule.known == knowledge::equal);
  REQUIRE(rule.values.size() == 2);
  CHECK(rule.values[0].word == "even");
  CHECK(rule.values[1].word == "overflow-aware");
}

TEST_CASE("an unknown kernel's scales and codes are judged by themselves") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  const probe p = make_probe({f});
  probed_kernel kernel(p, mx::number_type::fp32, r);
  std::vector<std::uint8_t>& codes = kernel.output(0).codes;
  for (std::size_t k = 0; k < codes.size(); k += 100) codes[k] ^= 0x07;
  const variant_card c = card_of(f, kernel.subjects());
  CHECK_FALSE(c.explained);
  CHECK(told(c, "scale_rule") == "rceil");
  const card_line& rounding = line_of(c, "element_rounding");
  CHECK(rounding.known == knowledge::unknown);
  CHECK(rounding.note.find("nearest: nearest-even") != std::string::npos);
  CHECK(line_of(c, "zero_rule").known == knowledge::unknown);
  CHECK(!c.nearest.empty());
}

TEST_CASE("one odd block leaves the card of two properties, and is named with what was expected") {
  const mx::block_format& f = mx::block_formats::mxfp8_e5m2;
  const probe p = make_probe({f});
  hypothesis r = plain_recipe(f);
  r.recipe.rules.rule = mx::scale_rule::rceil;
  r.input = {validator::precision::bfloat16, validator::rounded_for::everything};
  probed_kernel kernel(p, mx::number_type::fp32, r);
  kernel.output(0).scales[20] ^= 0x01;
  const variant_card c = card_of(f, kernel.subjects());
  CHECK_FALSE(c.explained);
  CHECK(c.without == 1);
  CHECK(told(c, "scale_layout") == "linear");
  CHECK(line_of(c, "nan_rule").known != knowledge::unknown);
  REQUIRE(!c.nearest.empty());
  CHECK(c.nearest.front().name.find("; input_precision bf16") != std::string::npos);
  CHECK(c.nearest.front().blocks + 1 == c.nearest.front().of);
  REQUIRE(c.odd.size() == 1);
  CHECK(c.odd[0].block == 20);
  CHECK(c.odd[0].found_scale == (c.odd[0].expected_scale ^ 0x01U));
}

TEST_CASE("what blocks that were set aside would tell is lacking in the remaining ones") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const probe p = make_probe({f});
  probed_kernel kernel(p, mx::number_type::fp32, plain_recipe(f));
  std::vector<std::uint8_t>& scales = kernel.output(0).scales;
  for (std::uint8_t& scale : scales) scale = std::max<std::uint8_t>(scale, 1);
  const variant_card c = card_of(f, kernel.subjects());
  REQUIRE(c.without > 0);
  const card_line& subnormals = line_of(c, "subnormals");
  REQUIRE(subnormals.known == knowledge::several);
  for (const card_value& v : std::span(subnormals.values).subspan(1)) {
    CHECK(v.why == "told apart by a subnormal block, which the remaining blocks lack");
  }
}

TEST_CASE("formulas of a tensor scale are named") {
  const mx::block_format& f = mx::block_formats::nvfp4;
  const probe p = make_probe({f});
  using enum validator::tensor_formula;
  for (const validator::tensor_formula how : {reciprocal, of_encode}) {
    hypothesis r = plain_recipe(f);
    r.formula = how;
    const variant_card c = card_on(p, mx::number_type::fp32, r, f);
    INFO(formula_text(r));
    CHECK(c.explained);
    CHECK(told(c, "tensor_scale") == formula_text(r));
    CHECK(told(c, "scale_rule") == "ideal");
    CHECK(told(c, "operation_order") == "exact");
  }
}

TEST_CASE("tensors of a probe separate formulas in every type, but where they are one") {
  for (const auto type : {mx::number_type::fp32, mx::number_type::bf16, mx::number_type::fp16}) {
    mx::block_format f = mx::block_formats::nvfp4;
    for (const std::size_t different : {5U, 3U}) {  // to divide by 256 is exact, first or last
      std::vector<std::vector<float>> words;
      for (const validator::tensor_formula how : validator::tensor_formulas) {
        words.emplace_back();
        for (const float amax : magnitudes_of_scales(f, type)) {
          CHECK(holds(type, amax));
          words.back().push_back(tensor_scale_by(how, f, amax));
        }
      }
      CHECK(words.front().size() <= 3);
      std::sort(words.begin(), words.end());
      CHECK(std::unique(words.begin(), words.end()) - words.begin() ==
            static_cast<std::ptrdiff_t>(different));
      f.bound = mx::tensor_bound::of_256;
    }
  }
}

TEST_CASE("a preset's codes under a tensor scale by another formula are named by both") {
  const mx::block_format& f = mx::block_formats::nvfp4;
  const probe p = make_probe({f});
  const auto preset = std::find_if(p.recipes.begin(), p.recipes.end(), [](const known_recipe& k) {
    return k.name == "variant flashinfer.nvfp4";
  });
  REQUIRE(preset != p.recipes.end());
  hypothesis r = preset->rules;
  r.formula = validator::tensor_formula::bound_first;
  const variant_card c = card_on(p, mx::number_type::fp32, r, f);
  CHECK(c.explained);
  CHECK(c.presets == std::vector<std::string>{"flashinfer.nvfp4"});
  CHECK(told(c, "tensor_scale") == "(amax / 448) / 6");
  CHECK(line_of(c, "operation_order").known == knowledge::by_preset);
}

TEST_CASE("a tensor scale by no formula is as stored") {
  const mx::block_format& f = mx::block_formats::nvfp4;
  const probe p = make_probe({f});
  probed_kernel kernel(p, mx::number_type::fp32, plain_recipe(f));
  std::vector<validator::subject> subjects = kernel.subjects();
  REQUIRE(subjects.back().name.starts_with("x_scale"));
  float& last = subjects.back().tensor_scales.front();
  last = mx::float_of(mx::bits_of(last) + 3);
  const variant_card c = card_of(f, subjects);
  CHECK(told(c, "tensor_scale") == "as stored; right is amax / 2688");
}

TEST_CASE("a preset that leaves three blocks is named as it would be if it explained all") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  const probe p = make_probe({f});
  const auto old = std::find_if(p.recipes.begin(), p.recipes.end(), [](const known_recipe& k) {
    return k.name == "variant vllm.ue8m0-old";
  });
  REQUIRE(old != p.recipes.end());
  probed_kernel kernel(p, mx::number_type::fp32, old->rules);
  for (const std::size_t block : {3, 20, 40}) kernel.output(0).codes[block * 16 + 5] ^= 0x11;
  const variant_card c = card_of(f, kernel.subjects());
  CHECK_FALSE(c.explained);
  CHECK(c.without == 3);
  CHECK(c.presets == std::vector<std::string>{"vllm.ue8m0-old"});
  CHECK(c.odd.size() == 3);
}

TEST_CASE("what became of NaN, Inf and zeros is told as it was found") {
  const mx::block_format& f = mx::block_formats::mxfp4;
  hypothesis r = plain_recipe(f);
  r.specials = {validator::special_scale::of_finite, validator::special_scale::of_finite,
                validator::special_codes::nan_keeps_sign};
  r.zeros.scale = 125;
  const variant_card c = card_on(make_probe({f}), mx::number_type::fp32, r, f);
  bool nan = false, zeros = false;
  for (const special_outcome& o : c.specials) {
    if (o.what == "zeros") zeros = o.scale == 125;
    if (o.what != "NaN beside numbers") continue;
    for (const auto& [x, code] : o.elements) {
      if (x == x) continue;
      nan = true;
      CHECK(code == ((mx::bits_of(x) >> 31) != 0 ? 0xFU : 0x7U));
    }
    CHECK(o.scale != 255);
  }
  CHECK(nan);
  CHECK(zeros);
}

}  // namespace
}  // namespace golden::probe
