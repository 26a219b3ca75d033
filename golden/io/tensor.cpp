// SPDX-License-Identifier: Apache-2.0
// golden/io/tensor.cpp: a named array of bytes with a type and a shape, as stored in tensor files.
#include "golden/io/tensor.h"

#include <algorithm>
#include <array>

namespace golden::io {
namespace {

enum class spelled_in : unsigned char { safetensors, gguf };

struct dtype_row {
  dtype type;
  std::string_view name;
  unsigned block;
  unsigned bits;
  spelled_in files = spelled_in::safetensors;
};

constexpr std::array dtype_table{
    dtype_row{dtype::boolean, "BOOL", 1, 8},
    dtype_row{dtype::u8, "U8", 1, 8},
    dtype_row{dtype::i8, "I8", 1, 8},
    dtype_row{dtype::u16, "U16", 1, 16},
    dtype_row{dtype::i16, "I16", 1, 16},
    dtype_row{dtype::u32, "U32", 1, 32},
    dtype_row{dtype::i32, "I32", 1, 32},
    dtype_row{dtype::u64, "U64", 1, 64},
    dtype_row{dtype::i64, "I64", 1, 64},
    dtype_row{dtype::f4, "F4", 1, 4},
    dtype_row{dtype::f6_e2m3, "F6_E2M3", 1, 6},
    dtype_row{dtype::f6_e3m2, "F6_E3M2", 1, 6},
    dtype_row{dtype::f8_e4m3, "F8_E4M3", 1, 8},
    dtype_row{dtype::f8_e5m2, "F8_E5M2", 1, 8},
    dtype_row{dtype::f8_e8m0, "F8_E8M0", 1, 8},
    dtype_row{dtype::f16, "F16", 1, 16},
    dtype_row{dtype::bf16, "BF16", 1, 16},
    dtype_row{dtype::f32, "F32", 1, 32},
    dtype_row{dtype::f64, "F64", 1, 64},
    dtype_row{dtype::mxfp4_blocks, "MXFP4", 32, 8 + 32 * 4, spelled_in::gguf},
    dtype_row{dtype::nvfp4_blocks, "NVFP4", 64, 4 * 8 + 64 * 4, spelled_in::gguf},
    dtype_row{dtype::q4_0_blocks, "Q4_0", 32, 16 + 32 * 4, spelled_in::gguf},
    dtype_row{dtype::q4_1_blocks, "Q4_1", 32, 2 * 16 + 32 * 4, spelled_in::gguf},
    dtype_row{dtype::q8_0_blocks, "Q8_0", 32, 16 + 32 * 8, spelled_in::gguf},
};

constexpr bool table_is_in_order_of_the_enumeration() {
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    if (static_cast<std::size_t>(dtype_table[i].type) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order_of_the_enumeration());

}  // namespace

std::string_view name_of(dtype type) { return dtype_table[static_cast<std::size_t>(type)].name; }
unsigned block_of(dtype type) { return dtype_table[static_cast<std::size_t>(type)].block; }
unsigned bits_of(dtype type) { return dtype_table[static_cast<std::size_t>(type)].bits; }

std::optional<dtype> dtype_named(std::string_view name) {
  for (const dtype_row& row : dtype_table) {
    if (row.files == spelled_in::safetensors && row.name == name) return row.type;
  }
  return {};
}

std::string dtype_names() {
  std::string names;
  for (const dtype_row& row : dtype_table) {
    if (row.files != spelled_in::safetensors) continue;
    if (!names.empty()) names += ' ';
    names += row.name;
  }
  return names;
}

std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return {};
  }
  return count;
}

std::uint64_t byte_count(const tensor& described) {
  const auto elements = element_count(described.shape);
  const unsigned block = block_of(described.type);
  if (block > 1 && (described.shape.empty() || described.shape.back() % block != 0)) {
    throw file_error(described.source, described.name,
                     std::string(name_of(described.type)) + " of shape " +
                         shape_text(described.shape) +
                         " has rows that end inside a block; expected a last extent that is a "
                         "multiple of " +
                         std::to_string(block));
  }
  std::uint64_t bits = 0;
  if (!elements ||
      __builtin_mul_overflow(*elements / block, std::uint64_t{bits_of(described.type)}, &bits)) {
    throw file_error(described.source, described.name,
                     "its shape " + shape_text(described.shape) + " has too many elements");
  }
  if (bits % 8 != 0) {
    throw file_error(
        described.source, described.name,
        std::string(name_of(described.type)) + " of shape " + shape_text(described.shape) +
            " ends inside a byte; expected a number of elements that fills whole bytes");
  }
  return bits / 8;
}

void expect_matching_bytes(const tensor& described) {
  const std::uint64_t expected = byte_count(described);
  if (described.bytes.size() == expected) return;
  throw file_error(described.source, described.name,
                   "has " + std::to_string(described.bytes.size()) + " bytes, but " +
                       std::string(name_of(described.type)) + " of shape " +
                       shape_text(described.shape) + " takes " + std::to_string(expected));
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + "]";
}

}  // namespace golden::io
