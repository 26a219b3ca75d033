// SPDX-License-Identifier: Apache-2.0
// sim/study/model_config.h: the shape of a policy as config.json of a Hugging Face folder says it.
// Source: huggingface/transformers, models/*/configuration_*.py (names and defaults).
#pragma once
#include <string>

#include "sim/study/study.h"

namespace sim {

inline constexpr const char* config_name = "config.json";

/// What a checkpoint says of its model.
///   context  tokens that it was made for
struct model_config {
  policy_shape shape;
  int context = 0;
};

/// That of the text of a config.json.
///   source  the file, for messages
///   errors  golden::io::file_error: another architecture, or what the decoder does not compute
[[nodiscard]] model_config config_in(const std::string& text, const std::string& source);

/// "one of llama, qwen2, qwen3"
[[nodiscard]] std::string names_of_families();

/// The text of a config.json from which transformers makes the same model.
///   number_type  of the weights beside it, as transformers names it: float32, bfloat16
[[nodiscard]] std::string config_of(const policy_shape& shape, const std::string& number_type);

}  // namespace sim
