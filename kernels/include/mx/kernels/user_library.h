// SPDX-License-Identifier: Apache-2.0
// mx/kernels/user_library.h: the C symbols of a shared library of your own kernels, which
// `mx_verify --library FILE` compares with the emulator, byte by byte. C99, C++ and CUDA.
// kernels/template is a project that builds such a library.
#ifndef MX_KERNELS_USER_LIBRARY_H
#define MX_KERNELS_USER_LIBRARY_H

#include <stdint.h>

/// Version of these declarations. A library of another version is refused.
#define MX_USER_VERSION 1

#if defined(__GNUC__)
#define MX_USER_API __attribute__((visibility("default")))
#else
#define MX_USER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Result of a kernel's function.
///   done         the work is in the stream
///   unsupported  declined: not compared, and counted as such. Nothing may be written
/// Any other number is a failure, and printed.
typedef int32_t mx_user_status;
enum { mx_user_done = 0, mx_user_unsupported = 1 };

/// Where the pointers of requests lead: memory of the current CUDA device, or of the host.
enum { mx_user_device_memory = 0, mx_user_host_memory = 1 };

/// Number types. Lines of blocks: rows, or columns. Storage of a product's codes: two of 4 bits a
/// byte, the first in the low bits, or one in 1, 2 or 4 bytes.
enum { mx_user_fp32 = 0, mx_user_fp16 = 1, mx_user_bf16 = 2 };
enum { mx_user_rows = 0, mx_user_columns = 1 };
enum { mx_user_pairs = 0, mx_user_bytes = 1, mx_user_halves = 2, mx_user_words = 3 };

/// MX_USER_VERSION, and the memory of the library's pointers.
MX_USER_API uint32_t mx_user_version(void);
MX_USER_API int32_t mx_user_memory(void);

// Of all requests
//   names      as `mxprism formats --all` lists them, and valid during the call
//   arrays     aligned to 256 bytes, little-endian; inputs may not be written. They do not overlap
//   workspace  as many bytes as the ..._workspace function returns for the request, whose pointers
//              are null there; contents undefined; null for 0
//   stream     a cudaStream_t; null with host memory. Work may go on after the return

/// A row-major matrix to quantize.
///   format, scale_rule, rounding, layout   "mxfp4", "rceil", "nearest-even", "linear" or "128x4"
///   seed, random_bits  of the rounding "stochastic", as `mxprism quantize` has them
///   type           of x
///   lines          rows: blocks lie along rows. Columns: the results are those of the transposed
///                  matrix
///   tensor_scale   FP32, by which decoded values are multiplied; null if the format has none
///   codes          line after line, a line padded with zero codes to whole blocks; 4-bit codes two
///                  a byte, the first in the low bits, else one a byte
///   scales         one a block, line after line, in the layout; of one byte, or of four for FP32
///                  scales. What a layout pads may be written
/// A block with a NaN or an Inf gets the scale NaN (0xFF for E8M0) and zero codes.
typedef struct mx_user_quantize_request {
  const char *format, *scale_rule, *rounding, *layout;
  uint64_t seed;
  int32_t random_bits;
  int32_t type, lines;
  int64_t rows, columns;
  const void* x;
  const float* tensor_scale;
  void* codes;
  void* scales;
  void* workspace;
  uint64_t workspace_bytes;
  void* stream;
} mx_user_quantize_request;

MX_USER_API uint64_t mx_user_quantize_workspace(const mx_user_quantize_request* request);
MX_USER_API mx_user_status mx_user_quantize(const mx_user_quantize_request* request);

/// Codes and scales of rows to dequantize.
///   type  of the values: FP32, or that rounded once more, ties to even
///   out   (rows, columns) values, without the padding of lines
typedef struct mx_user_dequantize_request {
  const char *format, *layout;
  int32_t type;
  int64_t rows, columns;
  const void* codes;
  const void* scales;
  const float* tensor_scale;
  void* out;
  void* workspace;
  uint64_t workspace_bytes;
  void* stream;
} mx_user_dequantize_request;

MX_USER_API uint64_t mx_user_dequantize_workspace(const mx_user_dequantize_request* request);
MX_USER_API mx_user_status mx_user_dequantize(const mx_user_dequantize_request* request);

/// A factor of a product, line by line along k: A as (m, k), B as (n, k).
///   storage     of the codes
///   line_bytes  between lines, a multiple of 16
///   scales      one byte a block, line after line; null without scales
typedef struct mx_user_factor {
  const void* codes;
  int32_t storage;
  int64_t line_bytes;
  const uint8_t* scales;
} mx_user_factor;

/// A product D = A * B' + C.
///   model          the arithmetic of sums, as `mxprism formats --models` lists it: "fp32.fma",
///                  "fp32.sequential", "blackwell.mxf4", ...
///   a_format ...   "e2m1", "bf16", ..., and of scales "e8m0" or "ue4m3", or "" for none
///   block          elements of k a scale; 0 without scales
///   promote        elements of k whose sum begins with +0 and is then added in FP32; 0: none
///   result_bits    of a number of C and D: 32 or 16
///   c              (m, n), row-major; null: +0 everywhere
typedef struct mx_user_product_request {
  const char *model, *a_format, *b_format, *scale_format;
  int32_t block, promote, result_bits;
  int64_t m, n, k;
  mx_user_factor a, b;
  const void* c;
  void* d;
  void* workspace;
  uint64_t workspace_bytes;
  void* stream;
} mx_user_product_request;

MX_USER_API uint64_t mx_user_product_workspace(const mx_user_product_request* request);
MX_USER_API mx_user_status mx_user_product(const mx_user_product_request* request);

#ifdef __cplusplus
}
#endif

#endif
