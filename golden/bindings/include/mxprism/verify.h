// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/verify.h: verdicts on what kernels wrote: bit for bit, with the
// smallest explanation of a difference.
#ifndef MXPRISM_VERIFY_H
#define MXPRISM_VERIFY_H

#include "mxprism/library.h"
#include "mxprism/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A verdict, and what it rests on. It keeps nothing of what was verified; its texts and arrays live
/// as long as it does.
typedef struct mx_verdict mx_verdict;

///   exact        every bit is as declared
///   explained    it is as something else says that differs from the declared in few things
///   unexplained  nothing that was tried gives these bits
enum { mx_verdict_exact = 0, mx_verdict_explained = 1, mx_verdict_unexplained = 2 };

/// How far a difference is looked into.
///   struct_size  set it to sizeof(mx_search)
///   changes      explanations change at most so many things at once: 0 (none is looked for), 1 or 2
typedef struct mx_search {
  uint64_t struct_size;
  uint32_t changes;
} mx_search;

/// Codes and scales of somebody's kernel against what the format makes of the numbers.
///   format   as declared, without corrections. Where its options name no packing, the number of codes
///            says whether two share a byte. With tensor-scale=given the one found is what blocks
///            are made under
///   found    codes, scales and, where the kernel wrote them, tensor_scales: of any sizes, as a kernel
///            may have taken other blocks. The other arrays are empty
///   search   null: at most two changes
///   made     set to the verdict, or to null
///   memory   two words for each block and some MiB; neither numbers nor codes are copied
///   errors   mx_status_bad_argument also where no change explains the sizes of what was found
MX_API mx_status mx_tensor_verify(const mx_format* format, const mx_shape* shape,
                                  const mx_numbers* numbers, const mx_coded* found,
                                  const mx_search* search, mx_verdict** made, mx_error* error);

/// Null is allowed.
MX_API void mx_verdict_destroy(mx_verdict* verdict);

/// What there is to know of a verdict.
///   struct_size    set it to sizeof(mx_verdict_facts)
///   kind           mx_verdict_exact, ...
///   has_bound      1 where a product was held against a proven bound: where it is not exact
///   elements       of the tensor, or of D
///   mismatches     those that differ: by their code, their block's scale or a tensor scale; by their
///                  bits in D (0 where no model was declared)
///   codes, scales  of a tensor, that differ          tensor_scales  1 where these do
///   nan_codes      of the mismatches in D, those that are NaN on both sides
///   explanations   number 0 explains; data cannot tell the others from it
///   candidates     models that were compared with a product
///   distinctions   consistent models that other data would tell apart
///   bound_exceeded elements of D beyond the bound
///   text           all of it for people, in lines
typedef struct mx_verdict_facts {
  uint64_t struct_size;
  int32_t kind;
  uint32_t has_bound;
  uint64_t elements, mismatches;
  uint64_t codes, scales, tensor_scales, nan_codes;
  uint64_t explanations, candidates, distinctions, bound_exceeded;
  const char* text;
} mx_verdict_facts;

MX_API mx_status mx_verdict_describe(const mx_verdict* verdict, mx_verdict_facts* facts,
                                     mx_error* error);

// --- Explanations ---

/// One way to explain every bit: what is otherwise, all of it at once.
///   struct_size  set it to sizeof(mx_explanation)
///   changes      how many
///   telling      number of the change in which it is not explanation 0
///   text         all changes in one line
///   probe        what would tell it from explanation 0; null where no candidate does
///   probe_block  numbers that do, of which there are probe_count
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

/// One thing that is otherwise than declared.
///   struct_size      set it to sizeof(mx_change)
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

/// What the first difference is in: a code, a block's scale alone, a tensor scale alone, the sizes of
/// arrays.
enum {
  mx_differs_code = 0,
  mx_differs_scale = 1,
  mx_differs_tensor_scale = 2,
  mx_differs_size = 3
};
/// In place of an element's number: the code is padding.
#define MXPRISM_PADDING UINT64_MAX

/// The first stored number of a tensor that differs, in the order of blocks.
///   struct_size          set it to sizeof(mx_difference)
///   what                 mx_differs_code, ...; for tensor scales and sizes the rest is 0 but text, and,
///                        where a tensor scale is not a positive finite number, the bits of both in
///                        expected_scale and found_scale
///   value_bits           the element, in the bits of its type
///   block, position      of the block, and of the element in it
///   element              in the tensor, or MXPRISM_PADDING
///   index                its place in the tensor, of index_count numbers; null for padding
///   expected_..., found_...  the code, and its block's scale
///   block_bits           the block's numbers, of which there are block_count
///   text                 all of it in one line
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

///   errors  mx_status_bad_argument where nothing differs, and for products
MX_API mx_status mx_difference_describe(const mx_verdict* verdict, mx_difference* difference,
                                        mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
