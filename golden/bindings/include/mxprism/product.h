// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/product.h: tensor core models, and the dot products, single
// instructions and whole products they compute.
#ifndef MXPRISM_PRODUCT_H
#define MXPRISM_PRODUCT_H

#include "mxprism/library.h"
#include "mxprism/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A tensor core model with the formats of its operands.
typedef struct mx_model mx_model;

/// Creates a model.
///   name     as --model accepts it: "hopper.wgmma.e4m3.f32", "blackwell.mxf4", "exact.rne"
///   options  words NAME=VALUE separated by blanks; null: none. NAME is one of
///              a-format b-format    e4m3, bf16, ...; required by models without fixed operands
///              scale-format block   scales of such operands: e8m0, ue4m3, ...; absent: none
MX_API mx_status mx_model_create(const char* name, const char* options, mx_model** made,
                                 mx_error* error);
/// Accepts null.
MX_API void mx_model_destroy(mx_model* model);

/// Properties of a model; strings are valid until the model is destroyed.
///   struct_size                  set by the caller to sizeof(mx_model_facts)
///   evidence, source, doubts     what the bits rest on; doubts is empty if none are known
///   a_code_bytes, b_code_bytes   bytes of a code in mx_model_dot and mx_model_mma: 1, 2 or 4
///   block                        elements per scale of one byte; 0: no scales
///   addend_bits                  bits of C: result_bits, but 16 of FP16 for a model whose name
///                                ends in _c16, which does no whole products
///   result_bits                  bits of D: 32 or 16
typedef struct mx_model_facts {
  uint64_t struct_size;
  const char* name;
  const char* evidence;
  const char* source;
  const char* doubts;
  uint32_t a_code_bytes, b_code_bytes;
  uint32_t block;
  uint32_t result_bits;
  uint32_t addend_bits;
} mx_model_facts;

MX_API mx_status mx_model_describe(const mx_model* model, mx_model_facts* facts, mx_error* error);

/// Many dot products: d[v] = c[v] + sum over k of a[v][k] * b[v][k].
///   struct_size       set by the caller to sizeof(mx_words)
///   a, b              count * k codes of the model's code size; bits above the format's are zero
///   scale_a, scale_b  count * ceil(k / block) bytes; empty if the model has no scales
///   c, d              count words of 32 bits, each holding the bits of a result, or of C; d may
///                     be c
typedef struct mx_words {
  uint64_t struct_size;
  uint64_t count, k;
  mx_buffer a, b, scale_a, scale_b, c, d;
} mx_words;

MX_API mx_status mx_model_dot(const mx_model* model, const mx_words* words, mx_error* error);

/// A factor of an instruction's tile: lines are rows of A, columns of B, and k runs along them.
///   codes                            of the model's code size; bits above the format's are zero
///   line_stride, k_stride            in codes, between adjacent lines and between adjacent k
///   scales                           one byte for each block along k; empty without blocks
///   scale_line_stride, scale_stride  in scales, likewise
typedef struct mx_factor {
  mx_buffer codes;
  uint64_t line_stride, k_stride;
  mx_buffer scales;
  uint64_t scale_line_stride, scale_stride;
} mx_factor;

/// One instruction D = A * B + C: A is (m, k), B is (k, n), C and D are (m, n), of at most 2^24
/// elements each.
///   struct_size           set by the caller to sizeof(mx_tile)
///   c, d                  words of 32 bits holding the bits of a result; d may be c
///   c_stride, d_stride    in words, between adjacent rows
typedef struct mx_tile {
  uint64_t struct_size;
  uint64_t m, n, k;
  mx_factor a, b;
  mx_buffer c, d;
  uint64_t c_stride, d_stride;
} mx_tile;

MX_API mx_status mx_model_mma(const mx_model* model, const mx_tile* tile, mx_error* error);

/// Storage of codes: two of 4 bits a byte, the first in the low bits; or 8, 16, 32 bits each.
enum { mx_codes_pairs = 0, mx_codes_bytes = 1, mx_codes_halves = 2, mx_codes_words = 3 };
/// Order in which the partial sums over K are added: ascending, or adjacent pairs first.
enum { mx_split_ascending = 0, mx_split_pairwise = 1 };
/// Where C enters: as the initial value of the sums, or added last, in FP32, after alpha.
enum { mx_c_first_step = 0, mx_c_epilogue = 1 };
enum {
  mx_rounding_nearest_even = 0,
  mx_rounding_nearest_away = 1,
  mx_rounding_nearest_zero = 2,
  mx_rounding_toward_zero = 3
};

/// How the elements of a product are computed: D = out(alpha' * sum over k of a * b + C) with
/// alpha' = RNE32(alpha * RNE32(tensor_scale_a * tensor_scale_b)).
///   struct_size  set by the caller to sizeof(mx_plan), also before mx_plan_default
///   promote      elements of K summed before promotion to FP32, a multiple of block; 0: never
///   split_k      parts into which K is cut, whose sums are added in FP32: 1 to 65536
///   output       number type of D
typedef struct mx_plan {
  uint64_t struct_size;
  float alpha, tensor_scale_a, tensor_scale_b;
  int32_t promote, split_k;
  int32_t split_order, c_entry, output, output_rounding;
} mx_plan;

/// The default plan, which applies nothing to the model's sums.
MX_API mx_status mx_plan_default(const mx_model* model, mx_plan* plan, mx_error* error);

/// A factor of a product, stored line by line along k: A as (M, K), B as (N, K).
///   storage     storage of the codes; bits above the format's are an error
///   line_bytes  bytes between adjacent lines; 0: contiguous
///   scales      lines * ceil(K / block) bytes; empty if the model has no scales
typedef struct mx_matrix {
  mx_buffer codes;
  int32_t storage;
  uint64_t line_bytes;
  mx_buffer scales;
} mx_matrix;

/// A whole product. All sizes are at most 2^30.
///   struct_size  set by the caller to sizeof(mx_product)
///   c            m * n words of 32 bits holding the model's results; empty: +0 everywhere
///   d            m * n words of 32 bits holding numbers of the plan's output type; may be c
typedef struct mx_product {
  uint64_t struct_size;
  uint64_t m, n, k;
  mx_matrix a, b;
  mx_buffer c, d;
} mx_product;

/// Computes D.
///   plan  null: the default plan
MX_API mx_status mx_model_gemm(const mx_model* model, const mx_product* product,
                               const mx_plan* plan, mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
