// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/recorded_words_test.cpp: words recorded on tensor cores are reproduced by
// their models.
// Source of the words: north-numerical-computing/MATLAB-tensor-core (those named after a GPU).
#include "recorded_words.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "catch.h"
#include "golden/reference/device_models.h"

namespace {

struct recording {
  const char* file;
  const char* model;
};

// Hopper's FP8 words are WGMMA's, with +0 as addend; Blackwell's are those of `mma.sync`. Files
// `model_*` are not recordings but results of an integer program of the published rule.
const recording recordings[] = {
    {"v100_fp16_fp32", "volta.mma.f16.f32"},
    {"v100_fp16_fp16", "volta.mma.f16.f16"},
    {"a100_bf16_fp32", "ampere.mma.bf16.f32"},
    {"a100_tf32_fp32", "ampere.mma.tf32.f32"},
    {"ada_e4m3_fp32", "ada.mma.e4m3.f32"},
    {"h200_bf16_fp32", "hopper.mma.bf16.f32"},
    {"h200_bf16_fp32", "hopper.wgmma.bf16.f32"},
    {"h200_e4m3_fp32", "hopper.wgmma.e4m3.f32"},
    {"b200_fp16_fp32", "blackwell.mma.f16.f32"},
    {"b200_fp16_fp32", "blackwell.tcgen05.f16.f32"},
    {"b200_e4m3_fp32", "blackwell.mma.e4m3.f32"},
    {"model_mxf4", "blackwell.mxf4"},
    {"model_nvf4", "blackwell.mxf4nvf4"},
    {"model_mxf8f6f4_e4m3_e4m3", "blackwell.mxf8f6f4.e4m3.e4m3"},
};

std::filesystem::path folder_of_words() {
  const char* set = std::getenv("MX_HARDWARE_WORDS");
  return set == nullptr ? "" : set;
}

test::recorded_words words_of(const char* file) {
  return test::recorded_words((folder_of_words() / file).string() + ".safetensors");
}

std::size_t mismatches(const char* file, const char* model_name) {
  const golden::device_model* model = golden::find_device_model(model_name);
  REQUIRE(model != nullptr);
  const test::recorded_words words = words_of(file);
  REQUIRE(words.size() > 0);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (golden::dot(*model, words.word(i)) != words.result(i)) ++wrong;
  }
  return wrong;
}

bool words_are_here() {
  if (std::filesystem::is_directory(folder_of_words())) return true;
  std::cout << "\nSKIPPED: golden_recorded_words, because there is no folder of recorded words at "
            << folder_of_words() << " (MX_HARDWARE_WORDS names another)\n";
  return false;
}

TEST_CASE("every_recorded_word_is_the_result_of_its_model") {
  if (!words_are_here()) return;
  for (const recording& each : recordings) {
    INFO(each.file << " by " << each.model);
    CHECK(mismatches(each.file, each.model) == 0);
  }
}

}  // namespace
