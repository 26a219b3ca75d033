// SPDX-License-Identifier: Apache-2.0
// tests/vectors/word_file_test.cpp: requirements of a file of words, and refusals.
#include "committed_words.h"

#include "catch.h"

namespace {

using test::parsed_words;
using codes = std::vector<std::uint32_t>;

const std::string head = "# what it is\n# more\nversion 1\nmodel m\nevidence one model\n";
const std::string scaled = head + "operands e2m1 e3m2 fp32 e8m0/2\nwords 1\n";
const std::string plain = head + "operands fp16 tf32 fp16\nwords 1\n";

std::string refusal_of(const std::string& text) {
  try {
    (void)parsed_words("file.txt", text);
  } catch (const test::word_file_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a_file_gives_names_codes_and_results") {
  const auto file =
      parsed_words("file.txt", scaled + "x f01 003f10 7fff 8001 00000001 80000002\n" +
                                   "operands fp16 tf32 fp16\nwords 2\n"
                                   "y 3c00 3f800000 0001 8000\nz 0000 00001fff 0000 0000\n");
  CHECK(file.model == "m");
  CHECK(file.evidence == "one model");
  REQUIRE(file.sections.size() == 2);
  CHECK(file.sections[0].operands.scale == "e8m0");
  CHECK(file.sections[0].operands.block == 2);
  CHECK(file.sections[1].operands.block == 0);
  const test::dot_word& word = file.sections[0].words.at(0);
  CHECK(word.label == "x");
  CHECK(word.line == 8);
  CHECK(word.a == codes{15, 0, 1});
  CHECK(word.b == codes{0, 0x3f, 0x10});
  CHECK(word.scale_a == codes{0x7f, 0xff});
  CHECK(word.scale_b == codes{0x80, 1});
  CHECK((word.c == 1 && word.d == 0x80000002));
  CHECK(file.sections[1].words.at(1).b == codes{0x1fff});
}

TEST_CASE("a_file_without_its_head_is_refused") {
  CHECK(refusal_of("") == "file.txt:1: the file ends too early");
  CHECK(refusal_of("# a\n") == "file.txt:2: the file ends too early");
  CHECK(refusal_of("version 2\n") == "file.txt:1: expected `version 1`");
  CHECK(refusal_of("version 1\nmodel\n") == "file.txt:2: expected `model ...`");
  CHECK(refusal_of("version 1\nmodel m\nwords 1\n") == "file.txt:3: expected `evidence ...`");
  CHECK(refusal_of(head) == "file.txt:6: the file ends too early");
  CHECK(refusal_of(head + "words 1\n") == "file.txt:6: expected `operands ...`");
}

TEST_CASE("operands_that_are_none_are_refused") {
  const auto refused = [](const std::string& operands) {
    return refusal_of(head + "operands " + operands + "\nwords 1\n");
  };
  CHECK(refused("fp16 fp16") == "file.txt:6: expected three formats, or one of scales too");
  CHECK(refused("fp16 fp15 fp32") == "file.txt:6: `fp15` is no format here");
  CHECK(refused("fp16  fp16 fp32") == "file.txt:6: `` is no format here");
  CHECK(refused("e8m0 fp16 fp32") == "file.txt:6: `e8m0` is no format here");
  CHECK(refused("fp16 fp16 fp32 e8m0") == "file.txt:6: expected SCALE/BLOCK");
  CHECK(refused("fp16 fp16 fp32 fp16/2") == "file.txt:6: `fp16` is no format here");
  CHECK(refused("fp16 fp16 fp32 e8m0/0") == "file.txt:6: `0` is no count");
  CHECK(refused("fp16 fp16 fp32 e8m0/3x") == "file.txt:6: `3x` is no count");
}

TEST_CASE("a_file_that_holds_fewer_or_more_words_than_it_says_is_refused") {
  const std::string word = "x 3c00 3f800000 0001 8000";
  CHECK(refusal_of(plain + word + "\n") == "accepted");
  CHECK(refusal_of(plain) == "file.txt:8: the file ends too early");
  CHECK(refusal_of(plain + word) == "file.txt:8: the last line does not end");
  CHECK(refusal_of(plain + word + "\n\n") == "file.txt:9: expected `operands ...`");
  CHECK(refusal_of(plain + word + "\n" + word + "\n") == "file.txt:9: expected `operands ...`");
  CHECK(refusal_of(head + "operands fp16 tf32 fp16\nwords 2\n" + word + "\n" + word + "\n") ==
        "file.txt:9: a label appears twice");
  CHECK(refusal_of(head + "operands fp16 tf32 fp16\nwords -1\n") == "file.txt:7: `-1` is no count");
}

TEST_CASE("a_word_that_is_none_is_refused") {
  const auto refused = [](const std::string& word) { return refusal_of(plain + word + "\n"); };
  const std::string fields = "file.txt:8: expected label, a, b, scales if any, c, d";
  CHECK(refused("x 3c00 3f800000 0001") == fields);
  CHECK(refused("x 3c00 3f800000 7f 7f 0001 8000") == fields);
  CHECK(refused("x 3c00 3f800000 0001 8000 ") == fields);
  CHECK(refused(" 3c00 3f800000 0001 8000") == "file.txt:8: no label");
  CHECK(refused("x 3c0 3f800000 0001 8000") == "file.txt:8: half a code of fp16");
  CHECK(refused("x  3f800000 0001 8000") == "file.txt:8: half a code of fp16");
  CHECK(refused("x 3C00 3f800000 0001 8000") ==
        "file.txt:8: a letter that is no hexadecimal digit");
  CHECK(refused("x 3c003c00 3f800000 0001 8000") == "file.txt:8: a and b differ in length");
  CHECK(refused("x 3c00 3f800000 00010001 8000") == "file.txt:8: c and d are one code each");
  CHECK(refused("x 3c00 3f800000 0001 80008000") == "file.txt:8: c and d are one code each");
}

TEST_CASE("scales_that_do_not_fit_are_refused") {
  const auto refused = [](const std::string& word) {
    return refusal_of(scaled + word + " 00000000 00000000\n");
  };
  CHECK(refused("x f01 003f10 7fff 8001") == "accepted");
  CHECK(refused("x f01 004010 7fff 8001") == "file.txt:8: a code beyond e3m2");
  CHECK(refused("x f01 003f10 7f 8001") == "file.txt:8: expected 2 scales for each side");
  CHECK(refused("x f01 003f10 7fff 800101") == "file.txt:8: expected 2 scales for each side");
  CHECK(refused("x f01 003f10 7ff 8001") == "file.txt:8: half a code of e8m0");
}

}  // namespace
