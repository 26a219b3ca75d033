// SPDX-License-Identifier: Apache-2.0
// kernels/verify/value_cases.h: products of FP32 numbers, and trees over products, that every
// backend computes (values.h), and the core's results, which equal mx::multiply, mx::add_leaves and
// mx::coded_leaves (tests/kernels/verify/value_cases_test.cpp).
#pragma once
#include <string>
#include <vector>

#include "mx/kernels/values.h"

namespace mx::kernels {

enum class value_operation : std::uint8_t { multiply, add_leaves, add_products };

/// A request without its memory.
///   rows, columns  of the results; k of multiply
///   gap            elements after each line of a factor, and of multiply's C
///   first, count   leaves of add_leaves and add_products
struct value_case {
  std::string name;
  value_operation what = value_operation::multiply;
  std::int64_t rows = 0, columns = 0, k = 0, gap = 0;
  int first = 0, count = 0;
};

/// Edges of tiles and of slices, no k, gaps; trees that carry through several levels.
[[nodiscard]] std::vector<value_case> value_table();

/// Deep products, and leaves of a layer's size.
[[nodiscard]] std::vector<value_case> large_value_table();

/// Factors of a product of multiply, or of each leaf; of add_products its D and, as the right one,
/// its alpha. None of a case has NaN or Inf.
///   results  what C, with its gaps, or the levels one after another hold before the launch
struct value_input {
  struct factors {
    std::vector<float> left, right;
    int k = 0;
  };
  std::vector<factors> products;
  std::vector<float> results;
};
[[nodiscard]] value_input input_of(const value_case& one);

/// The results after the launch, as bits, by the core alone (mx/number/bits.h).
[[nodiscard]] std::vector<std::uint32_t> values_of_core(const value_case& one,
                                                        const value_input& input);

/// Elements of a level, or of all of C.
[[nodiscard]] std::size_t level_size(const value_case& one);

/// The first result that differs: "row 3, column 5: 0x40000000 instead of 0x40000001", with its
/// level for add_leaves and add_products; empty if none does.
[[nodiscard]] std::string difference_between(const value_case& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

/// The request, given the memory of its factors and results.
[[nodiscard]] value_product_request request_of(const value_case& one, const float* a,
                                               const float* b, float* c);
[[nodiscard]] value_leaves_request request_of(const value_case& one, const value_leaf* leaves,
                                              float* const* levels);
[[nodiscard]] product_leaves_request request_of(const value_case& one, const float* products,
                                                const float* alphas, float* const* levels);

/// The plan of add_products.
[[nodiscard]] gemm_plan plan_of_leaves();
/// The left factors of all leaves one after another, or the right ones.
[[nodiscard]] std::vector<float> joined(const value_input& input,
                                        std::vector<float> value_input::factors::*side);

}  // namespace mx::kernels
