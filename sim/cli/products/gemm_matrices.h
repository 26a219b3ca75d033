// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_matrices.h: reads C of a product from its file, and writes D.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "sim/cli/products/gemm_factor.h"

namespace sim::cli {

/// A matrix of the size of D, and its order in a tensor.
struct matrix_place {
  std::uint64_t m = 0, n = 0;
  matrix_order order = matrix_order::row_major;

  [[nodiscard]] std::vector<std::uint64_t> shape() const;
};

/// C, row-major, in the bits of the model's result.
///   f       of the result; F16 and BF16 are accepted for FP32 too
///   errors  file_error
[[nodiscard]] std::vector<std::uint32_t> addends(const std::string& path, const mx::format& f,
                                                 const matrix_place& place);

/// The matrix `name` of a file, row-major, in bits of a format; FP32 also accepts F16 and BF16.
///   errors  file_error
[[nodiscard]] std::vector<std::uint32_t> matrix_in(const golden::io::tensor_file& file,
                                                   const std::string& name, const mx::format& f,
                                                   const matrix_place& place);

/// The format of a kernel's D: that of its type; --out specifies it for U16, and must not
/// contradict.
///   errors  file_error
[[nodiscard]] mx::format output_of(const golden::io::tensor& d,
                                   const std::optional<std::string>& out);

/// C in the bits of FP32 and FP16 results, where its type converts exactly; at least one.
struct wide_addends {
  std::optional<std::vector<std::uint32_t>> c32, c16;
};
///   errors  file_error
[[nodiscard]] wide_addends wide_addends_in(const std::string& path, const matrix_place& place);

/// Writes D, row-major in bits of `output`, as the tensor `d`.
void save_matrix(const std::string& path, const std::vector<std::uint32_t>& d,
                 const mx::format& output, const matrix_place& place,
                 const golden::io::metadata& notes);

}  // namespace sim::cli
