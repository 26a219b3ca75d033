// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_factor.h: A or B of a product, as lines of codes along K: from numbers that
// are quantized here, from codes and scales, or from plain numbers.
#pragma once
#include <optional>
#include <string>

#include "golden/io/owned_tensor.h"
#include "golden/io/tensor_file.h"
#include "mx/dot/bulk_gemm.h"
#include "sim/cli/products/model_choice.h"
#include "sim/cli/rules/rule_options.h"

namespace sim::cli {

/// A, whose lines are rows, or B, whose lines are columns.
enum class factor_side : unsigned char { a, b };

/// How a matrix of numbers is stored in its tensor.
///   row_major      (rows, columns)
///   column_major   (columns, rows): the columns, one after the other
enum class matrix_order : unsigned char { row_major, column_major };

/// Origin of a factor's codes.
///   quantized   here, in blocks          converted   rounded here to a format without scales
///   stored      unchanged from the file
enum class factor_origin : unsigned char { quantized, stored, converted };

/// Lines of `padded` codes, each with its blocks' scales.
///   k              elements before padding with zeros to whole blocks
///   tensor_scale   an FP32 number that multiplies all of it; no value: none
///   name           of the format, as accepted by --format or --a-format
struct factor_facts {
  golden::io::tensor tensor;  ///< source, without its bytes
  factor_origin origin = factor_origin::stored;
  std::string name, rules;
  std::uint64_t lines = 0, k = 0, padded = 0, special_blocks = 0;
  mx::format element = mx::formats::binary32;
  std::optional<mx::format> scale;
  int block = 0;
  mx::code_storage storage = mx::code_storage::bytes;
  std::optional<float> tensor_scale;
};

/// The same with its codes.
struct gemm_factor : factor_facts {
  golden::io::byte_buffer codes, scales;

  [[nodiscard]] mx::gemm_operand operand() const;
};

/// Input of a factor: the options, and the model, which may determine the format itself.
struct factor_request {
  factor_side side = factor_side::a;
  const mx::named_model& model;
  const rule_options& rules;
  matrix_order order = matrix_order::row_major;

  /// Whether K is the last axis of the tensor.
  [[nodiscard]] bool has_k_last() const {
    return (side == factor_side::a) == (order == matrix_order::row_major);
  }
};

/// The factor in a file: its only tensor, or the one named a (or b); or one tensor's codes and
/// scales.
///   errors  file_error, usage_error
[[nodiscard]] gemm_factor factor_of(const golden::io::tensor_file& file, const factor_request& r);

/// Elements without scales. Numbers of another type are rounded to the model's format, to nearest
/// even unless --rounding says otherwise; codes, and FP32 under TF32 (D-039), are unchanged.
[[nodiscard]] gemm_factor plain_factor(const golden::io::tensor& t, const factor_request& r);

/// Blocks along K, quantized by the rules.
[[nodiscard]] gemm_factor quantized_factor(const golden::io::tensor& t, const factor_request& r);

/// Blocks along K, as `quantize` writes them: K is the axis of the file's blocks.
[[nodiscard]] gemm_factor stored_factor(const golden::io::tensor_file& file,
                                        const factor_request& r);

/// Transposes rows x columns items of `size` bytes.
[[nodiscard]] golden::io::byte_buffer transposed(const std::uint8_t* items, std::uint64_t rows,
                                                 std::uint64_t columns, std::uint64_t size);

/// Refuses (file_error) shapes other than vectors and matrices, and more than 2^30 along K.
void expect_factor_shape(const golden::io::tensor& t, const std::vector<std::uint64_t>& shape,
                         const char* expected);

/// Refuses (usage_error) options of quantizing and rounding that no factor used.
void expect_used(const rule_options& rules, const gemm_factor& a, const gemm_factor& b);

/// Refuses (file_error) factors that differ along K.
void expect_same_k(const gemm_factor& a, const gemm_factor& b);

/// The only tensor of a file, or the one of this name.
[[nodiscard]] const golden::io::tensor& tensor_in(const golden::io::tensor_file& file,
                                                  const std::string& name);

}  // namespace sim::cli
