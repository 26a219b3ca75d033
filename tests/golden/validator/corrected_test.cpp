// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/corrected_test.cpp: tensors with corrections or two passes, diagnosed by
// the common search.
#include "catch.h"

#include "golden/validator/places/places_words.h"
#include "golden/validator/tensor/diagnosis_words.h"
#include "golden/validator/tensor/whole_arrays.h"
#include "mx/recipe_words.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

hypothesis of_words(const char* format) {
  hypothesis h;
  mx::recipe_words words;
  words.format = format;
  h.recipe = mx::recipe_spelled(words);
  h.axes = 2;
  return h;
}

/// A tensor, and the arrays that a kernel computed from it.
struct made_tensor {
  probe_input input = rows_of(mx::block_formats::mxfp4, 4);
  whole_arrays made;

  explicit made_tensor(const hypothesis& kernel) {
    subject s = given();
    made = whole_arrays_of(kernel, s);
  }
  [[nodiscard]] diagnosis judge(const hypothesis& declared) const {
    subject s = given();
    s.codes = made.first.codes, s.scales = made.first.scales;
    s.macro_fractions = made.first.macro_fractions;
    s.residual = {made.residual.codes, made.residual.scales, made.residual.macro_fractions};
    s.tensor_scales = made.tensor_scales;
    return diagnose(declared, {&s, 1});
  }

 private:
  [[nodiscard]] subject given() const {
    subject s;
    s.shape = input.shape;
    s.values = {reinterpret_cast<const std::uint8_t*>(input.values.data()),
                input.values.size() * sizeof(float)};
    return s;
  }
};

constexpr const char* forms[] = {"mxfp8-e4m3+gain=3/4", "mxfp8-e4m3+rotate=64", "mxfp8-e4m3+double",
                                 "mxfp8-e4m3+mbs=64", "mxfp8-e4m3+of=0.5+mbs=64"};

}  // namespace

TEST_CASE("every form of corrections is exact, and explained by one change") {
  for (const char* form : forms) {
    INFO(form);
    const hypothesis declared = of_words(form);
    CHECK(made_tensor(declared).judge(declared).verdict == verdict::exact);
    hypothesis kernel = declared;
    kernel.recipe.rules.rule = mx::scale_rule::rceil;
    const diagnosis by_rule = made_tensor(kernel).judge(declared);
    REQUIRE(by_rule.explanation);
    CHECK(by_rule.explanation->kernel == kernel);
    kernel = declared;
    kernel.recipe.rules.format.element = mx::formats::e5m2;
    const diagnosis by_element = made_tensor(kernel).judge(declared);
    REQUIRE(by_element.explanation);
    CHECK(by_element.explanation->changes.front().dimension == name_of(dimension::element_format));
  }
}

TEST_CASE("the arrays of a correction that is left out hold zeros") {
  const hypothesis declared = of_words("mxfp8-e4m3+of=0.5");
  const hypothesis without = of_words("mxfp8-e4m3");
  made_tensor tensor(without);
  tensor.made.residual = made_tensor(declared).made.residual;
  for (std::uint8_t& code : tensor.made.residual.codes) code = 0;
  const diagnosis d = tensor.judge(declared);
  REQUIRE(d.explanation);
  CHECK(d.explanation->changes.front() ==
        change{name_of(dimension::variant), "mxfp8-e4m3+of=0.5", "mxfp8-e4m3"});
  tensor.made.residual.codes.back() = 1;
  CHECK(tensor.judge(declared).verdict == verdict::unexplained);
}

TEST_CASE("a difference of the residual alone is named by its array") {
  const hypothesis declared = of_words("mxfp8-e4m3+of=0.5+mbs=64");
  made_tensor tensor(declared);
  tensor.made.residual.codes[70] ^= 1;
  const comparison of_code = tensor.judge(declared).tensors.front().found;
  CHECK(of_code.what == differing::residual_code);
  REQUIRE(of_code.first);
  CHECK(of_code.first->element == 70);
  tensor = made_tensor(declared);
  tensor.made.residual.macro_fractions[1] ^= 1;
  CHECK(tensor.judge(declared).tensors.front().found.what == differing::residual_macro_fractions);
}

TEST_CASE("a macro fraction that differs makes mismatches of its macro block, in either pass") {
  const hypothesis declared = of_words("mxfp8-e4m3+of=0.5+mbs=64");
  made_tensor tensor(declared);
  const auto judged = [&] { return tensor.judge(declared).tensors.front(); };
  tensor.made.first.macro_fractions[5] ^= 1;  // the second of row 1
  CHECK(judged().found.mismatches == 64);
  CHECK(pattern_text(judged().found.where) == "row 1, columns 64..127");
  CHECK(where_text(judged()) == "macro fraction in row 1, columns 64..127");
  tensor.made.residual.macro_fractions[5] ^= 1;
  tensor.made.residual.macro_fractions[9] ^= 1;
  tensor.made.residual.codes[256 + 64] ^= 1;  // of an element under both
  CHECK(judged().found.mismatches == 128);
  CHECK(where_text(judged()) ==
        "residual.codes in row 1, column 64; macro fractions in rows 1..2, columns 64..127");
  for (std::uint8_t& fraction : tensor.made.first.macro_fractions) fraction ^= 1;
  CHECK(judged().found.mismatches == judged().elements);
  CHECK(pattern_text(judged().found.where) == "all");
  tensor = made_tensor(declared);
  for (auto* scales : {&tensor.made.first.scales, &tensor.made.residual.scales}) {
    for (std::uint8_t& scale : *scales) scale ^= 1;
  }
  CHECK(judged().found.mismatches == judged().elements);  // each once
}

TEST_CASE("a tensor scale that the format lacks is above every block, beside a macro fraction too") {
  const hypothesis declared = of_words("e4m3:ue4m3:16+mbs=32,8");
  made_tensor tensor(declared);
  tensor.made.tensor_scales = {2};
  tensor.made.first.macro_fractions[1] ^= 1;
  const tensor_result judged = tensor.judge(declared).tensors.front();
  CHECK(judged.found.mismatches == judged.elements);
  CHECK(where_text(judged).empty());
}

}  // namespace golden::validator
