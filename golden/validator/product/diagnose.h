// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/diagnose.h: the models that may have computed a kernel's product.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison.h"
#include "distinction.h"
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
///   factors   combined in the plan's alpha
///   same_as   the first candidate with the same arithmetic on the same codes, often itself
struct product_candidate {
  const mx::named_model* entry = nullptr;
  mx::gemm_shape shape;
  std::function<held_operands()> operands;
  mx::gemm_plan plan;
  mx::sum_factors factors;
  std::size_t same_as = 0;
};

/// A and B from the same numbers, quantized otherwise.
///   operands  called when needed; no value where the numbers are refused
struct operand_reading {
  change what;
  std::function<std::optional<held_operands>()> operands;
};

/// Input of a diagnosis. The bytes are caller-owned and outlive this.
///   name, shown  of D, the second in texts; may be empty
///   k            before padding
///   c32, c16     C in bits of FP32 and FP16, where its type converts exactly; empty: no C
///   declared     an index of candidates; no value: none declared
///   readings     empty where A and B are codes
///   readers      the candidates that take the readings: the declared one, or those that read A and
///                B alike
struct product_inputs {
  std::string name, shown;
  std::uint64_t k = 0;
  std::span<const std::uint32_t> d, c32, c16;
  std::vector<product_candidate> candidates;
  std::optional<std::size_t> declared;
  std::vector<operand_reading> readings = {};
  std::vector<std::size_t> readers = {};

  [[nodiscard]] product_words words(const mx::gemm_plan& plan) const;
  [[nodiscard]] bool has_c() const { return !c32.empty() || !c16.empty(); }
};

/// One explanation of D: all its changes together, and the model that then computes D.
struct product_explanation {
  std::vector<change> changes;
  std::size_t candidate = 0;
  mx::gemm_plan plan;
};

/// The bound of a class, and D against it.
struct class_bound {
  const mx::named_model* entry = nullptr;
  product_errors errors;
};

/// A candidate, and D against it under the declared plan.
struct judged_model {
  const mx::named_model* entry = nullptr;
  mx::gemm_plan plan;
  std::size_t same_as = 0;
  product_comparison found;

  [[nodiscard]] bool is_consistent() const { return found.is_equal(); }
};

/// The verdict on a product: a value that every writer (text, JSON, JUnit XML, C) renders, and that
/// keeps nothing of the verified data.
///   models         every candidate
///   explanations   the smallest ones, that of the declared model first; empty where D is exact
///   distinctions   every other consistent arithmetic, once
///   expected       where D is not exact: the model it is reported against, the declared one, that
///                  of the first explanation, or that of the bound
///   bound          where D is not exact: of the declared model's class, or of FP32 sums
struct product_diagnosis {
  std::string name, shown;
  std::uint64_t m = 0, n = 0, k = 0;
  validator::verdict verdict = verdict::unexplained;
  std::vector<judged_model> models;
  std::optional<std::size_t> declared;
  std::vector<product_explanation> explanations;
  std::vector<model_distinction> distinctions;
  std::size_t expected = 0;
  std::optional<class_bound> bound;

  [[nodiscard]] std::uint64_t elements() const { return m * n; }
  /// The type of D.
  [[nodiscard]] const mx::format& output() const { return models.front().plan.output; }
  /// Null where none was declared.
  [[nodiscard]] const judged_model* declared_model() const {
    return declared ? &models[*declared] : nullptr;
  }
};

/// Progress callbacks.
///   compared  after each candidate
///   bounded   before elements are checked against the bound; returns the callback for these
struct diagnosis_watch {
  std::function<void()> compared = [] {};
  std::function<mx::elements_done()> bounded = [] { return mx::elements_done(); };
};

/// Compares D with every candidate, and where it is not exact searches for explanations.
///   inputs  with at least one candidate
[[nodiscard]] product_diagnosis diagnose(const product_inputs& inputs,
                                         const diagnosis_watch& watch = {});

}  // namespace golden::validator
