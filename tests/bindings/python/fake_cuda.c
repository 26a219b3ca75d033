// SPDX-License-Identifier: Apache-2.0
// tests/bindings/python/fake_cuda.c: libmxprism_cuda without a device: libmxprism on memory of the
// host, which pretends to be a device's, with copies of rows that have gaps. MX_FAKE_MISSING in the
// environment is the part that is missing.
#include <mxprism/cuda.h>
#include <mxprism/mxprism.h>
#include <stdlib.h>
#include <string.h>

static mx_cuda_stream last_stream;

/// The stream of the last call.
MX_API uint64_t fake_stream(void);
uint64_t fake_stream(void) { return (uint64_t)(uintptr_t)last_stream; }

static mx_status missing(mx_error* error, mx_cuda_stream stream) {
  const char* part = getenv("MX_FAKE_MISSING");
  last_stream = stream;
  if (part == NULL) return mx_status_ok;
  if (error != NULL && error->capacity > strlen(part)) strcpy(error->text, part);
  return mx_status_device;
}

mx_status mx_cuda_available(mx_error* error) { return missing(error, NULL); }

/// Rows of bytes: `stride` apart, or dense.
typedef struct rows {
  uint64_t count, bytes, stride;
} rows;

static rows rows_of(const mx_shape* shape, uint64_t row_stride, uint64_t bytes_of_number) {
  uint64_t count = 1, columns = shape->extents[shape->dimensions - 1];
  for (uint32_t i = 0; i + 1 < shape->dimensions; ++i) count *= shape->extents[i];
  rows found = {count, columns * bytes_of_number,
                (row_stride == 0 ? columns : row_stride) * bytes_of_number};
  return found;
}

static unsigned char* gathered(const rows* r, const void* from) {
  unsigned char* dense = malloc(r->count * r->bytes + 1);
  for (uint64_t i = 0; i < r->count; ++i) {
    memcpy(dense + i * r->bytes, (const unsigned char*)from + i * r->stride, r->bytes);
  }
  return dense;
}

static void scatter(const rows* r, const unsigned char* dense, void* to) {
  for (uint64_t i = 0; i < r->count; ++i) {
    memcpy((unsigned char*)to + i * r->stride, dense + i * r->bytes, r->bytes);
  }
}

static uint64_t bytes_of(int32_t type) { return type == mx_number_fp32 ? 4 : 2; }

/// The size that the real library requires of numbers with gaps.
static int is_whole(const rows* r, uint64_t bytes) {
  return r->count == 0 || r->bytes == 0 ? bytes == 0
                                        : bytes == (r->count - 1) * r->stride + r->bytes;
}

mx_status mx_cuda_tensor_quantize_rows(const mx_format* format, const mx_shape* shape,
                                       const mx_numbers* numbers, uint64_t row_stride,
                                       const mx_coded* coded, mx_cuda_stream stream,
                                       mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  const rows r = rows_of(shape, row_stride, bytes_of(numbers->type));
  if (!is_whole(&r, numbers->bytes)) return mx_status_internal;
  unsigned char* dense = gathered(&r, numbers->data);
  const mx_numbers of = {dense, r.count * r.bytes, numbers->type};
  const mx_status done = mx_tensor_quantize(format, shape, &of, coded, NULL, error);
  free(dense);
  return done;
}

mx_status mx_cuda_tensor_dequantize_rows(const mx_format* format, const mx_shape* shape,
                                         const mx_coded* coded, int32_t type,
                                         const mx_buffer* values, uint64_t row_stride,
                                         mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok || type != mx_number_fp32) return mx_status_device;
  const rows r = rows_of(shape, row_stride, 4);
  if (!is_whole(&r, values->bytes)) return mx_status_internal;
  const mx_buffer dense = {malloc(r.count * r.bytes + 1), r.count * r.bytes};
  const mx_status done = mx_tensor_dequantize(format, shape, coded, &dense, error);
  if (done == mx_status_ok) scatter(&r, dense.data, values->data);
  free(dense.data);
  return done;
}

mx_status mx_cuda_tensor_decompose_workspace(const mx_format* format, const mx_shape* shape,
                                             uint64_t* bytes, mx_error* error) {
  *bytes = format != NULL && shape != NULL ? 48 : 0;
  (void)error;
  return mx_status_ok;
}

mx_status mx_cuda_tensor_decompose_rows(const mx_format* format, const mx_shape* shape,
                                        const mx_numbers* numbers, uint64_t row_stride,
                                        const mx_buffer* tensor_scales, const mx_buffer* workspace,
                                        mx_energy* energy, mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  if (workspace->data == NULL || workspace->bytes < 48) return mx_status_internal;
  const rows r = rows_of(shape, row_stride, bytes_of(numbers->type));
  if (!is_whole(&r, numbers->bytes)) return mx_status_internal;
  unsigned char* dense = gathered(&r, numbers->data);
  const mx_numbers of = {dense, r.count * r.bytes, numbers->type};
  const mx_status done = mx_tensor_decompose(format, shape, &of, tensor_scales, energy, error);
  free(dense);
  return done;
}

mx_status mx_cuda_model_gemm_batched_workspace(const mx_model* model, const mx_product* product,
                                               const mx_plan* plan, const mx_cuda_batch* batch,
                                               uint64_t* bytes, mx_error* error) {
  *bytes = model != NULL && product != NULL && plan != NULL && batch != NULL ? 32 : 0;
  (void)error;
  return mx_status_ok;
}

/// Product i's part of a buffer of all.
static mx_buffer part(mx_buffer all, const mx_cuda_batch* batch, uint64_t i, uint64_t step) {
  if (all.bytes == 0) return all;
  mx_buffer one = {(unsigned char*)all.data + i * step, all.bytes - (batch->count - 1) * step};
  return one;
}

/// One product of FP32 results.
static mx_status multiplied(const mx_model* model, const mx_product* all, const mx_plan* plan,
                            const mx_cuda_batch* batch, uint64_t i, mx_error* error) {
  mx_product one = *all;
  one.a.codes = part(all->a.codes, batch, i, batch->a_step);
  one.a.scales = part(all->a.scales, batch, i, batch->a_scales_step);
  one.b.codes = part(all->b.codes, batch, i, batch->b_step);
  one.b.scales = part(all->b.scales, batch, i, batch->b_scales_step);
  const rows of_c = {one.m, one.n * 4, batch->c_stride * 4};
  const rows of_d = {one.m, one.n * 4, batch->d_stride * 4};
  const mx_buffer c = part(all->c, batch, i, batch->c_step * 4);
  const mx_buffer d = part(all->d, batch, i, batch->d_step * 4);
  if ((c.bytes != 0 && !is_whole(&of_c, c.bytes)) || !is_whole(&of_d, d.bytes)) {
    return mx_status_internal;
  }
  one.d.data = malloc(one.m * one.n * 4 + 1);
  one.d.bytes = one.m * one.n * 4;
  if (c.bytes != 0) {
    one.c.data = gathered(&of_c, c.data);
    one.c.bytes = one.d.bytes;
  }
  const mx_status done = mx_model_gemm(model, &one, plan, error);
  if (done == mx_status_ok) scatter(&of_d, one.d.data, d.data);
  if (c.bytes != 0) free(one.c.data);
  free(one.d.data);
  return done;
}

mx_status mx_cuda_model_gemm_batched(const mx_model* model, const mx_product* product,
                                     const mx_plan* plan, const mx_cuda_batch* batch,
                                     const mx_buffer* workspace, mx_cuda_stream stream,
                                     mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  if (workspace->data == NULL || workspace->bytes < 32) return mx_status_internal;
  if (batch->struct_size != sizeof *batch) return mx_status_internal;
  for (uint64_t i = 0; i < batch->count; ++i) {
    const mx_status done = multiplied(model, product, plan, batch, i, error);
    if (done != mx_status_ok) return done;
  }
  return mx_status_ok;
}

mx_status mx_cuda_model_gemm_grouped_workspace(const mx_model* model,
                                               const mx_product* const* products, uint64_t count,
                                               const mx_plan* plan, uint64_t* bytes,
                                               mx_error* error) {
  *bytes = model != NULL && products != NULL && plan != NULL && count != 0 ? 32 : 0;
  (void)error;
  return mx_status_ok;
}

mx_status mx_cuda_model_gemm_grouped(const mx_model* model, const mx_product* const* products,
                                     uint64_t count, const mx_plan* plan,
                                     const mx_buffer* workspace, mx_cuda_stream stream,
                                     mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  if (workspace->data == NULL || workspace->bytes < 32) return mx_status_internal;
  for (uint64_t i = 0; i < count; ++i) {
    const mx_status done = mx_model_gemm(model, products[i], plan, error);
    if (done != mx_status_ok) return done;
  }
  return mx_status_ok;
}
