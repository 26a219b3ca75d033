// SPDX-License-Identifier: Apache-2.0
// golden/bindings/gemm.cpp: whole products from the caller's matrices.
#include "golden/bindings/product_arguments.h"

mx_status mx_plan_default(const mx_model* model, mx_plan* plan, mx_error* error) {
  return bindings::described(plan, error,
                             [&] { return bindings::default_plan(bindings::model_of(model)); });
}

mx_status mx_model_gemm(const mx_model* model, const mx_product* product, const mx_plan* plan,
                        mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx::dot_model& m = bindings::model_of(model);
    const mx::gemm_plan chosen = bindings::plan_of(m, plan);
    const bindings::product_arguments p = bindings::product_of(m, product);
    mx::gemm(chosen, p.shape, p.a, p.b, p.c, p.d);
  });
}
