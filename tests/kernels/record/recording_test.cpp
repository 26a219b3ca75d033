// SPDX-License-Identifier: Apache-2.0
// tests/kernels/record/recording_test.cpp: a recorder writes the device's results in the format of
// committed words; the registers of a warp that hold a word.
#include "recording.h"

#include <stdexcept>

#include "catch.h"
#include "instruction_runs.h"
#include "warp_fragments.h"

using namespace mx::kernels;

namespace {

const std::string text =
    "# head\n# more\nversion 1\nmodel some.model\nevidence one model\noperands e2m1 e2m1 fp32 "
    "e8m0/32\nwords 2\nfirst 12 34 7f 80 3f800000 40000000\nsecond 0 0 00 ff 00000000 7fffffff\n";
const device_facts facts{"Some GPU 80GB", "9.0", "13.0", "13.0", "2026-01-02"};

}  // namespace

TEST_CASE("a_recording_has_the_words_with_the_bits_of_the_device") {
  const auto words = golden::words::parsed_words("some.model.txt", text);
  const std::string recorded = recorded_text(text, words, {0x12345678, 0xAB}, facts);
  const auto read = golden::words::parsed_words("some.model.txt", recorded);
  REQUIRE(read.sections.size() == 1);
  CHECK(read.sections[0].words[0].d == 0x12345678);
  CHECK(read.sections[0].words[1].d == 0xAB);
  CHECK(read.sections[0].words[0].a == words.sections[0].words[0].a);
  CHECK(read.sections[0].words[1].scale_b == words.sections[0].words[1].scale_b);
  CHECK(read.evidence == "recorded on Some GPU 80GB");
  for (const std::string fact : {"# device Some GPU 80GB, compute capability 9.0\n",
                                 "# driver 13.0, runtime 13.0\n", "# date 2026-01-02\n"}) {
    CHECK(recorded.find(fact) != std::string::npos);
  }
  CHECK(recorded.find("# head") == std::string::npos);
}

TEST_CASE("a_recording_needs_a_result_for_every_word") {
  const auto words = golden::words::parsed_words("some.model.txt", text);
  CHECK_THROWS_AS(recorded_text(text, words, {1}, facts), std::invalid_argument);
  CHECK_THROWS_AS(recorded_text(text, words, {1, 2, 3}, facts), std::invalid_argument);
}

TEST_CASE("a_device_names_a_folder") {
  CHECK(folder_name("NVIDIA H200 (141 GB) ") == "nvidia-h200-141-gb");
  CHECK(folder_name("../x") == "x");
}

TEST_CASE("four_lanes_hold_row_and_column_of_a_word") {
  std::uint32_t codes[64];
  for (std::uint32_t i = 0; i < 64; ++i) codes[i] = i % 15 + 1;
  const fragment<4> fp8 = row_fragment(codes, 32, 0, {8}, 2);
  CHECK(fp8.word[0] == 0x0C0B0A09);  // k = 8 to 11
  CHECK(fp8.word[1] == 0);
  CHECK(fp8.word[2] == 0x0D0C0B0A);  // k = 24 to 27
  const fragment<2> fp4 = column_fragment(codes, 64, 0, {4}, 1);
  CHECK(fp4.word[0] == 0x1FEDCBA9);  // k = 8 to 15
  const fragment<4> tf32 = row_fragment(codes, 64, 8, {32}, 3);
  CHECK(tf32.word[0] == codes[11]);
  CHECK(tf32.word[2] == codes[15]);
  for (int lane = 4; lane < 32; ++lane) CHECK(row_fragment(codes, 64, 0, {8}, lane).word[0] == 0);
}

TEST_CASE("four_bits_lie_in_the_middle_of_a_byte_where_widths_are_mixed") {
  const std::uint32_t codes[] = {1, 2, 7, 15, 3};
  CHECK(packed_from(codes, 5, 0, {8, 2}) == 0x3C1C0804);
  CHECK(packed_from(codes, 5, 4, {8, 2}) == 0x0000000C);
}

TEST_CASE("behind_the_end_of_a_word_there_are_zeros") {
  const std::uint32_t codes[] = {1, 2, 3, 4, 5};
  CHECK(row_fragment(codes, 5, 0, {8}, 1).word[0] == 0x00000005);
  CHECK(row_fragment(codes, 5, 0, {8}, 2).word[0] == 0);
  CHECK(packed_from(codes, 5, 4, {32}) == 5);
  CHECK(packed_from(codes, 5, 7, {16}) == 0);
}

TEST_CASE("a_run_over_all_instructions_is_done_only_if_one_was_recorded_and_none_failed") {
  const auto run = [](std::vector<int> ends) {
    ends.push_back(no_more);
    std::size_t asked = 0;
    const int status = run_instructions([&](std::size_t i) {
      CHECK(i == asked++);
      return ends.at(i);
    });
    return status;
  };
  CHECK(run({recorded, recorded}) == recorded);
  CHECK(run({not_recorded, recorded}) == recorded);
  CHECK(run({not_recorded, not_recorded}) == failed);
  CHECK(run({}) == failed);
  CHECK(run({recorded, 134, recorded}) == failed);
  CHECK(run({no_device}) == failed);
  CHECK(run_instructions([](std::size_t) { return static_cast<int>(recorded); }) == recorded);
}
