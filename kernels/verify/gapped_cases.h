// SPDX-License-Identifier: Apache-2.0
// kernels/verify/gapped_cases.h: cases whose matrix of numbers has gaps between its rows, and their
// arrays as a request has them. A case's inputs, and results of the core, have no gaps.
#pragma once
#include "case_table.h"
#include "product_cases.h"

namespace mx::kernels {

/// Every kernel that reads or writes rows of numbers: with gaps that keep the rows 16-byte aligned,
/// and with odd ones.
[[nodiscard]] std::vector<kernel_case> gapped_case_table();

/// Every kernel and arithmetic of products, whose C and D have gaps between their rows.
[[nodiscard]] std::vector<product_case> gapped_product_table();

/// The same inputs with gaps between the rows of x, of numbers that no result may depend on.
[[nodiscard]] case_input with_gaps(const kernel_case& one, case_input input);

/// empty_results with gaps between the rows of `out`; the array "gaps" is left out.
[[nodiscard]] std::vector<named_bytes> empty_arrays(const kernel_case& one);

/// The arrays after a launch as results: those of `out`, and of the gaps, in arrays of their own.
[[nodiscard]] std::vector<named_bytes> results_in(const kernel_case& one,
                                                  std::vector<named_bytes> arrays);

/// C and D of a product in bytes, as its request has them. D has the byte 0xEE everywhere.
struct product_arrays {
  std::int64_t c_stride = 0, d_stride = 0;  ///< 0: dense
  std::vector<std::uint8_t> c, d;

  static product_arrays of(const product_case& one, const product_input& input);
};

/// Numbers of D in its array after a product.
///   errors  std::runtime_error: a byte of a gap was written
[[nodiscard]] std::vector<std::uint32_t> numbers_in(const product_case& one,
                                                    const std::vector<std::uint8_t>& d);

}  // namespace mx::kernels
