// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/verdict.h: the models that may have computed a kernel's product.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison.h"
#include "errors.h"
#include "golden/validator/verdict.h"
#include "mx/dot/models.h"

namespace golden::validator {

/// A and B with their codes, which keep their addresses as long as this lives.
struct held_operands {
  product_operands view;
  std::shared_ptr<const void> holder = nullptr;
};

/// A model that may have computed D, with A and B as it reads them.
///   operands  called when needed: of many readings, one may be in memory at a time
///   same_as   the first candidate with the same arithmetic on the same codes, often itself
struct product_candidate {
  const mx::named_model* entry = nullptr;
  mx::gemm_shape shape;
  std::function<held_operands()> operands;
  mx::gemm_plan plan;
  std::size_t same_as = 0;
};

/// Input of a verdict. The bytes are caller-owned and outlive this.
///   c32, c16  C in bits of FP32 and FP16, where its type converts exactly; empty: no C
///   declared  an index of candidates; no value: none declared
struct product_inputs {
  std::span<const std::uint32_t> d, c32, c16;
  std::vector<product_candidate> candidates;
  std::optional<std::size_t> declared;

  [[nodiscard]] product_words words(const mx::gemm_plan& plan) const;
  [[nodiscard]] bool has_c() const { return !c32.empty() || !c16.empty(); }
};

/// A difference from what was declared: `accumulator` (the model), `output_rounding`,
/// `operation_order`, `tensor_scale`.
struct product_dimension {
  std::string dimension, expected, found;
};

/// One explanation of D: all its differences together, and the model that then computes D.
struct product_explanation {
  std::vector<product_dimension> dimensions;
  std::size_t candidate = 0;
  mx::gemm_plan plan;
};

/// The bound of a class, and D against it.
struct class_bound {
  const mx::named_model* entry = nullptr;
  product_errors errors;
};

///   comparisons    of every candidate, under the declared plan
///   explanations   the smallest ones, that of the declared model first; empty where D is exact
///   bound          where D is not exact: of the declared model's class, or of FP32 sums
struct product_verdict {
  verdict kind = verdict::unexplained;
  std::vector<product_comparison> comparisons;
  std::vector<product_explanation> explanations;
  std::optional<class_bound> bound;

  [[nodiscard]] bool is_consistent(std::size_t candidate) const {
    return comparisons[candidate].is_equal();
  }
};

/// Progress callbacks.
///   compared  after each candidate
///   bounded   before elements are checked against the bound; returns the callback for these
struct verdict_watch {
  std::function<void()> compared = [] {};
  std::function<mx::elements_done()> bounded = [] { return mx::elements_done(); };
};

/// The candidate that an inexact D is reported against: the declared one, that of the explanation,
/// or that of the bound.
[[nodiscard]] std::size_t expected_of(const product_inputs& inputs, const product_verdict& verdict);

[[nodiscard]] product_verdict verdict_on(const product_inputs& inputs,
                                         const verdict_watch& watch = {});

}  // namespace golden::validator
