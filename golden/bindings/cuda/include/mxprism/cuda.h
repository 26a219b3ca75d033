// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/include/mxprism/cuda.h: libmxprism_cuda, the functions of libmxprism on
// tensors in the memory of a CUDA device.
#ifndef MXPRISM_CUDA_H
#define MXPRISM_CUDA_H

#include "mxprism/product.h"
#include "mxprism/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A cudaStream_t of the current device; null: the default stream.
typedef void* mx_cuda_stream;

// Of all functions
//   format, model  of libmxprism (mx_format_create, mx_model_create), of the same version
//   data           every pointer of a tensor, an array or a workspace is to memory of the current
//                  device, aligned as cudaMalloc aligns; structures are on the host
//   stream         the work is added to it. Functions allocate nothing and do not wait, except for
//                  mx_cuda_tensor_decompose; so a graph can capture them
//   results        bit for bit those of libmxprism's function of the same name
//   errors         mx_status_bad_argument: sizes, alignment, overlap; mx_status_unsupported: no
//                  kernel; mx_status_device: a driver, a device or code for its architecture is
//                  missing, or a CUDA call failed. The message names the part

/// Whether a device can be used: mx_status_ok, or mx_status_device with the missing part.
MX_API mx_status mx_cuda_available(mx_error* error);

/// Quantizes, as mx_tensor_quantize. Blocks lie along the last axis; in a scale layout other than
/// linear the shape has at most two axes. Unsupported: variants, corrections, codes in other orders
/// than low nibble first, and tensor scales that the library would choose: create the format with
/// tensor-scale=given.
///   coded  buffers of exactly the sizes from mx_coded_sizes
MX_API mx_status mx_cuda_tensor_quantize(const mx_format* format, const mx_shape* shape,
                                         const mx_numbers* numbers, const mx_coded* coded,
                                         mx_cuda_stream stream, mx_error* error);

/// Dequantizes, as mx_tensor_dequantize; formats as for mx_cuda_tensor_quantize.
///   type    of the values: mx_number_fp32, or FP32 rounded once more, ties to even
///   values  2 or 4 bytes an element
MX_API mx_status mx_cuda_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                                           const mx_coded* coded, int32_t type,
                                           const mx_buffer* values, mx_cuda_stream stream,
                                           mx_error* error);

/// Bytes of the workspace of mx_cuda_tensor_decompose. Needs no device.
MX_API mx_status mx_cuda_tensor_decompose_workspace(const mx_format* format, const mx_shape* shape,
                                                    uint64_t* bytes, mx_error* error);

/// Decomposes the error, as mx_tensor_decompose, and waits for the stream.
///   tensor_scales  as in mx_coded if the format has tensor-scale=given, else null
///   workspace      mx_cuda_tensor_decompose_workspace bytes or more
///   energy         on the host
MX_API mx_status mx_cuda_tensor_decompose(const mx_format* format, const mx_shape* shape,
                                          const mx_numbers* numbers, const mx_buffer* tensor_scales,
                                          const mx_buffer* workspace, mx_energy* energy,
                                          mx_cuda_stream stream, mx_error* error);

/// As mx_cuda_tensor_quantize, mx_cuda_tensor_dequantize and mx_cuda_tensor_decompose, of numbers
/// whose rows, along the last axis, have gaps between them, which are neither read nor written.
///   row_stride       elements from a row to the next; 0: without gaps
///   numbers, values  from the first element to the last, gaps included
MX_API mx_status mx_cuda_tensor_quantize_rows(const mx_format* format, const mx_shape* shape,
                                              const mx_numbers* numbers, uint64_t row_stride,
                                              const mx_coded* coded, mx_cuda_stream stream,
                                              mx_error* error);
MX_API mx_status mx_cuda_tensor_dequantize_rows(const mx_format* format, const mx_shape* shape,
                                                const mx_coded* coded, int32_t type,
                                                const mx_buffer* values, uint64_t row_stride,
                                                mx_cuda_stream stream, mx_error* error);
MX_API mx_status mx_cuda_tensor_decompose_rows(const mx_format* format, const mx_shape* shape,
                                               const mx_numbers* numbers, uint64_t row_stride,
                                               const mx_buffer* tensor_scales,
                                               const mx_buffer* workspace, mx_energy* energy,
                                               mx_cuda_stream stream, mx_error* error);

/// Bytes of the workspace with which mx_cuda_model_gemm selects the fastest kernel; 0: none. Needs
/// no device.
MX_API mx_status mx_cuda_model_gemm_workspace(const mx_model* model, const mx_product* product,
                                              const mx_plan* plan, uint64_t* bytes,
                                              mx_error* error);

/// Computes D, as mx_model_gemm, with these differences: c and d are numbers of the model's result
/// and of the plan's output, of 2 or 4 bytes each, c with empty buffer for +0; K is a multiple of
/// the model's block; bits of a code above its format's are not checked.
///   workspace  null or empty: only kernels that need none are used
MX_API mx_status mx_cuda_model_gemm(const mx_model* model, const mx_product* product,
                                    const mx_plan* plan, const mx_buffer* workspace,
                                    mx_cuda_stream stream, mx_error* error);

/// Products of one shape at equal distances.
///   struct_size         set by the caller to sizeof(mx_cuda_batch)
///   count               of the products, at most 2^20
///   ..step              from a product to the next: bytes of codes and scales, elements of c and
///                       d. 0: all products share it, not allowed for d. Matrices of d lie one
///                       after another, or beside each other in rows of d_stride
///   c_stride, d_stride  elements between rows; 0: n
typedef struct mx_cuda_batch {
  uint64_t struct_size;
  uint64_t count;
  uint64_t a_step, a_scales_step, b_step, b_scales_step;
  uint64_t c_step, d_step;
  uint64_t c_stride, d_stride;
} mx_cuda_batch;

/// As mx_cuda_model_gemm_workspace and mx_cuda_model_gemm, of the products of a batch, which share
/// launches.
///   product  the sizes of one product; its buffers hold those of all, from the first byte of the
///            first to the last byte of the last
MX_API mx_status mx_cuda_model_gemm_batched_workspace(const mx_model* model,
                                                      const mx_product* product,
                                                      const mx_plan* plan,
                                                      const mx_cuda_batch* batch, uint64_t* bytes,
                                                      mx_error* error);
MX_API mx_status mx_cuda_model_gemm_batched(const mx_model* model, const mx_product* product,
                                            const mx_plan* plan, const mx_cuda_batch* batch,
                                            const mx_buffer* workspace, mx_cuda_stream stream,
                                            mx_error* error);

/// As mx_cuda_model_gemm_workspace and mx_cuda_model_gemm, of products of any sizes, as those of
/// the experts of a layer, which share launches.
///   products  addresses of `count` of them, at most 2^20, on the host; read before the call
///             returns
MX_API mx_status mx_cuda_model_gemm_grouped_workspace(const mx_model* model,
                                                      const mx_product* const* products,
                                                      uint64_t count, const mx_plan* plan,
                                                      uint64_t* bytes, mx_error* error);
MX_API mx_status mx_cuda_model_gemm_grouped(const mx_model* model,
                                            const mx_product* const* products, uint64_t count,
                                            const mx_plan* plan, const mx_buffer* workspace,
                                            mx_cuda_stream stream, mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
