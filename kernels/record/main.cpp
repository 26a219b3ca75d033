// SPDX-License-Identifier: Apache-2.0
// kernels/record/main.cpp: runs committed words on the tensor cores of the current device, and
// writes recordings of the results.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "case_watch.h"
#include "conversion_words.h"
#include "cuda_version.h"
#include "devices.h"
#include "group_runner.h"
#include "instruction_runs.h"
#include "integer_words.h"
#include "whole_file.h"

namespace {

namespace fs = std::filesystem;
namespace mxk = mx::kernels;

constexpr char usage[] = R"(usage: mx_record WORDS_FOLDER OUT_FOLDER
       mx_record --help
Runs the words of golden/vectors/dot, and words of integers, on the tensor cores of the first
CUDA device, and writes OUT_FOLDER/DEVICE/MODEL.txt for every instruction that it has.
Each instruction has a process of its own: one that fails or hangs loses its file alone.
Exit status: 0 recorded, 2 bad arguments or files, 3 no device, an instruction failed, or
nothing was recorded, as by a program that is compiled for other devices.
example: mx_record golden/vectors/dot golden/recordings
)";

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

struct device {
  mxk::device_facts facts;
  int compute_capability = 0;
};

/// The first device; compute capability 0 if there is none.
device first_device() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return {};
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string capability =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  return {
      {properties.name, capability, mxk::version_text(driver), mxk::version_text(runtime), today()},
      properties.major * 10 + properties.minor};
}

std::size_t differences(const golden::words::word_file& words,
                        const std::vector<std::uint32_t>& results) {
  std::size_t next = 0, different = 0;
  for (const auto& section : words.sections) {
    for (const auto& word : section.words) different += word.d != results[next++] ? 1 : 0;
  }
  return different;
}

/// The text of a model's words; empty if the folder has none.
std::string words_of(const std::string& model, const fs::path& folder) {
  if (mxk::is_integer_model(model)) return mxk::integer_words(model);
  if (mxk::is_conversion_model(model)) return mxk::conversion_words(model);
  std::ifstream in(folder / (model + ".txt"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void record(const mxk::recorder& by, const std::string& text, const fs::path& folder,
            const mxk::device_facts& facts) {
  const std::string name = by.model + ".txt";
  const golden::words::word_file words = golden::words::parsed_words(name, text);
  const std::vector<std::uint32_t> results = mxk::recorded_words(by, words);
  mxk::write_file(folder / name, mxk::recorded_text(text, words, results, facts));
  std::cout << by.model << ": " << results.size() << " words, " << differences(words, results)
            << " unlike the model\n";
}

constexpr std::chrono::seconds time_limit{60};

/// Records the words of the i-th instruction of the device.
int record_one(const fs::path& words, const fs::path& out, std::size_t i) {
  const device at_hand = first_device();
  if (at_hand.compute_capability == 0) {
    std::cerr << "mx_record: error: no CUDA device can be used\n";
    return mxk::no_device;
  }
  const std::vector<mxk::recorder> all = mxk::recorders_of(at_hand.compute_capability);
  if (i >= all.size()) return mxk::no_more;
  if (i == 0) {
    std::cout << at_hand.facts.name << ", compute capability " << at_hand.facts.compute_capability
              << std::endl;
  }
  const mxk::recorder& by = all[i];
  mxk::case_watch watch(time_limit, [&by] {
    std::cout << by.model << ": no end within a minute" << std::endl;
    std::_Exit(mxk::failed);
  });
  watch.begin();
  const fs::path folder = out / mxk::folder_name(at_hand.facts.name);
  const std::string text = words_of(by.model, words);
  if (!mxk::has_code(by)) {
    std::cout << by.model << ": this program has no code of it for this device\n";
    return mxk::not_recorded;
  }
  if (text.empty()) {
    std::cout << by.model << ": no words in " << words.string() << "\n";
    return mxk::not_recorded;
  }
  fs::create_directories(folder);
  record(by, text, folder, at_hand.facts);
  return mxk::recorded;
}

int record_all(const std::string& words, const std::string& out) {
  return mxk::run_instructions([&](std::size_t i) {
    return mxk::ran({"/proc/self/exe", words, out, std::to_string(i)});
  });
}

}  // namespace

int main(int count, char** words) {
  mxk::keep_ends_of_children();
  if (count == 2 && std::string(words[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  if (count != 3 && count != 4) {
    std::cerr << usage;
    return 2;
  }
  try {
    return count == 3 ? record_all(words[1], words[2])
                      : record_one(words[1], words[2], std::stoul(words[3]));
  } catch (const std::exception& error) {
    std::cerr << "mx_record: error: " << error.what() << "\n";
    return mxk::failed;
  }
}
