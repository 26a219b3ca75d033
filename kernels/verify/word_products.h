// SPDX-License-Identifier: Apache-2.0
// kernels/verify/word_products.h: golden's committed words of dot products (golden/vectors) as
// products for kernels.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "golden/vectors/word_file.h"
#include "product_cases.h"

namespace mx::kernels {

/// Words of one model and one length as one product: word i is row i of A, column i of B and
/// element (i, i) of C and D.
///   labels, d  of word i: its purpose, and the bits of golden/reference
struct word_product {
  product_case product;
  product_input input;
  std::vector<std::string> labels;
  std::vector<std::uint32_t> d;
};

/// The words of some files, and the number of words unsuitable for kernels.
///   ragged  words that end within a block, which zeros cannot pad without changing the sum
struct word_products {
  std::vector<word_product> products;
  int words = 0, ragged = 0;
};

/// Every model with every kernel that supports it.
///   errors  std::invalid_argument if a file has a model or a format that the emulator lacks
[[nodiscard]] word_products word_products_of(const std::vector<golden::words::word_file>& files);

/// D by the core, with golden's bits on the diagonal.
[[nodiscard]] std::vector<std::uint32_t> expected_of(const word_product& one);

/// As for other products, followed by the word's label if golden's bits differ.
[[nodiscard]] std::string difference_between(const word_product& one,
                                             const std::vector<std::uint32_t>& expected,
                                             const std::vector<std::uint32_t>& found);

}  // namespace mx::kernels
