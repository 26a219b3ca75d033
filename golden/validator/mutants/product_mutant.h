// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/product_mutant.h: known bugs of products of quantized matrices, in the
// operands and in the sums.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mutant.h"
#include "mx/dot/accumulation.h"

namespace golden::validator {

/// D = A * B under a model. A is (M, K), B is stored as (N, K); the codes of both run along K.
///   model  with the formats of both operands
///   spoil  changes the correct words at the end; null: leaves them
struct coded_product {
  coded_rows a, b;
  mx::dot_model model;
  void (*spoil)(const coded_product& p, std::vector<std::uint32_t>& d) = nullptr;

  /// FP32 patterns, (M, N).
  [[nodiscard]] std::vector<std::uint32_t> result() const;
};

struct product_mutant {
  std::string name, sentence;
  std::function<void(coded_product&)> apply;
};

/// Every quantizer mutant applied to A, then mutants of both operands, of the accumulator and of
/// the output.
[[nodiscard]] const std::vector<product_mutant>& all_product_mutants();

}  // namespace golden::validator
