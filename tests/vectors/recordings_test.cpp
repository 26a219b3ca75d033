// SPDX-License-Identifier: Apache-2.0
// tests/vectors/recordings_test.cpp: the emulator gives the bits that devices gave (kernels/record).
#include <iostream>

#include "catch.h"
#include "core_replay.h"

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

void replay(const test::word_file& file) {
  for (const test::word_section& section : file.sections) {
    const mx::dot_model model = test::core_model(file.model, section.operands);
    for (const test::dot_word& word : section.words) {
      INFO(file.name << ":" << word.line << ": " << word.label);
      CHECK(test::core_result(model, word) == word.d);
    }
  }
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
