// SPDX-License-Identifier: Apache-2.0
// kernels/verify/bundle.h: a failed case, as files for `mxprism verify` and `mxprism dot`.
// All functions throw std::runtime_error if a file cannot be written.
#pragma once
#include <filesystem>

#include "case_table.h"
#include "corrected_cases.h"
#include "product_cases.h"
#include "value_cases.h"

namespace mx::kernels {

/// Writes FOLDER/CASE: input.safetensors and output.safetensors of a quantizer's rows, the raw
/// arrays of all others, and README.txt: the difference, and the command that explains it.
void write_bundle(const std::filesystem::path& folder, const kernel_case& one,
                  const case_input& input, const std::vector<named_bytes>& found,
                  const std::string& difference);

/// Writes FOLDER/CASE of a product: one element that differs in words.safetensors, for
/// `mxprism dot`; if A and B are of a named format, also a, b, c and d for
/// `mxprism verify --gemm`; and README.txt. For a plan of several sums only a, b, c and d, as raw
/// arrays.
///   element  of D, row by row
void write_bundle(const std::filesystem::path& folder, const product_case& one,
                  const product_input& input, const std::vector<std::uint32_t>& found,
                  std::size_t element, const std::string& difference);

/// Writes FOLDER/CASE of a product with a correction: its arrays and README.txt. No command
/// verifies these.
void write_bundle(const std::filesystem::path& folder, const corrected_case& one,
                  const corrected_input& input, const std::vector<std::uint32_t>& found,
                  const std::string& difference);

/// Writes FOLDER/CASE of a product of FP32 numbers: its arrays and README.txt.
void write_bundle(const std::filesystem::path& folder, const value_case& one,
                  const value_input& input, const std::vector<std::uint32_t>& found,
                  const std::string& difference);

}  // namespace mx::kernels
