// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/products.cpp: products on a device.
#include "golden/bindings/cuda/launched.h"
#include "golden/bindings/product_arguments.h"
#include "mx/kernels/gemm.h"

namespace bindings::cuda {
namespace {

/// Numbers of an array on a device, aligned to themselves.
void expect_array(const mx_buffer& array, std::uint64_t elements, int bits, const char* name) {
  const auto bytes = static_cast<std::uint64_t>(bits / 8);
  expect_bytes(array, product(elements, bytes), name);
  expect_aligned(array.data, bytes, name);
}

/// The request, without workspace.
mx::kernels::gemm_request request_of(const mx_model* model, const mx_product* of,
                                     const mx_plan* plan) {
  const mx::dot_model& m = model_of(model);
  const mx_product p = read(of);
  mx::kernels::gemm_request made;
  made.plan = plan_of(m, plan);
  const placed_factors factors = placed_factors_of(m, p);
  made.shape = factors.shape, made.a = factors.a, made.b = factors.b;
  const std::uint64_t elements = product(p.m, p.n);
  if (p.c.data != nullptr || p.c.bytes != 0) {
    expect_array(p.c, elements, m.sum.result.width(), "c");
  }
  expect_array(p.d, elements, made.plan.output.width(), "d");
  made.c = p.c.data, made.d = p.d.data;
  return made;
}

void multiply(const mx_model* model, const mx_product* of, const mx_plan* plan,
              const mx_buffer* workspace, mx::kernels::stream on) {
  mx::kernels::gemm_request request = request_of(model, of, plan);
  if (workspace != nullptr && workspace->bytes > 0) {
    require(workspace->data != nullptr, "workspace is null");
    request.workspace = workspace->data;
    request.workspace_bytes = static_cast<std::int64_t>(workspace->bytes);
  }
  expect_usable();
  expect_launched(model->name, mx::kernels::gemm(request, on));
}

}  // namespace
}  // namespace bindings::cuda

mx_status mx_cuda_gemm_workspace(const mx_model* model, const mx_product* product,
                                 const mx_plan* plan, uint64_t* bytes, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(bytes != nullptr, "the address for the bytes is null");
    *bytes = static_cast<std::uint64_t>(
        mx::kernels::gemm_workspace_bytes(bindings::cuda::request_of(model, product, plan)));
  });
}

mx_status mx_cuda_model_gemm(const mx_model* model, const mx_product* product, const mx_plan* plan,
                             const mx_buffer* workspace, mx_cuda_stream stream, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::cuda::multiply(model, product, plan, workspace, bindings::cuda::stream_of(stream));
  });
}
