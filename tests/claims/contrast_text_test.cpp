// SPDX-License-Identifier: Apache-2.0
// tests/claims/contrast_text_test.cpp: contrasts that are read, and texts that are none.
#include "sim/claims/contrast_text.h"

#include "catch.h"

namespace {

std::string back(const char* text) {
  const auto c = sim::contrast_in(text);
  if (!c) return "none";
  std::string result;
  for (const auto& t : c->terms) result += std::to_string(t.weight).substr(0, 5) + "*" + t.of + " ";
  return result;
}

}  // namespace

TEST_CASE("names_hold_signs_and_words_stand_apart") {
  CHECK(back("mbs+of+aqn - inj-s") == "1.000*mbs+of+aqn -1.00*inj-s ");
  CHECK(back("- 0.2 mxfp4  + 2 4over6") == "-0.20*mxfp4 2.000*4over6 ");
  CHECK(back("0.5 fp32") == "0.500*fp32 ");
  CHECK(back("a - -0.5 b") == "1.000*a 0.500*b ");
}

TEST_CASE("other_texts_are_no_contrasts") {
  for (const char* text : {"", " ", "-", "+ a", "a b", "a -", "a - - b", "x a", "nan a", "inf a",
                           "1e400 a", "a - b c"}) {
    CAPTURE(text);
    CHECK(back(text) == "none");
  }
}
