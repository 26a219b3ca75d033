// SPDX-License-Identifier: Apache-2.0
// tests/pretrained/byte_level_test.cpp: tokens of byte-level BPE as bytes, and answers that are
// texts of several tokens which are no text by themselves.
#include "sim/task/byte_level.h"

#include <set>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/task/problem_file.h"

TEST_CASE("printing_characters_stand_for_themselves_and_others_for_characters_from_256_on") {
  CHECK(sim::bytes_of_token("abc~!") == "abc~!");
  CHECK(sim::bytes_of_token("\u0120the\u010A") == " the\n");
  CHECK(sim::bytes_of_token("\u0100\u0121\u0142\u0143") == std::string("\0\x7F\xA0\xAD", 4));
  CHECK(sim::bytes_of_token("\u00C3\u00A9") == "\u00E9");
  CHECK(sim::bytes_of_token("") == "");
}

TEST_CASE("the_alphabet_has_one_character_for_every_byte") {
  std::set<std::string> bytes;
  for (unsigned c = 0x21; c < 0x800; ++c) {
    std::string character(1, static_cast<char>(c));
    if (c >= 0x80) {
      character = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    }
    const auto found = sim::bytes_of_token(character);
    if (found) CHECK(bytes.insert(*found).second);
  }
  CHECK(bytes.size() == 256);
}

TEST_CASE("characters_outside_of_the_alphabet_are_none") {
  for (const char* token : {" ", "\n", "\u00AD", "\u0144", "\u20AC", "\xC4", "a\x80"}) {
    CHECK_FALSE(sim::bytes_of_token(token));
  }
}

TEST_CASE("an_answer_is_the_text_of_all_its_tokens") {
  const test::scratch_folder scratch;
  std::string text =
      "{\"end\": 3, \"alphabet\": \"byte-level\", \"text\": [\"\u00C3\", \"\u00A9\", \"\u0120x\", \"\"], "
      "\"verify\": {\"compare\": \"text\"}, \"vocabulary\": 4}\n";
  for (int i = 0; i < 8; ++i) {
    text += "{\"prompt\": [0, " + std::to_string(i) + "], \"answer\": \"\u00E9 x\"}\n";
  }
  test::put_contents(scratch / "p.jsonl", text);
  const sim::problem_list list = sim::read_problems(scratch / "p.jsonl");
  CHECK(list.answer_of({0, 1, 2, 3}).text == "\u00E9 x");
  CHECK(sim::score_of(list.rule, list.answer_of({0, 1, 2, 3}), list.problems[0].right) == 1);
  CHECK(list.vocabulary == 4);
  text.replace(text.find("\u0120x"), 2, " ");
  test::put_contents(scratch / "p.jsonl", text);
  CHECK_THROWS_AS(sim::read_problems(scratch / "p.jsonl"), sim::problem_error);
}
