// SPDX-License-Identifier: Apache-2.0
// sim/cli/sweep/file_input.cpp: see file_input.h.
#include "sim/cli/sweep/file_input.h"

#include <limits>

#include "sim/cli/quantize/coded_tensor.h"

namespace sim::cli {
namespace {

/// A tensor as a matrix along its last axis.
swept_tensor matrix_of(const golden::io::tensor& t, const golden::io::tensor& numbers) {
  std::uint64_t rows = 1;
  for (std::size_t i = 0; i + 1 < t.shape.size(); ++i) rows *= t.shape[i];
  const std::uint64_t columns = t.shape.empty() ? 1 : t.shape.back();
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (rows == 0 || columns == 0) refuse_tensor(t, "has no elements; choose others by `tensors`");
  if (rows > most || columns > most) refuse_tensor(t, "has an axis of more than 2^31 - 1");
  const std::uint64_t slices = t.shape.size() > 2 ? rows / t.shape[t.shape.size() - 2] : 1;
  return {t.name, rows, columns, number_type_of(numbers), numbers.bytes.data(), slices};
}

golden::io::tensor_file chosen_of(const sweep_input& of) {
  try {
    return load_model_numbers(of.file, of.tensors);
  } catch (const golden::io::file_error& e) {
    throw usage_error("{} (input {})", e.what(), of.name);
  }
}

}  // namespace

swept_input file_inputs::load(const sweep_input& of) {
  files_.push_back(chosen_of(of));
  std::vector<swept_tensor> tensors;
  for (const golden::io::tensor& t : files_.back().tensors()) {
    numbers_.push_back(std::make_unique<plain_tensor>(t));
    tensors.push_back(matrix_of(t, numbers_.back()->get()));
  }
  if (tensors.empty()) {
    throw usage_error("input {}: {} holds no tensor", of.name, of.file);
  }
  return stored_input(of, std::move(tensors));
}

}  // namespace sim::cli
