// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/tensor.h: formats, and tensors as codes and scales.
#ifndef MXPRISM_TENSOR_H
#define MXPRISM_TENSOR_H

#include "mxprism/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Elements, scales and blocks, the rules by which numbers become codes, and how these are stored.
typedef struct mxp_format mxp_format;

/// Makes a format.
///   format   as --format takes it: "mxfp4", "nvfp4", "e2m1:e8m3:32", "mxfp4+mbs=128,8"; null: the
///            variant's first, or mxfp4
///   options  words NAME=VALUE with blanks between them; null: none. NAME is one of
///              scale-rule rounding seed random-bits byte-map variant packing layout
///            with the command's values and defaults, or
///              tensor-scale=chosen|given    who chooses the FP32 scale above the blocks (chosen)
///   made     set to the format, or to null
MXP_API mxp_status mxp_format_create(const char* format, const char* options, mxp_format** made,
                                     mxp_error* error);
/// Null is allowed.
MXP_API void mxp_format_destroy(mxp_format* format);
/// Its shortest spelling, without options; it lives as long as the format. Null for null.
MXP_API const char* mxp_format_spelling(const mxp_format* format);

/// What there is to know of a format; texts live as long as it does.
///   struct_size     set it to sizeof(mxp_format_facts)
///   element, scale  as a model's options take them: "e2m1", "ue4m3"
///   code_bits       of an element
///   codes_a_byte    2 where they are packed
///   scale_bytes     of a scale: 1, 2 or 4; 0 where it cannot be stored
///   block_rows      above 1 for tiles; block_columns lie along the axis
///   product_ready   1 where mxp_gemm takes codes and scales as they are stored along the last axis:
///                   no corrections, no tiles, a tensor scale at most, no other order of either
typedef struct mxp_format_facts {
  uint64_t struct_size;
  const char* element;
  const char* scale;
  uint32_t code_bits, codes_a_byte, scale_bytes;
  uint32_t block_rows, block_columns;
  uint32_t product_ready;
} mxp_format_facts;

MXP_API mxp_status mxp_format_describe(const mxp_format* format, mxp_format_facts* facts,
                                       mxp_error* error);

// --- Tensors ---

/// Types of numbers.
enum { mxp_number_fp32 = 0, mxp_number_fp16 = 1, mxp_number_bf16 = 2 };

/// A row-major tensor whose blocks lie along an axis.
///   extents  as many as `dimensions`, at most 64; none is taken as one of 1
///   axis     from 0; negative: from the end. Tiles take the last two, with axis -1
typedef struct mxp_shape {
  const uint64_t* extents;
  uint32_t dimensions;
  int32_t axis;
} mxp_shape;

/// Bytes of somebody's.
typedef struct mxp_buffer {
  void* data;
  uint64_t bytes;
} mxp_buffer;

typedef struct mxp_numbers {
  const void* data;
  uint64_t bytes;
  int32_t type;
} mxp_numbers;

/// The arrays that a tensor becomes. A format has those whose size is not 0 (mxp_coded_sizes).
///   struct_size       set it to sizeof(mxp_coded)
///   codes             in the tensor's order, the axis padded with zeros to whole blocks; two codes
///                     of 4 bits a byte where they are packed, else one
///   scales            one, two or four bytes each; one for each block along the axis
///   tensor_scales     FP32, for the whole tensor or one a row; what values are multiplied by
///   tensor_amax       FP32, what a variant's scales are made from
///   macro_fractions   one byte each up to 8 bits, else two
///   residual_...      of an outlier fallback
typedef struct mxp_coded {
  uint64_t struct_size;
  mxp_buffer codes;
  mxp_buffer scales;
  mxp_buffer tensor_scales;
  mxp_buffer tensor_amax;
  mxp_buffer macro_fractions;
  mxp_buffer residual_codes;
  mxp_buffer residual_scales;
  mxp_buffer residual_macro_fractions;
} mxp_coded;

/// Sets the sizes of all arrays, and their pointers to null.
MXP_API mxp_status mxp_coded_sizes(const mxp_format* format, const mxp_shape* shape,
                                   mxp_coded* sizes, mxp_error* error);

/// Numbers to codes and scales.
///   numbers         as many bytes as the shape and the type say; any alignment
///   coded           buffers of exactly the sizes of mxp_coded_sizes; tensor_scales are read where
///                   the format has tensor-scale=given, else written
///   special_blocks  null, or set to the number of blocks that hold a NaN or an Inf
MXP_API mxp_status mxp_quantize(const mxp_format* format, const mxp_shape* shape,
                                const mxp_numbers* numbers, const mxp_coded* coded,
                                uint64_t* special_blocks, mxp_error* error);

/// Codes and scales to FP32 numbers, without the padding.
///   coded   buffers of exactly the sizes of mxp_coded_sizes, which are read
///   values  4 bytes an element, at a multiple of 4 bytes
MXP_API mxp_status mxp_dequantize(const mxp_format* format, const mxp_shape* shape,
                                  const mxp_coded* coded, const mxp_buffer* values,
                                  mxp_error* error);

/// Energy of the parts of an error: sums of squares, and of products of two parts. Blocks with NaN
/// or Inf are counted and left out of everything else.
///   struct_size          set it to sizeof(mxp_energy)
///   scale_dead           of what only the coarser scale zeroes
///   x_quantized          <Q, x>
///   dead, dead_actual    elements that are zero with the ideal scale, with the real one, and x not
///   identity_violations  elements at which the parts do not add up to the error exactly: 0
typedef struct mxp_energy {
  uint64_t struct_size;
  double total, scale, deadzone, grid, clip, scale_dead;
  double scale_deadzone, scale_grid, scale_clip, deadzone_grid, deadzone_clip, grid_clip;
  double x_squared, x_quantized;
  uint64_t elements, dead, dead_actual, blocks, special_blocks, identity_violations;
} mxp_energy;

/// The exact parts of a tensor's quantization error, summed up. Formats with corrections or a
/// variant have no single quantizer to split: unsupported.
///   tensor_scales  null; where the format has tensor-scale=given: as mxp_coded has them
MXP_API mxp_status mxp_decompose(const mxp_format* format, const mxp_shape* shape,
                                 const mxp_numbers* numbers, const mxp_buffer* tensor_scales,
                                 mxp_energy* energy, mxp_error* error);

#ifdef __cplusplus
}
#endif

#endif
