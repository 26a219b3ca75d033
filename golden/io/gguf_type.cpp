// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_type.cpp: GGUF's numbers for tensor types and metadata kinds.
#include "golden/io/gguf_type.h"

#include <array>
#include <string_view>

namespace golden::io {
namespace {

struct type_row {
  std::uint32_t number;
  std::string_view name;
  std::optional<dtype> type;
};

constexpr std::array type_table{
    type_row{0, "F32", dtype::f32},
    type_row{1, "F16", dtype::f16},
    type_row{2, "Q4_0", dtype::q4_0_blocks},
    type_row{3, "Q4_1", dtype::q4_1_blocks},
    type_row{6, "Q5_0", {}},
    type_row{7, "Q5_1", {}},
    type_row{8, "Q8_0", dtype::q8_0_blocks},
    type_row{9, "Q8_1", {}},
    type_row{10, "Q2_K", {}},
    type_row{11, "Q3_K", {}},
    type_row{12, "Q4_K", {}},
    type_row{13, "Q5_K", {}},
    type_row{14, "Q6_K", {}},
    type_row{15, "Q8_K", {}},
    type_row{16, "IQ2_XXS", {}},
    type_row{17, "IQ2_XS", {}},
    type_row{18, "IQ3_XXS", {}},
    type_row{19, "IQ1_S", {}},
    type_row{20, "IQ4_NL", {}},
    type_row{21, "IQ3_S", {}},
    type_row{22, "IQ2_S", {}},
    type_row{23, "IQ4_XS", {}},
    type_row{24, "I8", dtype::i8},
    type_row{25, "I16", dtype::i16},
    type_row{26, "I32", dtype::i32},
    type_row{27, "I64", dtype::i64},
    type_row{28, "F64", dtype::f64},
    type_row{29, "IQ1_M", {}},
    type_row{30, "BF16", dtype::bf16},
    type_row{34, "TQ1_0", {}},
    type_row{35, "TQ2_0", {}},
    type_row{39, "MXFP4", dtype::mxfp4_blocks},
    type_row{40, "NVFP4", dtype::nvfp4_blocks},
};

}  // namespace

std::optional<dtype> dtype_of_gguf(std::uint32_t number) {
  for (const type_row& row : type_table) {
    if (row.number == number) return row.type;
  }
  return {};
}

std::optional<std::uint32_t> gguf_number_of(dtype type) {
  for (const type_row& row : type_table) {
    if (row.type == type) return row.number;
  }
  return {};
}

std::string gguf_type_name(std::uint32_t number) {
  for (const type_row& row : type_table) {
    if (row.number == number) return std::string(row.name);
  }
  return "type " + std::to_string(number);
}

}  // namespace golden::io
