// SPDX-License-Identifier: Apache-2.0
// tests/vectors/core_words_test.cpp: the emulator reproduces the bits of every committed word.
#include <iostream>
#include <set>

#include "catch.h"
#include "core_replay.h"

namespace {

TEST_CASE("the_core_gives_the_bits_of_every_committed_word") {
  std::size_t words = 0;
  for (const test::word_file& file : test::committed_words()) {
    for (const test::word_section& section : file.sections) {
      const mx::dot_model model = test::core_model(file.model, section.operands);
      for (const test::dot_word& word : section.words) {
        const std::uint32_t d = test::core_result(model, word);
        INFO(file.name << ":" << word.line << ": " << word.label << std::hex << ": " << d
                       << " instead of " << word.d);
        CHECK(d == word.d);
        ++words;
      }
    }
  }
  std::cout << words << " committed words\n";
}

TEST_CASE("every_model_has_committed_words_and_its_evidence_stands_there") {
  std::set<std::string> names;
  for (const test::word_file& file : test::committed_words()) {
    INFO(file.name);
    CHECK(file.name == file.model + ".txt");
    const mx::named_model* known = mx::any_model_named(file.model);
    REQUIRE(known != nullptr);
    CHECK(file.evidence == mx::name_of(known->rests_on));
    names.insert(file.model);
  }
  CHECK(names.size() == mx::model_table.size() + mx::first_step_model_table.size());
}

}  // namespace
