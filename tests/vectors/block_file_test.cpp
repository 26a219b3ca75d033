// SPDX-License-Identifier: Apache-2.0
// tests/vectors/block_file_test.cpp: requirements of a file of blocks, and refusals.
#include "golden/vectors/block_file.h"

#include "catch.h"

namespace {

using golden::words::block_file;
using golden::words::parsed_blocks;
using codes = std::vector<std::uint32_t>;

const std::string head =
    "# what it is\nversion 1\nformat mxfp4\nrule floor\nrounding stochastic\nrandom 7 8\n"
    "tensor_scale 3f800000\nelements 2\n";
const std::string wide = "input fp32\nblocks 1\na 3f80000000000001 7f f0 3f80000000000000\n";

std::string refusal_of(const std::string& text) {
  try {
    (void)parsed_blocks("file.txt", text);
  } catch (const golden::words::word_file_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a_file_of_blocks_gives_names_and_codes") {
  const block_file file = parsed_blocks(
      "file.txt",
      head + wide + "input bf16\nblocks 1\nb 3f800001 00000080 f00a 0000000180000000\n");
  CHECK((file.format == "mxfp4" && file.rule == "floor" && file.rounding == "stochastic"));
  CHECK((file.seed == 7 && file.bits == 8 && file.tensor_scale == 0x3F800000));
  REQUIRE(file.sections.size() == 2);
  const auto& first = file.sections[0].blocks.at(0);
  CHECK((first.label == "a" && first.scale == 0x7F));
  CHECK(first.x == codes{0x3F800000, 1});
  CHECK(first.codes == codes{15, 0});
  CHECK(first.values == codes{0x3F800000, 0});
  const auto& second = file.sections[1].blocks.at(0);
  CHECK(second.x == codes{0x3F80, 1});
  CHECK((second.scale == 0x80 && second.codes == codes{0xF0, 0x0A}));
  CHECK(second.values == codes{1, 0x80000000});
}

TEST_CASE("files_of_blocks_that_are_malformed_are_refused") {
  CHECK(refusal_of(head) == "file.txt:9: the file ends too early");
  CHECK(refusal_of("version 1\nrule floor\n") == "file.txt:2: expected `format ...`");
  CHECK(refusal_of(head + "input fp8\nblocks 1\n") == "file.txt:9: `fp8` is no input");
  CHECK(refusal_of(head + "input fp32\nblocks 0\n") == "file.txt:10: `0` is no count");
  const auto line = [](const std::string& text) {
    return refusal_of(head + "input fp16\nblocks 2\n" + text + "\n");
  };
  CHECK(line("a 00000000 7f 00") == "file.txt:11: expected label, x, scale, codes, values");
  CHECK(line(" 00000000 7f 00 0000000000000000") == "file.txt:11: no label");
  CHECK(line("a 0000 7f 00 0000000000000000") == "file.txt:11: expected 2 codes of 4 digits");
  CHECK(line("a 00000000 7 00 0000000000000000") == "file.txt:11: expected 1 codes of 2 digits");
  CHECK(line("a 0000000G 7f 00 0000000000000000") ==
        "file.txt:11: a letter that is no hexadecimal digit");
  CHECK(line("a 00000000 7f 00 0000000000000000\na 00000000 7f 00 0000000000000000") ==
        "file.txt:12: a label appears twice");
  CHECK(refusal_of("version 1\nformat a\nrule b\nrounding c\nrandom 7\n") ==
        "file.txt:5: expected `random SEED BITS`");
}

}  // namespace
