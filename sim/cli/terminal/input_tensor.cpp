// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/input_tensor.cpp: opens files of tensors.
#include "sim/cli/terminal/input_tensor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <set>
#include <string_view>

#include "golden/io/integer_block.h"
#include "golden/io/unfinished.h"
#include "golden/io/widen.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

using golden::io::dtype;

void expect_numbers(const golden::io::tensor& tensor) {
  if (is_number(tensor.type)) return;
  if (tensor.type == dtype::f64) {
    refuse_tensor(tensor,
                  "is F64, which would have to be rounded before it is quantized; convert it to "
                  "F32 first, so that the file holds the numbers meant");
  }
  refuse_tensor(tensor, "is {}; expected F32, F16 or BF16 (choose others by their names)",
                golden::io::name_of(tensor.type));
}

/// Async-signal-safe. Several threads may enter at once: the first one reports.
void end_on_lost_bytes(int) {
  static std::atomic_flag reported;
  while (reported.test_and_set()) ::pause();
  constexpr std::string_view message =
      "mxprism: error: a file became shorter while it was read; run again once it is no longer "
      "being written\n";
  golden::io::remove_unfinished_files();
  const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  static_cast<void>(written);
  ::_exit(exit_status::bad_input);
}

}  // namespace

bool is_number(dtype type) {
  return type == dtype::f32 || type == dtype::f16 || type == dtype::bf16;
}

void refuse_files_that_shrink() {
  struct sigaction how {};
  how.sa_handler = end_on_lost_bytes;
  ::sigaction(SIGBUS, &how, nullptr);
}

golden::io::tensor_file load_numbers(const std::string& path,
                                     const golden::io::name_patterns& names) {
  golden::io::tensor_file file = golden::io::chosen_tensors(golden::io::load(path), names);
  for (const golden::io::tensor& tensor : file.tensors()) expect_numbers(tensor);
  if (!file.foreign().empty()) golden::io::refuse_foreign(file.foreign().front(), path);
  return file;
}

golden::io::tensor_file load_model_numbers(const std::string& path,
                                           const golden::io::name_patterns& names) {
  golden::io::tensor_file file = golden::io::chosen_tensors(golden::io::load(path), names);
  for (const golden::io::tensor& tensor : file.tensors()) {
    if (!golden::io::is_integer_block(tensor.type)) expect_numbers(tensor);
  }
  if (!file.foreign().empty()) golden::io::refuse_foreign(file.foreign().front(), path);
  return file;
}

std::vector<std::string> files_under(const golden::io::tensor_file& file) {
  std::set<std::string> files{file.path()};
  for (const golden::io::tensor& tensor : file.tensors()) files.insert(tensor.source.path);
  return {files.begin(), files.end()};
}

void add_tensors_option(CLI::App& command, golden::io::name_patterns& names) {
  add_value(command, "--tensors", names, "PATTERN",
            "Only tensors whose name matches; * stands for any text, as in '*.mlp.*'; may be given "
            "several times")
      ->allow_extra_args(false);
}

plain_tensor::plain_tensor(const golden::io::tensor& stored) : seen_(stored) {
  if (is_number(stored.type)) return;
  numbers_ = golden::io::to_float32(stored);
  seen_.type = dtype::f32;
  seen_.bytes = {reinterpret_cast<const std::uint8_t*>(numbers_.data()),
                 numbers_.size() * sizeof(float)};
}

golden::io::rewritten_file load_codes(const std::string& path) {
  golden::io::rewritten_file rewritten = golden::io::in_own_convention(golden::io::load(path));
  const golden::io::tensor_file& file = rewritten.file;
  if (!file.foreign().empty()) golden::io::refuse_foreign(file.foreign().front(), path);
  return rewritten;
}

}  // namespace sim::cli
