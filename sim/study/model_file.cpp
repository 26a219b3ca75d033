// SPDX-License-Identifier: Apache-2.0
// sim/study/model_file.cpp: see model_file.h.
#include "sim/study/model_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/study/gguf_model.h"
#include "sim/study/limit_words.h"
#include "sim/study/model_config.h"
#include "sim/study/shape_fault.h"
#include "sim/study/study_keys.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

/// Refuses numbers outside the limits that a study's keys have, as a visitor of visit_keys.
class limit_checker {
 public:
  explicit limit_checker(const std::string& path) : path_(path) {}

  void value(std::string_view key, int v, whole limits) const {
    if (v >= limits.low && v <= limits.high && v % limits.step == 0) return;
    fail(key, v, wording(limits));
  }
  template <class Number>
  void value(std::string_view key, Number v, const real& limits) const {
    if (!limits.holds(static_cast<double>(v))) fail(key, v, wording(limits));
  }
  // What a file does not say has its default.
  template <class... Rest>
  void value(std::string_view /*key*/, const Rest&... /*unused*/) const {}
  template <class... Rest>
  void word(std::string_view /*key*/, const Rest&... /*unused*/) const {}
  template <class... Rest>
  void word_unless(const Rest&... /*unused*/) const {}
  void file(std::string_view /*key*/, const std::string& /*unused*/) const {}

  template <class Number>
  [[noreturn]] void fail(std::string_view key, Number v, const std::string& expected) const {
    throw golden::io::file_error(
        path_, fmt::format("its policy.{} is {}; the decoder takes {}", key, v, expected));
  }

 private:
  const std::string& path_;
};

policy_shape checked(policy_shape s, const std::string& path) {
  const limit_checker limits(path);
  visit_keys(s, limits);
  if (const auto fault = fault_of(s)) limits.fail(fault->key, fault->found, fault->expected);
  return s;
}

}  // namespace

model_file open_model(const std::string& path) {
  constexpr const char* expected =
      "expected a folder with config.json and .safetensors, or a .gguf";
  if (!fs::exists(path)) {
    throw golden::io::file_error(path, fmt::format("does not exist; {}", expected));
  }
  if (!fs::is_directory(path) && !path.ends_with(".gguf")) {
    throw golden::io::file_error(path, fmt::format("is no checkpoint; {}", expected));
  }
  const golden::io::tensor_file file = golden::io::load(path);
  if (file.path().ends_with(".gguf")) {
    const model_config found = config_in_gguf(file);
    return {checked(found.shape, file.path()), found.context, file, model_convention::gguf};
  }
  const fs::path config = fs::path(path) / config_name;
  if (!fs::exists(config)) {
    throw golden::io::file_error(path, fmt::format("has no {} beside its tensors", config_name));
  }
  const model_config found = config_in(golden::io::read_text(config.string()), config.string());
  return {checked(found.shape, config.string()), found.context, file,
          model_convention::hugging_face};
}

}  // namespace sim
