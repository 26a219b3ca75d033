// SPDX-License-Identifier: Apache-2.0
// golden/io/shard_index.h: the index of a model in several safetensors files: which tensor is
// where.
// Source: Hugging Face, transformers, "Sharded checkpoints" (model.safetensors.index.json: the
// object weight_map of tensor names and file names; metadata with total_size).
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "golden/io/file.h"

namespace golden::io {

/// File name of each tensor's shard.
using shard_index = std::map<std::string, std::string>;

/// Other keys than weight_map are ignored.
///   checked  valid JSON, one weight_map, no tensor twice, at least one; every shard is a plain
///            name that ends in .safetensors, with no folder in it: an index cannot name files
///            elsewhere
///   errors   file_error that names the tensor
[[nodiscard]] shard_index parse_shard_index(std::string_view json, const std::string& source);

}  // namespace golden::io
