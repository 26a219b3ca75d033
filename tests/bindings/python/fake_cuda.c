// SPDX-License-Identifier: Apache-2.0
// tests/bindings/python/fake_cuda.c: libmxprism_cuda without a device: libmxprism on memory of the
// host, which pretends to be a device's. MX_FAKE_MISSING in the environment is the part that is
// missing.
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

mx_status mx_cuda_tensor_quantize(const mx_format* format, const mx_shape* shape,
                                  const mx_numbers* numbers, const mx_coded* coded,
                                  mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  return mx_tensor_quantize(format, shape, numbers, coded, NULL, error);
}

mx_status mx_cuda_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                                    const mx_coded* coded, int32_t type, const mx_buffer* values,
                                    mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok || type != mx_number_fp32) return mx_status_device;
  return mx_tensor_dequantize(format, shape, coded, values, error);
}

mx_status mx_cuda_decompose_workspace(const mx_format* format, const mx_shape* shape,
                                      uint64_t* bytes, mx_error* error) {
  *bytes = format != NULL && shape != NULL ? 48 : 0;
  (void)error;
  return mx_status_ok;
}

mx_status mx_cuda_tensor_decompose(const mx_format* format, const mx_shape* shape,
                                   const mx_numbers* numbers, const mx_buffer* tensor_scales,
                                   const mx_buffer* workspace, mx_energy* energy,
                                   mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  if (workspace->data == NULL || workspace->bytes < 48) return mx_status_internal;
  return mx_tensor_decompose(format, shape, numbers, tensor_scales, energy, error);
}

mx_status mx_cuda_gemm_workspace(const mx_model* model, const mx_product* product,
                                 const mx_plan* plan, uint64_t* bytes, mx_error* error) {
  *bytes = model != NULL && product != NULL && plan != NULL ? 32 : 0;
  (void)error;
  return mx_status_ok;
}

mx_status mx_cuda_model_gemm(const mx_model* model, const mx_product* product, const mx_plan* plan,
                             const mx_buffer* workspace, mx_cuda_stream stream, mx_error* error) {
  if (missing(error, stream) != mx_status_ok) return mx_status_device;
  if (workspace->data == NULL || workspace->bytes < 32) return mx_status_internal;
  return mx_model_gemm(model, product, plan, error);
}
