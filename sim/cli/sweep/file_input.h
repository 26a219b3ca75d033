// SPDX-License-Identifier: Apache-2.0
// sim/cli/sweep/file_input.h: inputs of a sweep that lie in files, mapped while the object lives.
#pragma once
#include <memory>
#include <vector>

#include "golden/io/own_convention.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/sweep/swept_input.h"

namespace sim::cli {

class file_inputs {
 public:
  /// The tensors of an input's file, or of the folder of a model, whose names match.
  ///   errors  file_error, usage_error: no tensor matches, or a tensor has no numbers
  [[nodiscard]] swept_input load(const sweep_input& of);

 private:
  std::vector<golden::io::tensor_file> files_;
  std::vector<std::unique_ptr<plain_tensor>> numbers_;
};

}  // namespace sim::cli
