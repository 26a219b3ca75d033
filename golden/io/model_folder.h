// SPDX-License-Identifier: Apache-2.0
// golden/io/model_folder.h: a model of several files as one.
#pragma once
#include <string>

#include "golden/io/tensor_file.h"

namespace golden::io {

/// Whether a path is a folder, or by its name an index of shards (NAME.safetensors.index.json).
[[nodiscard]] bool is_model_of_files(const std::string& path);

/// All tensors of all shards of an index, or of a folder's: of its model.safetensors.index.json,
/// else of the only .safetensors or .gguf in it. Shards are mapped, in the order of their names;
/// metadata are those that all shards share.
///   errors  file_error: a shard is missing, lacks a tensor of the index or has one beside them; a
///           folder with no model, or with several
[[nodiscard]] tensor_file load_model(const std::string& path);

}  // namespace golden::io
