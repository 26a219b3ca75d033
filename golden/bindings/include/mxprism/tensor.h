// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/tensor.h: formats, and tensors as codes and scales.
#ifndef MXPRISM_TENSOR_H
#define MXPRISM_TENSOR_H

#include "mxprism/library.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Elements, scales and blocks, the rules by which numbers become codes, and how these are stored.
typedef struct mx_format mx_format;

/// Makes a format.
///   format   as --format takes it: "mxfp4", "nvfp4", "e2m1:e8m3:32", "mxfp4+mbs=128,8"; null: the
///            variant's first, or mxfp4
///   options  words NAME=VALUE with blanks between them; null: none. NAME is one of
///              scale-rule rounding seed random-bits byte-map variant packing layout
///            with the command's values and defaults, or
///              tensor-scale=chosen|given    who chooses the FP32 scale above the blocks (chosen)
///   made     set to the format, or to null
MX_API mx_status mx_format_create(const char* format, const char* options, mx_format** made,
                                  mx_error* error);
/// Null is allowed.
MX_API void mx_format_destroy(mx_format* format);
/// Its shortest spelling, without options; it lives as long as the format. Null for null.
MX_API const char* mx_format_spelling(const mx_format* format);

/// What there is to know of a format; texts live as long as it does.
///   struct_size     set it to sizeof(mx_format_facts)
///   element, scale  as a model's options take them: "e2m1", "ue4m3"
///   code_bits       of an element
///   codes_a_byte    2 where they are packed
///   scale_bytes     of a scale: 1, 2 or 4; 0 where it cannot be stored
///   block_rows      above 1 for tiles; block_columns lie along the axis
///   product_ready   1 where mx_model_gemm takes codes and scales as they are stored along the last
///                   axis: no corrections, no tiles, a tensor scale at most, no other order of either
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

/// Types of numbers.
enum { mx_number_fp32 = 0, mx_number_fp16 = 1, mx_number_bf16 = 2 };

/// A row-major tensor whose blocks lie along an axis.
///   extents  as many as `dimensions`, at most 64; none is taken as one of 1
///   axis     from 0; negative: from the end. Tiles take the last two, with axis -1
typedef struct mx_shape {
  const uint64_t* extents;
  uint32_t dimensions;
  int32_t axis;
} mx_shape;

/// Bytes of somebody's.
typedef struct mx_buffer {
  void* data;
  uint64_t bytes;
} mx_buffer;

typedef struct mx_numbers {
  const void* data;
  uint64_t bytes;
  int32_t type;
} mx_numbers;

/// The arrays that a tensor becomes. A format has those whose size is not 0 (mx_coded_sizes).
///   struct_size       set it to sizeof(mx_coded)
///   codes             in the tensor's order, the axis padded with zeros to whole blocks; two codes
///                     of 4 bits a byte where they are packed, else one
///   scales            one, two or four bytes each; one for each block along the axis
///   tensor_scales     FP32, for the whole tensor or one a row; what values are multiplied by
///   tensor_amax       FP32, what a variant's scales are made from
///   macro_fractions   one byte each up to 8 bits, else two
///   residual_...      of an outlier fallback
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

/// Numbers to codes and scales.
///   numbers         as many bytes as the shape and the type say; any alignment
///   coded           buffers of exactly the sizes of mx_coded_sizes; tensor_scales are read where
///                   the format has tensor-scale=given, else written
///   special_blocks  null, or set to the number of blocks that hold a NaN or an Inf
MX_API mx_status mx_tensor_quantize(const mx_format* format, const mx_shape* shape,
                                    const mx_numbers* numbers, const mx_coded* coded,
                                    uint64_t* special_blocks, mx_error* error);

/// Codes and scales to FP32 numbers, without the padding.
///   coded   buffers of exactly the sizes of mx_coded_sizes, which are read
///   values  4 bytes an element, at a multiple of 4 bytes
MX_API mx_status mx_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                                      const mx_coded* coded, const mx_buffer* values,
                                      mx_error* error);

/// Energy of the parts of an error: sums of squares, and of products of two parts. Blocks with NaN
/// or Inf are counted and left out of everything else.
///   struct_size          set it to sizeof(mx_energy)
///   scale_dead           of what only the coarser scale zeroes
///   x_quantized          <Q, x>
///   dead, dead_actual    elements that are zero with the ideal scale, with the real one, and x not
///   identity_violations  elements at which the parts do not add up to the error exactly: 0
typedef struct mx_energy {
  uint64_t struct_size;
  double total, scale, deadzone, grid, clip, scale_dead;
  double scale_deadzone, scale_grid, scale_clip, deadzone_grid, deadzone_clip, grid_clip;
  double x_squared, x_quantized;
  uint64_t elements, dead, dead_actual, blocks, special_blocks, identity_violations;
} mx_energy;

/// The exact parts of a tensor's quantization error, summed up. Formats with corrections or a
/// variant have no single quantizer to split: unsupported.
///   tensor_scales  null; where the format has tensor-scale=given: as mx_coded has them
MX_API mx_status mx_tensor_decompose(const mx_format* format, const mx_shape* shape,
                                     const mx_numbers* numbers, const mx_buffer* tensor_scales,
                                     mx_energy* energy, mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
