// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/input_tensor.cpp: tensors of numbers as they come from files.
#include "sim/cli/terminal/input_tensor.h"

#include <fmt/format.h>

namespace sim::cli {
namespace {

using golden::io::dtype;

void expect_numbers(const golden::io::tensor& tensor) {
  switch (tensor.type) {
    case dtype::f32:
    case dtype::f16:
    case dtype::bf16:
      return;
    case dtype::f64:
      throw golden::io::file_error(
          tensor.source, tensor.name,
          "is F64, which would have to be rounded before it is quantized; convert it to F32 "
          "yourself, so that the file says which numbers were meant");
    default:
      throw golden::io::file_error(
          tensor.source, tensor.name,
          fmt::format("is {}; expected F32, F16 or BF16 (leave other tensors out of the file)",
                      golden::io::name_of(tensor.type)));
  }
}

}  // namespace

golden::io::tensor_file load_numbers(const std::string& path) {
  golden::io::tensor_file file = golden::io::load(path);
  for (const golden::io::tensor& tensor : file.tensors()) expect_numbers(tensor);
  return file;
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace sim::cli
