// SPDX-License-Identifier: Apache-2.0
// tests/vectors/recordings_test.cpp: the emulator reproduces the bits recorded on devices
// (kernels/record).
#include <iostream>

#include "catch.h"
#include "conversion_words.h"
#include "core_replay.h"
#include "integer_words.h"

namespace {

namespace fs = std::filesystem;

/// The folders of golden/recordings, one a device.
std::vector<fs::path> recorded_devices() {
  std::vector<fs::path> folders;
  const fs::path all = test::golden_folder("recordings");
  if (!fs::exists(all)) return folders;
  for (const auto& entry : fs::directory_iterator(all)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

/// c + sum of a[k] b[k] modulo 2^32, of bytes in two's complement.
std::uint32_t sum_of_bytes(const test::dot_word& word) {
  std::int64_t sum = word.c;
  for (std::size_t k = 0; k < word.a.size(); ++k) {
    sum += static_cast<std::int8_t>(word.a[k]) * static_cast<std::int8_t>(word.b[k]);
  }
  return static_cast<std::uint32_t>(sum);
}

void replay_integers(const test::word_file& file) {
  for (const test::word_section& section : file.sections) {
    for (const test::dot_word& word : section.words) {
      INFO(file.name << ":" << word.line << ": " << word.label);
      CHECK(sum_of_bytes(word) == word.d);
    }
  }
}

void replay_conversions(const test::word_file& file) {
  for (const test::word_section& section : file.sections) {
    for (const test::dot_word& word : section.words) {
      INFO(file.name << ":" << word.line << ": " << word.label);
      CHECK(mx::kernels::converted(file.model, word.a, word.c) == word.d);
    }
  }
}

void replay(const test::word_file& file) {
  if (mx::kernels::is_integer_model(file.model)) return replay_integers(file);
  if (mx::kernels::is_conversion_model(file.model)) return replay_conversions(file);
  for (const test::word_section& section : file.sections) {
    const mx::dot_model model = test::core_model(file.model, section.operands);
    for (const test::dot_word& word : section.words) {
      INFO(file.name << ":" << word.line << ": " << word.label);
      CHECK(test::core_result(model, word) == word.d);
    }
  }
}

TEST_CASE("words_of_integers_have_the_sums_of_their_bytes") {
  const std::string text = mx::kernels::integer_words("mma.s8.s32");
  const test::word_file file = golden::words::parsed_words("mma.s8.s32.txt", text);
  REQUIRE(file.sections.size() == 1);
  CHECK(file.sections[0].words.size() == 31);
  replay(file);
}

TEST_CASE("words_of_conversions_have_the_codes_of_the_manual") {
  for (const std::string model : {"cvt.rs.e2m1x4.f32", "cvt.rn.e2m1x2.f32"}) {
    const test::word_file file =
        golden::words::parsed_words(model + ".txt", mx::kernels::conversion_words(model));
    REQUIRE(file.sections.size() == 1);
    CHECK(file.sections[0].words.size() == (model == "cvt.rs.e2m1x4.f32" ? 164 : 105));
    replay(file);
  }
  const auto one = [](const std::vector<float>& x, std::uint32_t random) {
    std::vector<std::uint32_t> bits;
    for (const float number : x) bits.push_back(mx::bits_of(number));
    return mx::kernels::converted(x.size() == 4 ? "cvt.rs.e2m1x4.f32" : "cvt.rn.e2m1x2.f32", bits,
                                  random);
  };
  // The element that each byte rounds: mx::byte_map::ptx.
  CHECK(one({.25F, .25F, .25F, .25F}, 0x00000080) == 0x0001);
  CHECK(one({.25F, .25F, .25F, .25F}, 0x00800000) == 0x0010);
  CHECK(one({.25F, .25F, .25F, .25F}, 0x00008000) == 0x0100);
  CHECK(one({.25F, .25F, .25F, .25F}, 0x80000000) == 0x1000);
  CHECK(one({.25F, -.75F}, 0) == 0xA0);
  CHECK(one({9, -1e30F}, 0) == 0xF7);
}

TEST_CASE("the_core_gives_the_bits_of_every_recording") {
  const std::vector<fs::path> devices = recorded_devices();
  if (devices.empty()) {
    std::cout << "SKIPPED: recordings, because golden/recordings holds none yet (mx_record writes "
                 "them on a machine with a GPU)\n";
  }
  for (const fs::path& device : devices) {
    INFO(device.filename().string());
    for (const test::word_file& file : test::words_in(device)) replay(file);
  }
}

}  // namespace
