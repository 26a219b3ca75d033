// SPDX-License-Identifier: Apache-2.0
// tests/vectors/wrong_models_test.cpp: the committed words distinguish every model from those with
// one wrong parameter.
#include "catch.h"
#include "core_replay.h"
#include "mutations.h"

namespace {

/// Whether a mutation is a model, and how many words detect it.
struct outcome {
  bool applies = false;
  std::size_t told_by = 0;
};

outcome outcome_of(const test::mutation& mutation, const test::word_file& file) {
  outcome found;
  for (const test::word_section& section : file.sections) {
    mx::dot_model model = test::core_model(file.model, section.operands);
    if (!mutation.apply(model) || !mx::is_sound(model)) continue;
    found.applies = true;
    found.told_by += test::mismatches(model, section);
  }
  return found;
}

TEST_CASE("a_model_that_is_wrong_in_one_parameter_gives_other_bits_for_a_committed_word") {
  const std::vector<test::word_file> files = test::committed_words();
  for (const test::mutation& mutation : test::mutations()) {
    std::size_t models = 0;
    for (const test::word_file& file : files) {
      const outcome found = outcome_of(mutation, file);
      INFO(file.model << ", " << mutation.name);
      CHECK((found.told_by > 0 || !found.applies));
      models += found.applies ? 1 : 0;
    }
    INFO(mutation.name);
    CHECK(models > 0);
  }
}

}  // namespace
