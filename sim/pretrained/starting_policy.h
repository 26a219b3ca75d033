// SPDX-License-Identifier: Apache-2.0
// sim/pretrained/starting_policy.h: the parameters that the training of a study starts from.
#pragma once
#include <string>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/study/input_error.h"

namespace sim {

/// A checkpoint that is not the one a study names.
struct checkpoint_error : input_error {
  using input_error::input_error;
};

/// Reads the parameters of a study with `policy.checkpoint`, and their hash. Changes no other
/// study, nor one that has them.
///   errors  golden::io::file_error; checkpoint_error for other parameters than policy.sha256 says
void load_policy(study& s);

/// SHA-256 of parameters as FP32 numbers, in hexadecimal digits.
[[nodiscard]] std::string hash_of(const std::vector<float>& weights);

/// Those that were loaded, or initial_weights.
[[nodiscard]] std::vector<float> starting_weights(const parameter_table& table, std::uint64_t seed);

}  // namespace sim
