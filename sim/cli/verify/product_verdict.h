// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_verdict.h: what a kernel's product says about the models that may have
// computed it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/validator/product_errors.h"
#include "sim/cli/verify/product_inputs.h"

namespace sim::cli {

///   exact        the declared model, or where none is declared any, is consistent with D
///   explained    another model is, or a plan that differs in one thing
///   unexplained  nothing that was tried is
enum class verdict_kind : unsigned char { exact, explained, unexplained };

/// Something that is otherwise than declared: `accumulator` (the model), `output_rounding`,
/// `operation_order`, `tensor_scale`.
struct product_dimension {
  std::string dimension, expected, found;
};

/// One way to explain D: what is otherwise, all of it at once.
using product_explanation = std::vector<product_dimension>;

/// The bound of a class, and what D makes of it.
struct class_bound {
  const mx::named_model* entry = nullptr;
  golden::validator::product_errors errors;
};

///   comparisons    of every candidate, under the declared plan
///   explanations   the smallest ones, that of the declared model first; empty where D is exact
///   bound          where D is not exact: of the declared model's class, or of FP32 sums
struct product_verdict {
  verdict_kind kind = verdict_kind::unexplained;
  std::vector<golden::validator::product_comparison> comparisons;
  std::vector<product_explanation> explanations;
  std::optional<class_bound> bound;

  [[nodiscard]] bool is_consistent(std::size_t candidate) const {
    return comparisons[candidate].is_equal();
  }
};

[[nodiscard]] product_verdict verdict_on(const product_inputs& inputs);

}  // namespace sim::cli
