// SPDX-License-Identifier: Apache-2.0
// sim/study/gguf_model.h: the shape of a policy, and the names of its parameters, in a GGUF file.
// Source: ggml, docs/gguf.md, "Standardized key-value pairs"; llama.cpp, gguf-py/gguf/constants.py
// (tensor names) and conversion/llama.py (permute: the rows of q and k); src/models/qwen3moe.cpp
// (weights of experts are over the chosen ones).
#pragma once
#include <optional>
#include <string>

#include "golden/io/tensor_file.h"
#include "sim/study/model_config.h"

namespace sim {

/// What a file's metadata say.
///   errors  golden::io::file_error: another architecture, or a key that is missing or not computed
[[nodiscard]] model_config config_in_gguf(const golden::io::tensor_file& file);

/// Where a parameter is in GGUF: a tensor, or one expert's part of a tensor of them all.
///   expert  absent: the tensor is the parameter
struct gguf_place {
  std::string tensor;
  std::optional<int> expert;
};

/// By its Hugging Face name: `blk.3.attn_q.weight`.
[[nodiscard]] gguf_place gguf_place_of(const std::string& name);

/// Whether rows of this parameter are stored as llama.cpp's rotation takes them.
[[nodiscard]] bool has_interleaved_rows(const golden::io::tensor_file& file,
                                        const std::string& name);

/// Puts the rows of each head back in the order of Hugging Face: row 2 j + i of a head, i of 2, is
/// stored; row i * head_width / 2 + j is wanted.
///   values  (heads * head_width, columns), row-major, in place
void order_rows_by_halves(int head_width, int columns, std::vector<float>& values);

}  // namespace sim
