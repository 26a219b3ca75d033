// SPDX-License-Identifier: Apache-2.0
// kernels/verify/grouped_cases.h: grouped and batched products that every backend computes; each
// product's result is the core's of the product alone.
#pragma once
#include <array>

#include "mx/kernels/grouped_gemm.h"
#include "product_cases.h"

namespace mx::kernels {

enum class product_grouping : std::uint8_t { grouped, batched };

/// A request without its memory.
///   products  of one plan and kernel; batched ones have one shape
struct grouped_case {
  std::string name;
  product_grouping grouping = product_grouping::grouped;
  std::vector<product_case> products;
};

/// Groups with empty products and more than one launch has room for, and batches, by every kernel.
[[nodiscard]] std::vector<grouped_case> grouped_table();

struct grouped_input {
  std::vector<product_input> products;
};
[[nodiscard]] grouped_input input_of(const grouped_case& one);

/// The elements of every D, one product after another, by the core alone.
[[nodiscard]] std::vector<std::uint32_t> products_of_core(const grouped_case& one,
                                                          const grouped_input& input);

/// A product that differs, and its part of all elements.
struct grouped_place {
  std::size_t product = 0, first = 0, count = 0;
};
[[nodiscard]] grouped_place first_difference(const grouped_case& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

/// "product 3, (1, 5): 0x40000000 instead of 0x40000001"; empty if none differs.
[[nodiscard]] std::string difference_between(const grouped_case& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

/// The arrays of all products, each product's at a multiple of 256 bytes.
///   bytes  codes and scales of a, of b, C and D
///   at     of each product, its first byte in each of them
struct grouped_arrays {
  enum array : std::uint8_t { a_codes, a_scales, b_codes, b_scales, c, d };
  static constexpr std::size_t count = 6;
  std::array<std::vector<std::uint8_t>, count> bytes;
  std::vector<std::array<std::size_t, count>> at;

  static grouped_arrays of(const grouped_case& one, const grouped_input& input);

  /// The elements of every D, from its bytes after the products.
  [[nodiscard]] std::vector<std::uint32_t> elements(const grouped_case& one,
                                                    const std::vector<std::uint8_t>& d_bytes) const;
};

/// Where these arrays begin.
using grouped_memory = std::array<std::uint8_t*, grouped_arrays::count>;

[[nodiscard]] std::vector<gemm_group> groups_of(const grouped_case& one, const grouped_input& input,
                                                const grouped_arrays& arrays,
                                                const grouped_memory& memory);
/// The same products as a batch.
[[nodiscard]] gemm_batched_request batch_of(const grouped_case& one,
                                            const std::vector<gemm_group>& groups,
                                            const grouped_arrays& arrays);

}  // namespace mx::kernels
