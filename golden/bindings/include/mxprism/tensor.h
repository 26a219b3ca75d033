// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/tensor.h: formats, and tensors as codes and scales.
#ifndef MXPRISM_TENSOR_H
#define MXPRISM_TENSOR_H

#include "mxprism/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A format: elements, scales and blocks, the quantization rules, and how codes are stored.
typedef struct mx_format mx_format;

/// Creates a format.
///   format   as --format accepts it: "mxfp4", "nvfp4", "e2m1:e8m3:32", "mxfp4+mbs=128,8"; null:
///            the first format of the variant, or mxfp4
///   options  words NAME=VALUE separated by blanks; null: none. NAME is one of
///              scale-rule rounding seed random-bits byte-map variant packing layout
///            with the values and defaults of the command, or
///              tensor-scale=chosen|given    source of the FP32 scale above the blocks (chosen)
///   made     set to the format, or to null on failure
MX_API mx_status mx_format_create(const char* format, const char* options, mx_format** made,
                                  mx_error* error);
/// Accepts null.
MX_API void mx_format_destroy(mx_format* format);
/// Shortest spelling without options; valid until the format is destroyed. Null for null.
MX_API const char* mx_format_spelling(const mx_format* format);

/// Properties of a format; strings are valid until the format is destroyed.
///   struct_size     set by the caller to sizeof(mx_format_facts)
///   element, scale  as the options of a model accept them: "e2m1", "ue4m3"
///   code_bits       bits of an element
///   codes_a_byte    2 if codes are packed, else 1; 0 if four of them have three bytes
///   scale_bytes     bytes of a scale: 1, 2 or 4; 0 if it cannot be stored
///   block_rows      above 1 for tiles; block_columns lie along the axis
///   product_ready   1 if mx_model_gemm accepts codes and scales as stored along the last axis: no
///                   corrections, no tiles, at most a tensor scale, default code and scale order
typedef struct mx_format_facts {
  uint64_t struct_size;
  const char* element;
  const char* scale;
  uint32_t code_bits, codes_a_byte, scale_bytes;
  uint32_t block_rows, block_columns;
  uint32_t product_ready;
} mx_format_facts;

MX_API mx_status mx_format_describe(const mx_format* format, mx_format_facts* facts,
                                    mx_error* error);

// --- Tensors ---

/// Number types.
enum { mx_number_fp32 = 0, mx_number_fp16 = 1, mx_number_bf16 = 2 };

/// A row-major tensor with its blocks along an axis.
///   extents  `dimensions` of them, at most 64; 0 dimensions are treated as one extent of 1
///   axis     from 0; negative counts from the end. Tiles span the last two axes, with axis -1
typedef struct mx_shape {
  const uint64_t* extents;
  uint32_t dimensions;
  int32_t axis;
} mx_shape;

/// Caller-owned bytes.
typedef struct mx_buffer {
  void* data;
  uint64_t bytes;
} mx_buffer;

typedef struct mx_numbers {
  const void* data;
  uint64_t bytes;
  int32_t type;
} mx_numbers;

/// The arrays of a quantized tensor. A format uses those whose size is not 0 (mx_coded_sizes).
///   struct_size       set by the caller to sizeof(mx_coded)
///   codes             in the tensor's order, the axis zero-padded to whole blocks; two codes of 4
///                     bits a byte if packed, four of 6 bits in three bytes if dense, else one a
///                     byte
///   scales            one, two or four bytes each; one for each block along the axis
///   tensor_scales     FP32, one for the tensor or one a row; decoded values are multiplied by it
///   tensor_amax       FP32, from which a variant computes its scales
///   macro_fractions   one byte each up to 8 bits, else two
///   residual_...      arrays of an outlier fallback
typedef struct mx_coded {
  uint64_t struct_size;
  mx_buffer codes;
  mx_buffer scales;
  mx_buffer tensor_scales;
  mx_buffer tensor_amax;
  mx_buffer macro_fractions;
  mx_buffer residual_codes;
  mx_buffer residual_scales;
  mx_buffer residual_macro_fractions;
} mx_coded;

/// Sets the sizes of all arrays, and their pointers to null.
MX_API mx_status mx_coded_sizes(const mx_format* format, const mx_shape* shape, mx_coded* sizes,
                                mx_error* error);

/// Quantizes numbers to codes and scales.
///   numbers         as many bytes as shape and type require; any alignment
///   coded           buffers of exactly the sizes from mx_coded_sizes; tensor_scales are read if
///                   the format has tensor-scale=given, else written
///   special_blocks  null, or set to the number of blocks that contain a NaN or an Inf
MX_API mx_status mx_tensor_quantize(const mx_format* format, const mx_shape* shape,
                                    const mx_numbers* numbers, const mx_coded* coded,
                                    uint64_t* special_blocks, mx_error* error);

/// Dequantizes codes and scales to FP32 numbers, without the padding.
///   coded   input; buffers of exactly the sizes from mx_coded_sizes
///   values  4 bytes an element, aligned to 4 bytes
MX_API mx_status mx_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                                      const mx_coded* coded, const mx_buffer* values,
                                      mx_error* error);

/// Energies of the error components: sums of squares, and of products of two components. Blocks
/// with NaN or Inf are counted and excluded from everything else.
///   struct_size          set by the caller to sizeof(mx_energy)
///   scale_dead           energy of elements that only the coarser scale zeroes
///   x_quantized          <Q, x>
///   dead, dead_actual    nonzero elements that become zero under the ideal, the actual scale
///   identity_violations  elements whose components do not sum exactly to the error: 0
typedef struct mx_energy {
  uint64_t struct_size;
  double total, scale, deadzone, grid, clip, scale_dead;
  double scale_deadzone, scale_grid, scale_clip, deadzone_grid, deadzone_clip, grid_clip;
  double x_squared, x_quantized;
  uint64_t elements, dead, dead_actual, blocks, special_blocks, identity_violations;
} mx_energy;

/// Decomposes a tensor's quantization error exactly and sums up the components. Unsupported for
/// formats with corrections or a variant, which have no single quantizer to decompose.
///   tensor_scales  as in mx_coded if the format has tensor-scale=given, else null
MX_API mx_status mx_tensor_decompose(const mx_format* format, const mx_shape* shape,
                                     const mx_numbers* numbers, const mx_buffer* tensor_scales,
                                     mx_energy* energy, mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
