// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/product.h: models of tensor cores, and what they make of dot products,
// of one instruction, of whole products.
#ifndef MXPRISM_PRODUCT_H
#define MXPRISM_PRODUCT_H

#include "mxprism/library.h"
#include "mxprism/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model of a tensor core, and the formats of its operands.
typedef struct mxp_model mxp_model;

/// Makes a model.
///   name     as --model takes it: "hopper.wgmma.e4m3.f32", "blackwell.mxf4", "exact.rne"
///   options  words NAME=VALUE with blanks between them; null: none. NAME is one of
///              a-format b-format    e4m3, bf16, ...; models of any operands need both
///              scale-format block   of any operands' scales: e8m0, ue4m3, ...; absent: none
MXP_API mxp_status mxp_model_create(const char* name, const char* options, mxp_model** made,
                                    mxp_error* error);
/// Null is allowed.
MXP_API void mxp_model_destroy(mxp_model* model);

/// What there is to know of a model; texts live as long as it does.
///   struct_size                  set it to sizeof(mxp_model_facts)
///   evidence, source, doubts     what its bits rest on; empty where there are no doubts
///   a_code_bytes, b_code_bytes   of a code as mxp_dot and mxp_mma take it: 1, 2 or 4
///   block                        elements that share a scale, of one byte; 0: there are no scales
///   result_bits                  of C and D: 32 or 16
typedef struct mxp_model_facts {
  uint64_t struct_size;
  const char* name;
  const char* evidence;
  const char* source;
  const char* doubts;
  uint32_t a_code_bytes, b_code_bytes;
  uint32_t block;
  uint32_t result_bits;
} mxp_model_facts;

MXP_API mxp_status mxp_model_describe(const mxp_model* model, mxp_model_facts* facts,
                                      mxp_error* error);

/// Many dot products: d[v] = c[v] + sum over k of a[v][k] * b[v][k].
///   struct_size       set it to sizeof(mxp_words)
///   a, b              count * k codes, each in bytes of its model's; no bits above its format's
///   scale_a, scale_b  count * ceil(k / block) bytes; empty where the model has no scales
///   c, d              count words of 32 bits, each with the bits of a result; may be the same
typedef struct mxp_words {
  uint64_t struct_size;
  uint64_t count, k;
  mxp_buffer a, b, scale_a, scale_b, c, d;
} mxp_words;

MXP_API mxp_status mxp_dot(const mxp_model* model, const mxp_words* words, mxp_error* error);

/// A factor of an instruction's tile: lines are rows of A, columns of B, and k runs along them.
///   codes                            in bytes of the model's; no bits above the format's
///   line_stride, k_stride            distances in codes of two adjacent lines, and along one
///   scales                           one byte for each block along k; empty without blocks
///   scale_line_stride, scale_stride  distances in scales
typedef struct mxp_factor {
  mxp_buffer codes;
  uint64_t line_stride, k_stride;
  mxp_buffer scales;
  uint64_t scale_line_stride, scale_stride;
} mxp_factor;

/// One instruction D = A * B + C, with A of (m, k), B of (k, n), C and D of (m, n), of at most 2^24
/// elements each.
///   struct_size           set it to sizeof(mxp_tile)
///   c, d                  words of 32 bits with the bits of a result; may be the same
///   c_stride, d_stride    distance of rows in words
typedef struct mxp_tile {
  uint64_t struct_size;
  uint64_t m, n, k;
  mxp_factor a, b;
  mxp_buffer c, d;
  uint64_t c_stride, d_stride;
} mxp_tile;

MXP_API mxp_status mxp_mma(const mxp_model* model, const mxp_tile* tile, mxp_error* error);

/// How codes lie in memory: two of 4 bits a byte, the first in the low bits; or 8, 16, 32 bits.
enum { mxp_codes_pairs = 0, mxp_codes_bytes = 1, mxp_codes_halves = 2, mxp_codes_words = 3 };
/// How the sums of parts of K become one: one after the other, or adjacent ones first.
enum { mxp_split_ascending = 0, mxp_split_pairwise = 1 };
/// Where C enters: the sums begin with it, or it is added last, in FP32, after alpha.
enum { mxp_c_first_step = 0, mxp_c_epilogue = 1 };
enum {
  mxp_rounding_nearest_even = 0,
  mxp_rounding_nearest_away = 1,
  mxp_rounding_nearest_zero = 2,
  mxp_rounding_toward_zero = 3
};

/// How the elements of a product are put together: D = out(alpha' * sum over k of a * b + C) with
/// alpha' = RNE32(alpha * RNE32(tensor_scale_a * tensor_scale_b)).
///   struct_size    set it to sizeof(mxp_plan), also before mxp_plan_default
///   promote_every  elements of K whose sum is then added in FP32, a multiple of the block; 0: none
///   parts          K is cut into so many, whose sums are added in FP32: 1 to 65536
///   output         a type of numbers: of D
typedef struct mxp_plan {
  uint64_t struct_size;
  float alpha, tensor_scale_a, tensor_scale_b;
  int32_t promote_every, parts;
  int32_t split_order, c_entry, output, output_rounding;
} mxp_plan;

/// The plan that leaves the model's sums as they are.
MXP_API mxp_status mxp_plan_default(const mxp_model* model, mxp_plan* plan, mxp_error* error);

/// A factor of a product, stored line after line along k: A as (M, K), B as (N, K).
///   storage     how its codes lie in memory; bits above the format's are an error
///   line_bytes  distance of lines; 0: they lie end to end
///   scales      lines * ceil(K / block) bytes; empty where the model has no scales
typedef struct mxp_matrix {
  mxp_buffer codes;
  int32_t storage;
  uint64_t line_bytes;
  mxp_buffer scales;
} mxp_matrix;

/// A whole product. All sizes are at most 2^30.
///   struct_size  set it to sizeof(mxp_product)
///   c            m * n words of 32 bits with the bits of the model's result; empty: +0 everywhere
///   d            m * n words of 32 bits with the bits of the plan's output; may be c
typedef struct mxp_product {
  uint64_t struct_size;
  uint64_t m, n, k;
  mxp_matrix a, b;
  mxp_buffer c, d;
} mxp_product;

///   plan  null: the default
MXP_API mxp_status mxp_gemm(const mxp_model* model, const mxp_product* product,
                            const mxp_plan* plan, mxp_error* error);

#ifdef __cplusplus
}
#endif

#endif
