// SPDX-License-Identifier: Apache-2.0
// kernels/record/main.cpp: runs committed words on the tensor cores of the current device, and
// writes recordings of the results.
#include <cuda_runtime_api.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "conversion_words.h"
#include "devices.h"
#include "integer_words.h"

namespace {

namespace fs = std::filesystem;
namespace mxk = mx::kernels;

constexpr char usage[] = R"(usage: mx_record WORDS_FOLDER OUT_FOLDER
Runs the words of golden/vectors/dot, and words of integers, on the tensor cores of the first
CUDA device, and writes OUT_FOLDER/DEVICE/MODEL.txt for every instruction that it has.
Exit status: 0 recorded, 2 bad arguments or files, 3 no device.
example: mx_record golden/vectors/dot golden/recordings
)";

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

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
  return {{properties.name, capability, version_text(driver), version_text(runtime), today()},
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

/// Writes the file atomically.
void write_file(const fs::path& path, const std::string& text) {
  const fs::path partial = path.string() + ".partial";
  std::ofstream out(partial, std::ios::binary);
  out << text << std::flush;
  if (!out.good()) throw std::runtime_error(partial.string() + ": cannot be written");
  out.close();
  fs::rename(partial, path);
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
  write_file(folder / name, mxk::recorded_text(text, words, results, facts));
  std::cout << by.model << ": " << results.size() << " words, " << differences(words, results)
            << " unlike the model\n";
}

int record_all(const fs::path& words, const fs::path& out) {
  const device at_hand = first_device();
  if (at_hand.compute_capability == 0) {
    std::cerr << "mx_record: error: no CUDA device can be used\n";
    return 3;
  }
  std::cout << at_hand.facts.name << ", compute capability " << at_hand.facts.compute_capability
            << "\n";
  const fs::path folder = out / mxk::folder_name(at_hand.facts.name);
  fs::create_directories(folder);
  for (const mxk::recorder& by : mxk::recorders_of(at_hand.compute_capability)) {
    const std::string text = words_of(by.model, words);
    if (text.empty()) {
      std::cout << by.model << ": no words in " << words.string() << "\n";
      continue;
    }
    record(by, text, folder, at_hand.facts);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << usage;
    return 2;
  }
  try {
    return record_all(words[1], words[2]);
  } catch (const std::exception& error) {
    std::cerr << "mx_record: error: " << error.what() << "\n";
    return 2;
  }
}
