// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_type.h: GGUF's numbers for tensor types and metadata kinds.
// Source: ggml, docs/gguf.md, "File Structure" (types up to MXFP4 = 39); NVFP4 = 40: llama.cpp,
// pull request 19769, ggml/include/ggml.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "golden/io/tensor.h"

namespace golden::io {

/// The type of a tensor; nothing if its elements are unsupported.
[[nodiscard]] std::optional<dtype> dtype_of_gguf(std::uint32_t number);
[[nodiscard]] std::optional<std::uint32_t> gguf_number_of(dtype type);
/// Q8_0, ..., or `type 77`.
[[nodiscard]] std::string gguf_type_name(std::uint32_t number);

/// The kind of a metadata value.
enum class gguf_kind : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};

}  // namespace golden::io
