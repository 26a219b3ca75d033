// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor.h: a named array of bytes with a type and a shape, as stored in tensor files.
// Source: the README of huggingface/safetensors, "Format" (types; row-major, little-endian data).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/file.h"

namespace golden::io {

enum class dtype : unsigned char {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f4,
  f6_e2m3,
  f6_e3m2,
  f8_e4m3,
  f8_e5m2,
  f8_e8m0,
  f16,
  bf16,
  f32,
  f64,
  mxfp4_blocks,  ///< GGUF only: the scale of 32 elements, then their codes
  nvfp4_blocks,  ///< GGUF only: four scales of 16 elements, then the codes of all
  q4_0_blocks,   ///< GGUF only, as the next two: see integer_block.h
  q4_1_blocks,
  q8_0_blocks,
};

[[nodiscard]] std::string_view name_of(dtype type);  ///< F32, BF16, ...
/// The safetensors type of a name.
[[nodiscard]] std::optional<dtype> dtype_named(std::string_view name);
[[nodiscard]] std::string dtype_names();  ///< all safetensors types, for messages
/// Elements stored as one unit: 1, or more for the blocks of GGUF, of which each row is a whole
/// number.
[[nodiscard]] unsigned block_of(dtype type);
[[nodiscard]] unsigned bits_of(dtype type);  ///< bits of one block

///   shape  in elements, row-major, the last axis fastest; two F4 share a byte, low nibble first,
///          so their number is even
///   bytes  little-endian and unaligned: no file guarantees alignment, so numbers are copied out
struct tensor {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::uint64_t> shape;
  byte_view bytes;    ///< owned by the file or the caller
  file_place source;  ///< location of its description, for messages; may be empty
};

using metadata = std::map<std::string, std::string>;

/// A tensor of an unsupported type, known only by name.
struct foreign_tensor {
  std::string name;
  std::string type;  ///< Q8_0, ...
};

struct tensor_list {
  std::vector<tensor> tensors;  ///< in the order of the file
  io::metadata metadata;
  std::vector<foreign_tensor> foreign;  ///< GGUF only
};

/// Number of elements; nothing if it exceeds 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape);

/// Bytes of a shape.
///   errors  file_error for too many elements, or if the last element ends inside a byte or a row
///           inside a block
[[nodiscard]] std::uint64_t byte_count(const tensor& described);

/// Throws a file_error unless the tensor has as many bytes as its shape and type require.
void expect_matching_bytes(const tensor& described);

[[nodiscard]] std::string shape_text(const std::vector<std::uint64_t>& shape);  ///< [2, 32]

}  // namespace golden::io
