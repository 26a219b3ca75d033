// SPDX-License-Identifier: Apache-2.0
// tests/cross/hardware_words_test.cpp: words recorded on tensor cores, and words of a published
// model, replayed bit by bit. They are kept beside the project: ../shared/hardware-words, README.md
// there.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>

#include "catch.h"
#include "golden/io/tensor_file.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace {

namespace fs = std::filesystem;
using golden::io::tensor;

/// File -> the model that must reproduce it.
const std::map<std::string, std::string_view> model_of_file = {
    {"v100_fp16_fp32", "volta.mma.f16.f32"},
    {"v100_fp16_fp16", "volta.mma.f16.f16"},
    {"a100_bf16_fp32", "ampere.mma.bf16.f32"},
    {"a100_tf32_fp32", "ampere.mma.tf32.f32"},
    {"ada_e4m3_fp32", "ada.mma.e4m3.f32"},
    {"h200_bf16_fp32", "hopper.mma.bf16.f32"},
    {"h200_e4m3_fp32", "hopper.wgmma.e4m3.f32"},
    {"b200_fp16_fp32", "blackwell.mma.f16.f32"},
    {"b200_e4m3_fp32", "blackwell.mma.e4m3.f32"},
    {"model_mxf4", "blackwell.mxf4"},
    {"model_nvf4", "blackwell.mxf4nvf4"},
    {"model_mxf8f6f4_e4m3_e4m3", "blackwell.mxf8f6f4.e4m3.e4m3"},
};

fs::path words_folder() {
  const char* source = std::getenv("MX_SOURCE_DIR");
  return fs::path(source == nullptr ? "." : source) / ".." / "shared" / "hardware-words";
}

/// Unsigned codes of 1, 2 or 4 bytes, widened.
std::vector<std::uint32_t> codes_of(const tensor& t) {
  const std::size_t width = golden::io::bits_of(t.type) / 8;
  std::vector<std::uint32_t> codes(t.bytes.size() / width);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::memcpy(&codes[i], reinterpret_cast<const unsigned char*>(t.bytes.data()) + i * width,
                width);
  }
  return codes;
}

struct words {
  std::vector<std::uint32_t> a, b, c, d, scale_a, scale_b;
  std::size_t vectors, k, scales;
};

words words_of(const golden::io::tensor_file& file) {
  const auto codes = [&file](std::string_view name) {
    return file.find(name) == nullptr ? std::vector<std::uint32_t>{} : codes_of(file.at(name));
  };
  words w{codes("a"),
          codes("b"),
          codes("c"),
          codes("d"),
          codes("scale_a"),
          codes("scale_b"),
          file.at("a").shape[0],
          file.at("a").shape[1],
          0};
  w.scales = w.scale_a.size() / w.vectors;
  return w;
}

std::uint32_t replayed(const mx::dot_model& model, const words& w, std::size_t i) {
  const std::uint32_t* no_scales = nullptr;
  return mx::dot(model, &w.a[i * w.k], &w.b[i * w.k], static_cast<int>(w.k), w.c[i],
                 w.scales == 0 ? no_scales : &w.scale_a[i * w.scales],
                 w.scales == 0 ? no_scales : &w.scale_b[i * w.scales]);
}

std::size_t mismatches(const mx::dot_model& model, const words& w) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < w.vectors; ++i) {
    if (replayed(model, w, i) == w.d[i]) continue;
    if (count++ == 0) {
      UNSCOPED_INFO("word " << i << ": " << std::hex << replayed(model, w, i) << " instead of "
                            << w.d[i]);
    }
  }
  return count;
}

TEST_CASE("every_word_beside_the_project_is_reproduced") {
  if (!fs::is_directory(words_folder())) {
    std::cout << "SKIPPED: hardware words, because ../shared/hardware-words is missing\n";
    return;
  }
  std::size_t replayed_words = 0, files = 0;
  for (const auto& entry : fs::directory_iterator(words_folder())) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string name = entry.path().stem().string();
    INFO(name);
    const auto model = model_of_file.find(name);
    REQUIRE(model != model_of_file.end());
    const mx::named_model* known = mx::model_named(model->second);
    REQUIRE(known != nullptr);
    const words w = words_of(golden::io::load(entry.path().string()));
    REQUIRE(w.d.size() == w.vectors);
    CHECK(mismatches(known->model, w) == 0);
    replayed_words += w.vectors;
    ++files;
  }
  std::cout << replayed_words << " words of " << files << " files\n";
  CHECK(replayed_words > 0);
}

/// A word that every wrong parameter also reproduces tests nothing.
struct neighbour {
  const char *file, *wrong_model;
};

TEST_CASE("models_of_other_architectures_are_told_apart_by_the_recorded_words") {
  if (!fs::is_directory(words_folder())) {
    std::cout << "SKIPPED: hardware words, because ../shared/hardware-words is missing\n";
    return;
  }
  const neighbour neighbours[] = {{"a100_bf16_fp32", "hopper.mma.bf16.f32"},
                                  {"h200_bf16_fp32", "ampere.mma.bf16.f32"},
                                  {"v100_fp16_fp32", "ampere.mma.f16.f32"},
                                  {"ada_e4m3_fp32", "hopper.wgmma.e4m3.f32"},
                                  {"h200_e4m3_fp32", "ada.mma.e4m3.f32"},
                                  {"h200_e4m3_fp32", "rtxblackwell.mma.e4m3.f32"},
                                  {"b200_e4m3_fp32", "rtxblackwell.mma.e4m3.f32"},
                                  {"b200_fp16_fp32", "ampere.mma.f16.f32"},
                                  {"model_mxf4", "exact.rne"}};
  for (const neighbour& n : neighbours) {
    const fs::path path = words_folder() / (std::string(n.file) + ".safetensors");
    if (!fs::exists(path)) continue;
    CAPTURE(n.file, n.wrong_model);
    CHECK(mismatches(mx::model_named(n.wrong_model)->model, words_of(golden::io::load(path))) > 0);
  }
}

}  // namespace
