// SPDX-License-Identifier: Apache-2.0
#include "mx/spelling.h"
#include "mx/models.h"

#include <stdexcept>

#include "catch.h"
#include "mx/names.h"

namespace {

using namespace mx;

/// What a text is refused with; empty where it is taken.
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

TEST_CASE("elements_of_any_widths_come_back_from_their_spelling") {
  for (int exponent = 1; exponent <= 6; ++exponent) {
    for (int fraction = 0; fraction <= 6; ++fraction) {
      for (const char* suffix : {"", "fn", "ieee", "fnuz", "@3", "@7", "@15", "@3fn"}) {
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
  for (const char* text :
       {"", "+", ":", "::", ":::", "mxfp4+", "mxfp4++", "e2m1:e8m0:", "e2m1:e8m0:-1x", "e:e8m0:32",
        "em:e8m0:32", "int:e8m0:32", "mxfp4+mbs=", "mxfp4+mbs=1,",
        "mxfp4+of=1,amax:", "mxfp4+rotate=16,random:"}) {
    CAPTURE(text);
    CHECK_FALSE(refused(text).empty());
  }
}

TEST_CASE("the_nearest_name_is_the_one_with_the_fewest_typing_errors") {
  const std::vector<std::string_view> names{"floor", "floor6", "ceil", "rceil"};
  CHECK(nearest_name("flor", names) == "floor");
  CHECK(nearest_name("floor7", names) == "floor");
  CHECK(nearest_name("rcel", names) == "rceil");
  CHECK(nearest_name("xyzzy", names).empty());
  CHECK(nearest_name("rce", names) == "rceil");
  CHECK(nearest_name("", names).empty());
  CHECK(unknown_name("scale rule", "flor", names) ==
        "there is no scale rule `flor`; did you mean `floor`? There are: floor floor6 ceil rceil");
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

TEST_CASE("every_refusal_has_a_sentence") {
  for (int why = 1; why <= static_cast<int>(refusal::tensor_scale); ++why) {
    CHECK_FALSE(sentence_of(static_cast<refusal>(why)).empty());
  }
  for (int why = 1; why <= static_cast<int>(correction_refusal::number); ++why) {
    CHECK_FALSE(sentence_of(static_cast<correction_refusal>(why)).empty());
  }
  CHECK(sentence_of(refusal::none).empty());
  CHECK(sentence_of(correction_refusal::none).empty());
}
