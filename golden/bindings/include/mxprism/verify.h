// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/verify.h: bit-exact verdicts on kernel outputs, with the smallest
// explanation of a difference.
#ifndef MXPRISM_VERIFY_H
#define MXPRISM_VERIFY_H

#include "mxprism/library.h"
#include "mxprism/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A verdict with its evidence. It retains nothing of the verified data; its strings and arrays are
/// valid until it is destroyed.
typedef struct mx_verdict mx_verdict;

///   exact        every bit is as declared
///   explained    every bit follows from rules that differ from the declared ones in few dimensions
///   unexplained  no tried combination gives these bits
enum { mx_verdict_exact = 0, mx_verdict_explained = 1, mx_verdict_unexplained = 2 };

/// Extent of the search for explanations.
///   struct_size  set by the caller to sizeof(mx_search)
///   changes      most changes in one explanation: 0 (no search), 1 or 2
typedef struct mx_search {
  uint64_t struct_size;
  uint32_t changes;
} mx_search;

/// Compares a kernel's codes and scales with what the format makes of the numbers.
///   format   the declared format. If its options name no packing, the number of codes decides
///            whether two share a byte. With tensor-scale=given, blocks are quantized under the
///            tensor scale in `found`
///   found    codes, scales and, if the kernel wrote them, tensor_scales; of any sizes, as a kernel
///            may use other blocks. Of a format with corrections or two passes every array that
///            mx_tensor_quantize writes. The other arrays are empty
///   search   null: at most two changes
///   made     set to the verdict, or to null on failure
///   memory   two words for each block and some MiB; neither numbers nor codes are copied
///   errors   mx_status_bad_argument also if no change explains the sizes of the found arrays
MX_API mx_status mx_tensor_verify(const mx_format* format, const mx_shape* shape,
                                  const mx_numbers* numbers, const mx_coded* found,
                                  const mx_search* search, mx_verdict** made, mx_error* error);

/// Accepts null.
MX_API void mx_verdict_destroy(mx_verdict* verdict);

/// Contents of a verdict.
///   struct_size    set by the caller to sizeof(mx_verdict_facts)
///   kind           mx_verdict_exact, ...
///   has_bound      1 if a product was compared with a proven bound: only if it is not exact
///   elements       of the tensor, or of D
///   mismatches     elements that differ: in their code, their block's scale, their tensor scale or
///                  macro fraction, and codes of padding; in their bits in D (0 if no model was
///                  declared)
///   codes, scales  differing ones of a tensor, also of its residual
///   tensor_scales  1 if these or macro fractions differ
///   nan_codes      mismatches in D that are NaN on both sides
///   explanations   number 0 explains; the data cannot distinguish the others from it
///   candidates     models compared with a product
///   distinctions   consistent models that other data would distinguish
///   bound_exceeded elements of D beyond the bound
///   text           readable report, of several lines
///   differs_alone  of a tensor, if nothing but codes of NaN differs: "nan_signs" where only their
///                  signs do, else "nan_codes"; otherwise null
typedef struct mx_verdict_facts {
  uint64_t struct_size;
  int32_t kind;
  uint32_t has_bound;
  uint64_t elements, mismatches;
  uint64_t codes, scales, tensor_scales, nan_codes;
  uint64_t explanations, candidates, distinctions, bound_exceeded;
  const char* text;
  const char* differs_alone;
} mx_verdict_facts;

MX_API mx_status mx_verdict_describe(const mx_verdict* verdict, mx_verdict_facts* facts,
                                     mx_error* error);

// --- Explanations ---

/// One explanation of every bit: a set of changes that apply together.
///   struct_size  set by the caller to sizeof(mx_explanation)
///   changes      number of changes
///   telling      index of the change in which it differs from explanation 0
///   text         all changes in one line
///   probe        input that would distinguish it from explanation 0; null if no candidate does
///   probe_block  the probe_count numbers of that input: of a block, or under a tensor scale of a
///                tensor of one row
typedef struct mx_explanation {
  uint64_t struct_size;
  uint64_t changes, telling;
  const char* text;
  const char* probe;
  const float* probe_block;
  uint64_t probe_count;
} mx_explanation;

///   number  below facts.explanations
MX_API mx_status mx_explanation_describe(const mx_verdict* verdict, uint64_t number,
                                         mx_explanation* explanation, mx_error* error);

/// One deviation from the declared rules.
///   struct_size      set by the caller to sizeof(mx_change)
///   dimension        "scale_rule", "nibble_order", "accumulator", ...
///   expected, found  in words
typedef struct mx_change {
  uint64_t struct_size;
  const char* dimension;
  const char* expected;
  const char* found;
} mx_change;

///   number  below explanation.changes
MX_API mx_status mx_change_describe(const mx_verdict* verdict, uint64_t explanation,
                                    uint64_t number, mx_change* change, mx_error* error);

// --- Tensors ---

/// Kind of the first difference: a code, a block's scale alone, a tensor scale alone, the sizes of
/// arrays, macro fractions alone; the same of a residual.
enum {
  mx_differs_code = 0,
  mx_differs_scale = 1,
  mx_differs_tensor_scale = 2,
  mx_differs_size = 3,
  mx_differs_macro_fractions = 4,
  mx_differs_residual_code = 5,
  mx_differs_residual_scale = 6,
  mx_differs_residual_macro_fractions = 7
};
/// Element index of a padding code.
#define MXPRISM_PADDING UINT64_MAX

/// The first stored number of a tensor that differs, in block order.
///   struct_size          set by the caller to sizeof(mx_difference)
///   what                 mx_differs_code, ...; for tensor scales, sizes and macro fractions all
///                        other members but text are 0, except that for a tensor scale
///                        expected_scale and found_scale have the bits of both
///   value_bits           bits of the element in its number type
///   block, position      index of the block, and of the element in the block
///   element              index in the tensor, or MXPRISM_PADDING
///   index                the element's index_count coordinates; null for padding
///   expected_..., found_...  the code, and its block's scale
///   block_bits           bits of the block_count numbers of the block
///   text                 the difference in one line
typedef struct mx_difference {
  uint64_t struct_size;
  int32_t what;
  uint32_t value_bits;
  uint64_t block, position, element;
  const uint64_t* index;
  uint64_t index_count;
  uint32_t expected_code, found_code, expected_scale, found_scale;
  const uint32_t* block_bits;
  uint64_t block_count;
  const char* text;
} mx_difference;

///   errors  mx_status_bad_argument if nothing differs, and for products
MX_API mx_status mx_difference_describe(const mx_verdict* verdict, mx_difference* difference,
                                        mx_error* error);

// --- Places of all differences of a tensor ---

/// Differing places along one direction: rows, columns, or positions in a block.
///   extent, touched  all places, and those with a difference
///   first, last      the first and the last of these
///   period, length   if period is not 0, all of them are less than length beyond first + a
///                    multiple of period; first then begins the run that has the first of them
typedef struct mx_axis_places {
  uint64_t extent, touched, first, last, period, length;
} mx_axis_places;

/// Where codes and scales differ. Rows of a tensor are those along its last axis, one after the
/// other; those of scales are of the tensor with blocks in place of elements.
///   struct_size  set by the caller to sizeof(mx_places)
///   blocks       with a difference; 0 if no code or scale differs, then all members of codes and
///                scales are 0, and the others too unless a tensor scale or macro fraction of some
///                blocks differs
///   padding      differing codes of padding, which have no place
///   text         the same in one line
///   rows, columns, pattern  of elements whose code, block scale, tensor scale or macro fraction
///                           differs;
///                the pattern in a few words: "all", "rows 128..255", "codes 8..15 of each block",
///                "scattered"; null if the others are 0
typedef struct mx_places {
  uint64_t struct_size;
  uint64_t blocks, codes, scales, padding;
  mx_axis_places code_rows, code_columns, code_positions, scale_rows, scale_columns;
  const char* text;
  mx_axis_places rows, columns;
  const char* pattern;
} mx_places;

///   errors  mx_status_bad_argument for products
MX_API mx_status mx_places_describe(const mx_verdict* verdict, mx_places* places, mx_error* error);

/// Marks every difference that mx_tensor_verify counts in the first pass.
///   format ... found  as in mx_tensor_verify
///   codes   filled with a byte for each element: 1 where its code differs, else 0
///   scales  filled with a byte for each block in linear order: 1 where its scale differs, else 0
///   errors  mx_status_bad_argument also where sizes of the found arrays differ
MX_API mx_status mx_tensor_differences(const mx_format* format, const mx_shape* shape,
                                       const mx_numbers* numbers, const mx_coded* found,
                                       const mx_buffer* codes, const mx_buffer* scales,
                                       mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
