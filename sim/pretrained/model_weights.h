// SPDX-License-Identifier: Apache-2.0
// sim/pretrained/model_weights.h: the numbers of a checkpoint as a policy's parameters, and back as
// a Hugging Face folder.
#pragma once
#include <filesystem>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/study/model_file.h"

namespace sim {

/// All parameters, each by its name: F32, F16 and BF16 exactly, coded ones (of GGUF: Q8_0, Q4_0,
/// Q4_1, MXFP4, NVFP4) as the numbers that they stand for.
///   table   of the model's shape
///   errors  golden::io::file_error: a tensor that is missing, of another shape or of a type that
///           is not read, one that the policy does not have, or a number that is not finite
[[nodiscard]] std::vector<float> read_weights(const model_file& model,
                                              const parameter_table& table);

/// The numbers of a saved model.
///   bf16  each rounded to nearest even; finite ones that would become Inf are refused
enum class saved_numbers : std::uint8_t { fp32, bf16 };

/// Writes config.json and model.safetensors into a new folder, whole or not at all.
///   folder  missing, or empty
///   errors  golden::io::file_error
void save_model(const std::filesystem::path& folder, const parameter_table& table,
                const std::vector<float>& weights, saved_numbers numbers);

}  // namespace sim
