// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/products.cpp: products on a device.
#include <vector>

#include "golden/bindings/cuda/launched.h"
#include "golden/bindings/product_arguments.h"
#include "mx/kernels/grouped_gemm.h"

namespace bindings {

template <>
inline constexpr publication publication_of<mx_cuda_batch>{"mx_cuda_batch", 80};

namespace cuda {
namespace {

/// Numbers of an array on a device, aligned to themselves.
void expect_array(const mx_buffer& array, std::uint64_t elements, int bits, const char* name) {
  const auto bytes = static_cast<std::uint64_t>(bits / 8);
  expect_bytes(array, product(elements, bytes), name);
  expect_aligned(array.data, bytes, name);
}

/// Elements between the rows of C and of D; 0: n.
struct row_strides {
  std::uint64_t c = 0, d = 0;
};

/// Elements from the first of a matrix to its last.
std::uint64_t span_of(const mx_product& p, std::uint64_t stride, const char* sentence) {
  if (stride == 0 || p.m == 0 || p.n == 0) return product(p.m, p.n);
  require(stride >= p.n, sentence);
  return product(p.m - 1, stride) + p.n;
}

/// The request, without workspace.
mx::kernels::gemm_request request_of(const mx_model* model, const mx_product& p,
                                     const mx_plan* plan, const row_strides& strides) {
  const mx::dot_model& m = model_of(model);
  mx::kernels::gemm_request made;
  made.plan = plan_of(m, plan);
  const placed_factors factors = placed_factors_of(m, p);
  made.shape = factors.shape, made.a = factors.a, made.b = factors.b;
  if (p.c.data != nullptr || p.c.bytes != 0) {
    expect_array(p.c, span_of(p, strides.c, "c_stride: rows would overlap"), m.sum.result.width(),
                 "c");
  }
  expect_array(p.d, span_of(p, strides.d, "d_stride: rows would overlap"), made.plan.output.width(),
               "d");
  made.c = p.c.data, made.d = p.d.data;
  made.c_stride = static_cast<std::int64_t>(strides.c);
  made.d_stride = static_cast<std::int64_t>(strides.d);
  return made;
}

mx::kernels::gemm_request request_of(const mx_model* model, const mx_product* of,
                                     const mx_plan* plan) {
  return request_of(model, read(of), plan, {});
}

constexpr std::uint64_t most_products = mx::kernels::most_products;
constexpr std::uint64_t longest_step = std::uint64_t{1} << 40;

/// The first product's part of a buffer of all; a buffer without bytes stays as it is.
///   step  bytes
mx_buffer first_part(mx_buffer all, std::uint64_t count, std::uint64_t step, const char* sentence) {
  if (all.bytes == 0 || count == 0) return all;
  require(all.bytes >= product(count - 1, step), sentence);
  all.bytes -= product(count - 1, step);
  return all;
}

mx::kernels::gemm_batched_request batch_of(const mx_model* model, const mx_product* of,
                                           const mx_plan* plan, const mx_cuda_batch* batch) {
  const mx::dot_model& m = model_of(model);
  const mx_cuda_batch b = read(batch);
  require(b.count <= most_products, "count is above 2^20");
  for (const std::uint64_t distance : {b.a_step, b.a_scales_step, b.b_step, b.b_scales_step,
                                       b.c_step, b.d_step, b.c_stride, b.d_stride}) {
    require(distance <= longest_step, "a step or a stride is above 2^40");
  }
  const auto result = static_cast<std::uint64_t>(m.sum.result.width() / 8);
  const auto output = static_cast<std::uint64_t>(plan_of(m, plan).output.width() / 8);
  mx_product p = read(of);
  p.a.codes = first_part(p.a.codes, b.count, b.a_step, "a: fewer bytes than a_step requires");
  p.b.codes = first_part(p.b.codes, b.count, b.b_step, "b: fewer bytes than b_step requires");
  p.a.scales = first_part(p.a.scales, b.count, b.a_scales_step,
                          "a.scales: fewer bytes than a_scales_step requires");
  p.b.scales = first_part(p.b.scales, b.count, b.b_scales_step,
                          "b.scales: fewer bytes than b_scales_step requires");
  p.c = first_part(p.c, b.count, b.c_step * result, "c: fewer bytes than c_step requires");
  p.d = first_part(p.d, b.count, b.d_step * output, "d: fewer bytes than d_step requires");
  const auto whole = [](std::uint64_t step) { return static_cast<std::int64_t>(step); };
  mx::kernels::gemm_batched_request made;
  made.first = request_of(model, p, plan, {b.c_stride, b.d_stride});
  made.count = whole(b.count);
  made.a_step = whole(b.a_step), made.a_scales_step = whole(b.a_scales_step);
  made.b_step = whole(b.b_step), made.b_scales_step = whole(b.b_scales_step);
  made.c_step = whole(b.c_step), made.d_step = whole(b.d_step);
  return made;
}

/// A group's request, and the products that it names.
struct grouped_products {
  std::vector<mx::kernels::gemm_group> groups;
  mx::kernels::gemm_grouped_request request;

  grouped_products(const mx_model* model, const mx_product* const* products, std::uint64_t count,
                   const mx_plan* plan) {
    require(count <= most_products, "count is above 2^20");
    require(count == 0 || products != nullptr, "products is null");
    request.plan = plan_of(model_of(model), plan);
    for (std::uint64_t i = 0; i < count; ++i) {
      const mx::kernels::gemm_request one = request_of(model, products[i], plan);
      groups.push_back({one.shape, one.a, one.b, one.c, one.d});
    }
    request.groups = groups.data();
    request.count = static_cast<std::int64_t>(count);
  }
  grouped_products(const grouped_products&) = delete;
  grouped_products& operator=(const grouped_products&) = delete;
};

template <class Request>
void give_workspace(Request& request, const mx_buffer* workspace) {
  if (workspace == nullptr || workspace->bytes == 0) return;
  require(workspace->data != nullptr, "workspace is null");
  request.workspace = workspace->data;
  request.workspace_bytes = static_cast<std::int64_t>(workspace->bytes);
}

void multiply_batch(const mx_model* model, const mx_product* of, const mx_plan* plan,
                    const mx_cuda_batch* batch, const mx_buffer* workspace,
                    mx::kernels::stream on) {
  mx::kernels::gemm_batched_request request = batch_of(model, of, plan, batch);
  give_workspace(request.first, workspace);
  expect_usable();
  expect_launched(model->name, mx::kernels::gemm_batched(request, on));
}

void multiply_groups(const mx_model* model, const mx_product* const* products, std::uint64_t count,
                     const mx_plan* plan, const mx_buffer* workspace, mx::kernels::stream on) {
  grouped_products made(model, products, count, plan);
  give_workspace(made.request, workspace);
  expect_usable();
  expect_launched(model->name, mx::kernels::gemm_grouped(made.request, on));
}

void multiply(const mx_model* model, const mx_product* of, const mx_plan* plan,
              const mx_buffer* workspace, mx::kernels::stream on) {
  mx::kernels::gemm_request request = request_of(model, of, plan);
  give_workspace(request, workspace);
  expect_usable();
  expect_launched(model->name, mx::kernels::gemm(request, on));
}

}  // namespace
}  // namespace cuda
}  // namespace bindings

mx_status mx_cuda_model_gemm_workspace(const mx_model* model, const mx_product* product,
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

mx_status mx_cuda_model_gemm_batched_workspace(const mx_model* model, const mx_product* product,
                                               const mx_plan* plan, const mx_cuda_batch* batch,
                                               uint64_t* bytes, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(bytes != nullptr, "the address for the bytes is null");
    *bytes = static_cast<std::uint64_t>(
        mx::kernels::gemm_workspace_bytes(bindings::cuda::batch_of(model, product, plan, batch)));
  });
}

mx_status mx_cuda_model_gemm_batched(const mx_model* model, const mx_product* product,
                                     const mx_plan* plan, const mx_cuda_batch* batch,
                                     const mx_buffer* workspace, mx_cuda_stream stream,
                                     mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::cuda::multiply_batch(model, product, plan, batch, workspace,
                                   bindings::cuda::stream_of(stream));
  });
}

mx_status mx_cuda_model_gemm_grouped_workspace(const mx_model* model,
                                               const mx_product* const* products, uint64_t count,
                                               const mx_plan* plan, uint64_t* bytes,
                                               mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::require(bytes != nullptr, "the address for the bytes is null");
    const bindings::cuda::grouped_products made(model, products, count, plan);
    *bytes = static_cast<std::uint64_t>(mx::kernels::gemm_workspace_bytes(made.request));
  });
}

mx_status mx_cuda_model_gemm_grouped(const mx_model* model, const mx_product* const* products,
                                     uint64_t count, const mx_plan* plan,
                                     const mx_buffer* workspace, mx_cuda_stream stream,
                                     mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::cuda::multiply_groups(model, products, count, plan, workspace,
                                    bindings::cuda::stream_of(stream));
  });
}
