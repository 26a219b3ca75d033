// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_table.h: the cases that every backend computes: the emulator's core, the
// kernels' bodies on the CPU, a device.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mx/kernels/decompose.h"
#include "mx/kernels/quantize.h"
#include "mx/kernels/rotate.h"

namespace mx::kernels {

enum class operation : std::uint8_t {
  quantize,
  dequantize,
  fake_quantize,
  rotate_quantize,
  decompose
};
enum class wanted : std::uint8_t { rows, columns, both };

/// A request without its memory.
///   type     of the values: input of quantize, output of dequantize
///   results  of quantize
///   by       of rotate_quantize
///   gap      elements between the rows of numbers (gapped_cases.h)
///   kernels  what must serve it, as tests/kernels/grid/host_launch.cpp names the choices;
///            empty: any
struct kernel_case {
  std::string name;
  operation what = operation::quantize;
  quantization how;
  number_type type = number_type::fp32;
  matrix_shape shape;
  scale_layout layout = scale_layout::linear;
  wanted results = wanted::rows;
  std::string_view kernels = "blocks";
  rotation by = {};
  std::int64_t gap = 0;
};

/// Every kernel, every format, rule and rounding, both sides of each boundary of a shape.
[[nodiscard]] std::vector<kernel_case> case_table();

/// An array by its name in the request.
struct named_bytes {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// Inputs of a case: `x`, or `codes` and `scales`; they depend on the case's name and shape
/// alone.
struct case_input {
  std::vector<std::uint8_t> x, codes, scales;
  float tensor_scale = 1;
};
[[nodiscard]] case_input input_of(const kernel_case& one);

/// The result arrays of a case, of the required sizes, filled with a byte that no result has. The
/// gaps between rows of `out` are an array of their own.
[[nodiscard]] std::vector<named_bytes> empty_results(const kernel_case& one);

/// By the core alone (mx/block/block_quantizer.h).
[[nodiscard]] std::vector<named_bytes> results_of_core(const kernel_case& one,
                                                       const case_input& input);

/// The first byte at which two answers differ: "rows.codes, byte 5: 0x1A instead of 0x1B"; empty
/// if they are equal.
[[nodiscard]] std::string difference_between(const std::vector<named_bytes>& expected,
                                             const std::vector<named_bytes>& found);

}  // namespace mx::kernels
