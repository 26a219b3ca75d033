// SPDX-License-Identifier: Apache-2.0
// sim/study/model_file.h: a checkpoint of a language model: a Hugging Face folder, its tensors
// alone or in shards, or a GGUF file. Opened, it has a shape and the names of its tensors; their
// numbers are read when they are asked for.
#pragma once
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/study/study.h"

namespace sim {

/// Convention of a file's names and its order of rows.
enum class model_convention : std::uint8_t { hugging_face, gguf };

struct model_file {
  policy_shape shape;
  int context = 0;  ///< tokens that the model was made for
  golden::io::tensor_file tensors;
  model_convention convention;
};

/// Opens a folder with config.json and one .safetensors or an index of several; a folder with one
/// .gguf; or a .gguf file.
///   errors  golden::io::file_error
[[nodiscard]] model_file open_model(const std::string& path);

}  // namespace sim
