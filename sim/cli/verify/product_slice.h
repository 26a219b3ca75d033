// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_slice.h: one element of a product: a row of A and a column of B, with as
// little of K as still shows that D is not as expected.
#pragma once
#include "sim/cli/verify/product_candidates.h"

namespace sim::cli {

/// A line of a factor.
struct slice_line {
  std::vector<std::uint8_t> codes, scales;
};

/// The remaining part of K: all of it; its first elements, on which the explanation of D already
/// differs; or all but the parts in which every product is zero.
enum class slice_cut : unsigned char { whole, first_part, without_zeros };

/// The remaining K, and the factors on it.
///   k          of the factors, padded
///   c          in bits of the model's result; no value where the product has none
///   expected   by the plan       found  in D; of the first part alone, by the explanation
///   in_d       the word in D, of all of K
struct product_slice {
  std::int64_t row = 0, column = 0, k = 0;
  slice_cut cut = slice_cut::whole;
  slice_line a, b;
  std::optional<std::uint32_t> c;
  std::uint32_t expected = 0, found = 0, in_d = 0;
};

/// The first element of D that differs from the candidate it is reported against.
[[nodiscard]] product_slice slice_of(const product_files& files,
                                     const golden::validator::product_diagnosis& d);

}  // namespace sim::cli
