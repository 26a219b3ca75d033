// SPDX-License-Identifier: Apache-2.0
// golden/bindings/product_arguments.h: a caller's product, validated and in core types.
#pragma once
#include "golden/bindings/model_handle.h"
#include "mx/dot/bulk_gemm.h"

namespace bindings {

/// The default plan, which applies nothing to the model's sums.
[[nodiscard]] mx_plan default_plan(const mx::dot_model& model);

/// The plan of a caller; null: the default plan.
///   errors  mx_status_bad_argument, mx_status_unsupported
[[nodiscard]] mx::gemm_plan plan_of(const mx::dot_model& model, const mx_plan* requested);
/// What a plan multiplies sums by; a null plan is the default one.
[[nodiscard]] mx::sum_factors factors_of(const mx_plan* requested);

/// The shape and the factors of a product.
struct placed_factors {
  mx::gemm_shape shape;
  mx::gemm_operand a, b;
};

/// Validated by their sizes alone: the codes, which may be on a device, are not read.
///   errors  mx_status_bad_argument
[[nodiscard]] placed_factors placed_factors_of(const mx::dot_model& model,
                                               const mx_product& product);

/// The parts of a product, in caller-owned memory.
///   c  null: +0 everywhere
struct product_arguments : placed_factors {
  const std::uint32_t* c = nullptr;
  std::uint32_t* d = nullptr;

  [[nodiscard]] std::uint64_t elements() const {
    return static_cast<std::uint64_t>(shape.m) * static_cast<std::uint64_t>(shape.n);
  }
};

/// The product of a caller.
///   errors  mx_status_bad_argument
[[nodiscard]] product_arguments product_of(const mx::dot_model& model, const mx_product* product);

}  // namespace bindings
