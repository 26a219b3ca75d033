// SPDX-License-Identifier: Apache-2.0
// tests/unit/spelling/spelling_test.cpp: mx/spelling.h: the grammar of formats and corrections.
#include "mx/spelling.h"

#include <cstdlib>
#include <stdexcept>

#include "catch.h"
#include "mx/block/names.h"
#include "mx/dot/gemm.h"
#include "mx/dot/models.h"
#include "mx/presets/variants.h"

namespace {

using namespace mx;

/// The message with which a text is refused; empty if it is accepted.
std::string refused(std::string_view text) {
  try {
    static_cast<void>(format_spelled(text));
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect_round_trip(const std::string& text) {
  CAPTURE(text);
  CHECK(spelling_of(format_spelled(text)) == text);
}

}  // namespace

TEST_CASE("every_name_and_every_element_and_scale_spells_itself") {
  for (const auto& entry : block_format_table) {
    CHECK(format_spelled(entry.name).format == entry.value);
    expect_round_trip(std::string(entry.name));
  }
  for (const auto& entry : element_format_table) {
    for (const scale_name& scale : scale_format_table) {
      const std::string text = std::string(entry.name) + ":" + std::string(scale.name) + ":48";
      const block_format f = format_spelled(text).format;
      CHECK(f.element == entry.value);
      CHECK(f.scale == scale.value);
      CHECK(f.precision == scale.precision);
      CHECK(f.columns == 48);
      expect_round_trip(text);
    }
  }
}

TEST_CASE("a_format_is_spelled_part_by_part") {
  const block_format f = format_spelled("e3m1@4:e8m5:16x8:row256").format;
  CHECK(f.element == format{3, 1, 4});
  CHECK(f.scale == formats::e8m(5));
  CHECK((f.rows == 16 && f.columns == 8));
  CHECK(f.tensor == tensor_scaling::per_row);
  CHECK(f.bound == tensor_bound::of_256);
  CHECK(format_spelled("e4m3:e8m0:1x32").format == block_formats::mxfp8_e4m3);
  CHECK(format_spelled("e2m1:ue4m3:16:tensor").format == block_formats::nvfp4);
  CHECK(spelling_of(format_spelled("e2m1:e8m0:32")) == "mxfp4");
  CHECK(format_spelled("int6:e8m0:32").format.element.width() == 6);
}

TEST_CASE("what_a_spelling_leaves_out_is_the_usual") {
  const auto element = [](const std::string& text) {
    return format_spelled(text + ":e8m0:32").format.element;
  };
  CHECK(element("e3m1") == format{3, 1, 3});
  CHECK(element("e1m2") == format{1, 2, 0});
  CHECK(element("e3m3fn") == format{3, 3, 3, specials::top_code});
  CHECK(element("e3m2ieee") == format{3, 2, 3, specials::ieee});
  CHECK(element("e3m4fnuz") == format{3, 4, 4, specials::fnuz});
  CHECK(element("e4m3@9fnuz") == format{4, 3, 9, specials::fnuz});
  for (int width = 3; width <= 8; ++width) {
    // Units of 2^-(width - 2), as INT8 counts 2^-6.
    const format f = element("int" + std::to_string(width));
    CHECK(f == format{1, width - 2, 1, specials::none, signedness::with_sign,
                      sign_form::twos_complement});
    CHECK(to_binary32(decode(f, 1U << (width - 2))) == 1.0F);
  }
  const block_format plain = format_spelled("e2m1:ue5m3:24").format;
  CHECK(plain == block_format{formats::e2m1, formats::ue5m3, 1, 24, scale_precision::stored,
                              tensor_scaling::none, tensor_bound::largest});
  const block_format by_row = format_spelled("e2m1:ue4m3:16:row").format;
  CHECK((by_row.tensor == tensor_scaling::per_row && by_row.bound == tensor_bound::largest));
  CHECK(format_spelled("mxfp4") == spelled_format{block_formats::mxfp4, {}, passes::once});
  corrections macro, fallback, scored, turned;
  macro.macro_block = 64;
  macro.macro_bits = 8;
  CHECK(format_spelled("mxfp4+mbs=64").corrections == macro);
  fallback.fallback = fallback_mode::all;
  fallback.alpha = 0.25F;
  CHECK(format_spelled("mxfp4+of=0.25").corrections == fallback);
  scored.fallback = fallback_mode::selective;
  scored.alpha = 1.0F;
  scored.score = fallback_score::amax;
  scored.threshold = 3.0F;
  scored.granule = 0;
  CHECK(format_spelled("mxfp4+of=1,amax:3").corrections == scored);
  turned.rotation = {64, rotation_signs::none, 0};
  CHECK(format_spelled("mxfp4+rotate=64").corrections == turned);
  turned.rotation.signs = rotation_signs::fixed;
  CHECK(format_spelled("mxfp4+rotate=64,fixed").corrections == turned);
  CHECK(format_spelled("mxfp4+gain=3/4").corrections.gain == pre_gain::three_quarters);
}

TEST_CASE("fnuz_elements_have_the_bias_of_the_published_ones") {
  const auto element = [](const std::string& text) {
    return format_spelled(text + ":e8m0:32").format.element;
  };
  for (int exponent = 1; exponent <= 6; ++exponent) {
    for (int fraction = exponent == 1 ? 1 : 0; exponent + fraction <= 7; ++fraction) {
      const std::string name =
          "e" + std::to_string(exponent) + "m" + std::to_string(fraction) + "fnuz";
      CAPTURE(name);
      CHECK(element(name) == format{exponent, fraction, 1 << (exponent - 1), specials::fnuz});
      CHECK(spelling_of(element(name)) == name);
    }
  }
  CHECK(element("e4m3fnuz") == formats::e4m3fnuz);
  CHECK(element("e5m2fnuz") == formats::e5m2fnuz);
}

TEST_CASE("elements_of_any_widths_come_back_from_their_spelling") {
  for (int exponent = 1; exponent <= 6; ++exponent) {
    for (int fraction = 0; fraction <= 6; ++fraction) {
      for (const char* suffix :
           {"", "fn", "ieee", "fnuz", "@3", "@7", "@15", "@3fn", "@3fnuz", "@4fnuz"}) {
        const std::string text =
            "e" + std::to_string(exponent) + "m" + std::to_string(fraction) + suffix + ":e8m0:32";
        if (!refused(text).empty()) continue;
        const spelled_format f = format_spelled(text);
        CAPTURE(text, spelling_of(f));
        CHECK(format_spelled(spelling_of(f)) == f);
      }
    }
  }
  for (int width = 3; width <= 8; ++width) {
    expect_round_trip(width == 8 ? "mxint8" : "int" + std::to_string(width) + ":e8m0:32");
  }
}

TEST_CASE("every_member_of_corrections_is_spelled") {
  corrections c;
  // One name for each member: a new one gets a value here, and a word.
  auto& [turn, gain, macro_block, macro_bits, fallback, alpha, score, threshold, granule] = c;
  turn = {32, rotation_signs::random, 77};
  gain = pre_gain::three_quarters;
  macro_block = 64, macro_bits = 5;
  fallback = fallback_mode::selective, alpha = 0.25F;
  score = fallback_score::crest, threshold = 4, granule = 128;
  const std::string text = spelling_of(spelled_format{block_formats::mxfp4, c});
  CHECK(format_spelled(text).corrections == c);
}

TEST_CASE("corrections_stand_in_any_order_and_come_back_in_one") {
  const spelled_format f =
      format_spelled("mxfp4+of=0.25,crest:4,64+mbs=128+double+gain=16/17+rotate=32,random:77");
  CHECK(f.passes == passes::twice);
  CHECK(f.corrections.alpha == 0.25F);
  CHECK(f.corrections.fallback == fallback_mode::selective);
  CHECK(f.corrections.score == fallback_score::crest);
  CHECK(f.corrections.threshold == 4.0F);
  CHECK(f.corrections.granule == 64);
  CHECK((f.corrections.macro_block == 128 && f.corrections.macro_bits == 8));
  CHECK(f.corrections.gain == pre_gain::sixteen_seventeenths);
  CHECK(f.corrections.rotation == rotation{32, rotation_signs::random, 77});
  CHECK(spelling_of(f) ==
        "mxfp4+double+rotate=32,random:77+gain=16/17+mbs=128,8+of=0.25,crest:4,64");
  for (const char* text : {"mxfp4+of=0.1", "nvfp4+rotate=16,fixed", "mxfp4+mbs=64,3+of=1,dead:0.05",
                           "mxint8+gain=3/4", "mxfp4+rotate=128"}) {
    expect_round_trip(text);
  }
}

TEST_CASE("what_is_wrong_is_told_with_what_was_expected") {
  CHECK(holds(refused("mxpf4"), "did you mean `mxfp4`"));
  CHECK(holds(refused("qqqqqq"), "there are: mxfp4"));
  CHECK(holds(refused("e2m1:e8m0"), "ELEMENT:SCALE:BLOCK"));
  CHECK(holds(refused("e2m9:e8m0:32"), "e2m9"));
  CHECK(holds(refused("e2m1:e8m17:32"), "e8m16"));
  CHECK(holds(refused("e2m1:e8m0:3 2"), "16x16"));
  CHECK(holds(refused("e2m1:e8m0:1x2x3"), "16x16"));
  CHECK(holds(refused("e2m1:e8m0:32:tensor128"), "tensor256"));
  CHECK(holds(refused("mxfp4+mbx=1"), "did you mean `mbs`"));
  CHECK(holds(refused("mxfp4+of=x"), "of=ALPHA"));
  CHECK(holds(refused("mxfp4+of=1,daed:1"), "did you mean `dead`"));
  CHECK(holds(refused("mxfp4+rotate=48"), "16, 32, 64 or 128"));
  CHECK(holds(refused("mxfp4+gain=1/2"), "gain=16/17"));
  // A second correction of a name would replace the first.
  for (const char* twice :
       {"mbs=64+mbs=128", "of=0.5+of=1", "gain=16/17+gain=3/4", "gain=3/4+of=1+gain=3/4",
        "rotate=32+rotate=16,fixed", "double+double"}) {
    const std::string text(twice), name = text.substr(0, text.find_first_of("=+"));
    CAPTURE(text);
    CHECK(holds(refused("mxfp4+" + text), "already has a correction `" + name + "`"));
  }
  for (const char* text :
       {"", "+", ":", "::", ":::", "mxfp4+", "mxfp4++", "e2m1:e8m0:", "e2m1:e8m0:-1x", "e:e8m0:32",
        "em:e8m0:32", "int:e8m0:32", "mxfp4+mbs=", "mxfp4+mbs=1,",
        "mxfp4+of=1,amax:", "mxfp4+rotate=16,random:",
        // One part too many.
        "mxfp4+of=1,amax:3,32,32", "mxfp4+of=1,amax:3:3", "mxfp4+mbs=64,8,8",
        "mxfp4+rotate=16,fixed,fixed", "mxfp4+double=1", "e2m1:ue4m3:16:tensor:row",
        // Beyond the limits of an element.
        "int2:e8m0:32", "int9:e8m0:32", "e7m0:e8m0:32", "e0m3:e8m0:32", "e1m0:e8m0:32",
        "e4m4:e8m0:32", "e2m1@65:e8m0:32", "e2m1@-33:e8m0:32", "e4m0ieee:e8m0:32",
        "e1m3ieee:e8m0:32"}) {
    CAPTURE(text);
    CHECK_FALSE(refused(text).empty());
  }
}

TEST_CASE("the_widest_and_narrowest_of_everything_is_taken") {
  for (const char* text :
       {"int3:e8m0:32", "e1m1:e8m0:32", "e6m1:e8m0:32", "e1m6:e8m0:32", "e2m1@64:e8m0:32",
        "e2m1@-32:e8m0:32", "e2m1ieee:e8m0:32", "e2m1:e8m16:32", "mxfp4+of=1,amax:3,32",
        "e2m1:ue5m3:16:tensor", "e2m1:ue5m3:16:row", "e2m1:ue5m3:16:tensor256",
        "e2m1:ue5m3:16:row256"}) {
    expect_round_trip(text);
  }
}

using names = std::vector<std::string_view>;

TEST_CASE("near_names_have_the_fewest_typing_errors") {
  const names rules{"floor", "floor6", "ceil", "rceil"};
  CHECK(near_names("flor", rules) == names{"floor"});
  CHECK(near_names("floor7", rules) == names{"floor", "floor6"});
  CHECK(near_names("rcel", rules) == names{"rceil"});
  CHECK(near_names("rciel", rules) == names{"rceil"});
  CHECK(near_names("xyzzy", rules).empty());
  CHECK(near_names("", rules).empty());
  // Up to a third of the typed characters may be wrong, and no more.
  CHECK(near_names("ceix", {"floor", "ceil"}) == names{"ceil"});
  CHECK(near_names("cexx", {"floor", "ceil"}).empty());
}

TEST_CASE("near_names_have_a_part_in_common") {
  const names models{"mxfp4",
                     "blackwell.mxf4",
                     "blackwell.mxf4nvf4",
                     "hopper.mma.e4m3.f32",
                     "hopper.wgmma.e4m3.f32",
                     "nearest-even",
                     "nearest-away"};
  CHECK(near_names("mxf4nvf4", models) == names{"blackwell.mxf4nvf4"});
  CHECK(near_names("mxf4", models) == names{"blackwell.mxf4"});
  CHECK(near_names("mxpf4", models) == names{"mxfp4"});
  CHECK(near_names("mxf4nvf5", models) == names{"blackwell.mxf4nvf4"});
  CHECK(near_names("e4m3.hopper", models) == names{"hopper.mma.e4m3.f32", "hopper.wgmma.e4m3.f32"});
  CHECK(near_names("nearest", models) == names{"nearest-even", "nearest-away"});
  CHECK(near_names("near", models) == names{"nearest-even", "nearest-away"});
  CHECK(near_names("fp4", models) == names{"mxfp4"});
  CHECK(near_names("nvf4", {"nvfp4", "mxfp4", "blackwell.mxf4nvf4"}) ==
        names{"nvfp4", "blackwell.mxf4nvf4"});
  CHECK(near_names("sm100.mxfp4", models) == names{"mxfp4"});
  CHECK(near_names("rce", {"floor", "rceil"}) == names{"rceil"});
  CHECK(near_names("fl", {"floor"}).empty());
}

TEST_CASE("an_unknown_name_is_refused_with_those_it_may_mean") {
  CHECK(mx::unknown_name("scale rule", "flor", {"floor", "floor6", "ceil"}) ==
        "there is no scale rule `flor`; did you mean `floor`? There are: floor floor6 ceil");
  CHECK(mx::no_such_name("model", "xyzzy", {"floor"}) == "there is no model `xyzzy`;");
  CHECK(mx::no_such_name("name", "a", {"a.1", "a.2", "a.3"}) ==
        "there is no name `a`; did you mean `a.1`, `a.2` or `a.3`?");
  CHECK(mx::no_such_name("name", "a", {"a.1", "a.2", "a.3", "a.4", "a.5"}) ==
        "there is no name `a`; did you mean `a.1`, `a.2`, `a.3` or one of 2 others?");
}

TEST_CASE("a_model_is_found_by_its_name_or_the_nearest_is_told") {
  CHECK(mx::model_spelled("blackwell.mxf4").name == "blackwell.mxf4");
  std::string why;
  try {
    (void)mx::model_spelled("blackwel.mxf4");
  } catch (const std::invalid_argument& error) {
    why = error.what();
  }
  CHECK(why.find("there is no model `blackwel.mxf4`; did you mean `blackwell.mxf4`?") == 0);
}

TEST_CASE("every_refusal_has_a_sentence_about_itself") {
  const std::pair<refusal, const char*> words[] = {
      {refusal::shape, "1048576"},
      {refusal::element, "8 bits"},
      {refusal::random_bits, "1 to 24"},
      {refusal::needs_e2m1, "e2m1"},
      {refusal::needs_fractions, "fraction bits, such"},
      {refusal::quest, "quest takes"},
      {refusal::search_range, "5 exponent bits"},
      {refusal::exact_rule, "exact scale"},
      {refusal::tensor_scale, "beside a tensor"}};
  CHECK(std::size(words) == static_cast<std::size_t>(refusal::tensor_scale));
  for (const auto& [why, part] : words) CHECK(holds(sentence_of(why), part));
  const std::pair<correction_refusal, const char*> others[] = {
      {correction_refusal::tile, "one row"},
      {correction_refusal::rotation, "16, 32, 64 or 128"},
      {correction_refusal::macro_block, "1 to 16 bits"},
      {correction_refusal::macro_rule, "follows from amax alone"},
      {correction_refusal::granule, "falls back together"},
      {correction_refusal::number, "alpha is"}};
  CHECK(std::size(others) == static_cast<std::size_t>(correction_refusal::number));
  for (const auto& [why, part] : others) CHECK(holds(sentence_of(why), part));
  gemm_plan plan{.model = model_spelled("blackwell.mxf4").model};
  plan.promote = 48, plan.split_k = 0, plan.output = formats::e4m3;
  const std::pair<gemm_refusal, const char*> of_plans[] = {
      {gemm_refusal::promote, "promote is 48; expected 0 or a multiple of the block, which is 32"},
      {gemm_refusal::split_k, "split_k is 0; expected 1 to 65536"},
      {gemm_refusal::c_format, "volta.mma.f16.f32"},
      {gemm_refusal::result, "the model gives f32"},
      {gemm_refusal::output, "the output is e4m3; expected f32, f16 or bf16"},
      {gemm_refusal::rounding, "without random bits"}};
  CHECK(std::size(of_plans) == static_cast<std::size_t>(gemm_refusal::rounding));
  for (const auto& [why, part] : of_plans) CHECK(holds(sentence_of(why, plan), part));
  CHECK(sentence_of(gemm_refusal::none, plan).empty());
  CHECK(sentence_of(refusal::none).empty());
  CHECK(sentence_of(correction_refusal::none).empty());
}

TEST_CASE("formats_of_numbers_and_scales_come_back_from_their_names") {
  for (const char* name : {"f16", "bf16", "tf32", "f32", "e2m1", "e4m3fnuz", "int8"}) {
    CHECK(number_format_name(number_format_spelled(name)) == name);
  }
  for (const char* name : {"e8m0", "ue4m3", "e8m3", "fp32"}) {
    CHECK(scale_format_name(scale_format_spelled(name)) == name);
  }
  for (const auto& [name, f] : {std::pair{"fp32", formats::binary32},
                                {"binary32", formats::binary32},
                                {"float32", formats::binary32},
                                {"fp16", formats::binary16},
                                {"binary16", formats::binary16},
                                {"float16", formats::binary16},
                                {"bfloat16", formats::bfloat16},
                                {"TF32", formats::tf32}}) {
    CHECK(number_format_spelled(name) == f);
  }
  CHECK(scale_format_spelled("ue8m0") == formats::e8m0);
  CHECK(scale_format_spelled("f32") == formats::binary32);
  CHECK(spelling_of(format_spelled("e4m3:f32:32")) == "e4m3:fp32:32");
  CHECK_THROWS_AS(format_spelled("e4m3:f16:32"), std::invalid_argument);
  CHECK_THROWS_AS(scale_format_spelled("exact"), std::invalid_argument);
  CHECK_THROWS_AS(number_format_spelled("e2m1:e8m0"), std::invalid_argument);
}

TEST_CASE("a_model_takes_the_formats_that_it_has_room_for") {
  const named_model& any = model_spelled("fp32.sequential");
  const dot_model m = model_for(any, {formats::e2m1, formats::e4m3, formats::ue4m3, 16});
  CHECK((m.a == formats::e2m1 && m.b == formats::e4m3 && m.block == 16));
  CHECK(model_for(any, {formats::tf32, formats::tf32, {}, 0}).unread_bits == 13);
  CHECK_THROWS_AS(model_for(any, {formats::tf32, formats::e4m3, {}, 0}), std::invalid_argument);
  const named_model& own = model_spelled("hopper.wgmma.e4m3.f32");
  CHECK(refusal_of(own, own.model.a, formats::e5m2).empty());
  CHECK(holds(refusal_of(own, own.model.a, formats::e2m1), "takes one of e4m3 e5m2"));
}

TEST_CASE("a_preset_is_found_by_name_and_has_its_formats") {
  const variant_entry& entry = variant_spelled("torchao.rceil");
  CHECK(format_of_variant(entry, {}) == entry.about.formats.front());
  CHECK(format_of_variant(entry, format_spelled("mxfp8-e4m3")) == block_formats::mxfp8_e4m3);
  CHECK_THROWS_AS(format_of_variant(entry, format_spelled("nvfp4")), std::invalid_argument);
  CHECK_THROWS_AS(format_of_variant(entry, format_spelled("mxfp4+gain=3/4")),
                  std::invalid_argument);
  CHECK_THROWS_AS(variant_spelled("torchao.rcei"), std::invalid_argument);
}

TEST_CASE("a_decimal_is_the_shortest_that_reads_back") {
  CHECK(decimal_text(0.0F) == "0");
  CHECK(decimal_text(-0.0F) == "-0");
  CHECK(decimal_text(0.1F) == "0.1");
  CHECK(decimal_text(-1.5F) == "-1.5");
  CHECK(decimal_text(448.0F) == "448");
  CHECK(decimal_text(16777216.0F) == "16777216");
  CHECK(decimal_text(0x1p-149F) == "1e-45");
  CHECK(decimal_text(1e-4F) == "0.0001");
  CHECK(decimal_text(9.999e-5F) == "9.999e-05");
  CHECK(decimal_text(1e15F) == "1000000000000000");
  CHECK(decimal_text(1e16F) == "1e+16");
  CHECK(decimal_text(0x1.fffffep+127F) == "3.4028235e+38");
  CHECK(decimal_text(float_of(0x7F800000)) == "Inf");
  CHECK(decimal_text(float_of(0xFF800000)) == "-Inf");
  CHECK(decimal_text(float_of(0xFFC00000)) == "NaN");
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 10007) {
    const float x = float_of(bits);
    CAPTURE(bits);
    REQUIRE(bits_of(std::strtof(decimal_text(x).c_str(), nullptr)) == bits);
  }
}
