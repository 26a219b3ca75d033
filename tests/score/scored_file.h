// SPDX-License-Identifier: Apache-2.0
// tests/score/scored_file.h: input of kernel tests: numbers, a kernel's codes and scales, and their
// declared format, all without the emulator.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "golden/reference/tensor_quantizer.h"

namespace score {

/// The kernel is wrong; the message names the position.
struct wrong_output : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<float> values;

  [[nodiscard]] std::vector<float> row(std::size_t r) const;
  [[nodiscard]] matrix transposed() const;
};

///   t  F32, with two axes
[[nodiscard]] matrix matrix_of(const golden::io::tensor& t);

/// A format and rule by the command's names: mxfp4, mxfp8-e4m3, mxfp8-e5m2, mxint8 or nvfp4, and
/// floor or rceil.
///   is_scaled  whether the blocks have a tensor scale
struct declared {
  golden::quantization rules;
  std::size_t block = 32;
  bool is_scaled = false;

  [[nodiscard]] std::size_t blocks_in(std::size_t columns) const {
    return (columns + block - 1) / block;
  }
};
[[nodiscard]] declared declared_by(const std::string& format, const std::string& rule);

/// The tensor scale of the numbers; 1 if the format has none.
[[nodiscard]] float tensor_scale_of(const declared& d, const matrix& x);

/// Block `b` of a row, padded with zeros at its end.
[[nodiscard]] golden::quantized_block block_of(const declared& d, const std::vector<float>& row,
                                               std::size_t b, float tensor_scale);

/// An array of the kernel's file, whose size must be the given one.
///   name  of the tensor it belongs to; omitted if the file has only one tensor
[[nodiscard]] golden::io::byte_view array_of(const golden::io::tensor_file& out,
                                             const std::string& name, const char* array,
                                             std::size_t bytes);

/// The FP32 patterns of an array.
[[nodiscard]] std::vector<std::uint32_t> patterns_of(golden::io::byte_view bytes);

/// Runs a test of a kernel.
///   returns  its exit status: 0 if nothing is thrown, 1 for wrong_output, else 2; each with a
///            message on standard error
int verdict_of(void (*test)(const std::vector<std::string>& words), int argc, char** argv);

}  // namespace score
