// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/product_mutant.h: known bugs of products of quantized matrices: of what
// goes in, and of the sums.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mutant.h"
#include "mx/dot/accumulation.h"

namespace golden::validator {

/// D = A * B under a model. A is (M, K), B is given as (N, K); the codes of both along K.
///   model  with the formats of both
///   spoil  what becomes of the right words in the end; null: nothing
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

/// Every mutant of a quantizer, applied to A, and those of both factors, of the accumulator and of
/// what is written.
[[nodiscard]] const std::vector<product_mutant>& all_product_mutants();

}  // namespace golden::validator
