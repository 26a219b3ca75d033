// SPDX-License-Identifier: Apache-2.0
// kernels/verify/product_cases.h: products that every backend computes, and the core's results.
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/gemm.h"
#include "products.h"
#include "value_names.h"

namespace mx::kernels {

inline constexpr named_value<scales> scales_names[] = {
    {scales::near, "near"},       {scales::spread, "spread"}, {scales::far, "far"},
    {scales::falling, "falling"}, {scales::ragged, "ragged"}, {scales::uneven, "uneven"}};

[[nodiscard]] inline std::string name_of(const gemm_shape& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

/// A product without its memory.
///   kind, c  distribution of its scales and of its C
///   gap      elements between the rows of D (gapped_cases.h); those of C have two more
struct product_case {
  std::string name;
  gemm_plan plan;
  gemm_shape shape;
  scales kind = scales::near;
  addends c = addends::none;
  gemm_kernel kernel = gemm_kernel::best;
  std::int64_t gap = 0;
};

/// Every kernel and arithmetic; edges of tiles, one line, scales of all kinds.
[[nodiscard]] std::vector<product_case> product_table();

/// Each kernel and arithmetic at k of 1056 and 2080: at the latter every ring of stages in shared
/// memory wraps twice. Devices only: the bodies on the CPU would take minutes.
[[nodiscard]] std::vector<product_case> deep_product_table();

/// Operands of a case; they depend on its shape and kinds alone.
struct product_input {
  lines_of_codes a, b;
  std::vector<std::uint32_t> c;
};
[[nodiscard]] product_input input_of(const product_case& one);

/// D by the core alone (mx/dot/gemm.h), in the bits of plan.output.
[[nodiscard]] std::vector<std::uint32_t> product_of_core(const product_case& one,
                                                         const product_input& input);

/// The first element, row by row, at which D differs; its size if none does.
[[nodiscard]] std::size_t first_difference(const std::vector<std::uint32_t>& expected,
                                           const std::vector<std::uint32_t>& found);

/// That element: "(3, 5): 0x40000000 instead of 0x40000001"; empty if none
/// differs.
[[nodiscard]] std::string difference_between(const gemm_shape& shape,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

}  // namespace mx::kernels
