// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/verify_product.h: tensor core models that a kernel's product is
// consistent with, and its distance from the exact product.
#ifndef MXPRISM_VERIFY_PRODUCT_H
#define MXPRISM_VERIFY_PRODUCT_H

#include "mxprism/library.h"
#include "mxprism/product.h"
#include "mxprism/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a model argument declares.
///   model    every bit of D must be the model's
///   formats  any model that accepts A and B in the formats of this one is admissible
enum { mx_declared_model = 0, mx_declared_formats = 1 };

/// Compares a kernel's product with that of a model; if it differs, or none is declared, with every
/// model that accepts A and B in the same formats.
///   product   input; d is the kernel's result
///   plan      null: the default plan
///   declared  mx_declared_model, mx_declared_formats
///   made      set to the verdict, or to null on failure
///   memory    one band of D for each comparison: at most 2^20 elements, or one row
MX_API mx_status mx_product_verify(const mx_model* model, const mx_product* product,
                                   const mx_plan* plan, int32_t declared, mx_verdict** made,
                                   mx_error* error);

/// A model compared with D.
///   struct_size     set by the caller to sizeof(mx_candidate)
///   name, evidence  as in mx_model_facts
///   is_declared     1 for the declared model
///   is_consistent   1 if all of D matches the model. Else the first element that excludes it:
///   row, column, expected, found  bits of D's type
///   nan_code_only   1 if only NaN codes exclude it
typedef struct mx_candidate {
  uint64_t struct_size;
  const char* name;
  const char* evidence;
  uint64_t row, column;
  uint32_t expected, found;
  uint32_t is_declared, is_consistent, nan_code_only;
} mx_candidate;

///   number  below facts.candidates
MX_API mx_status mx_candidate_describe(const mx_verdict* verdict, uint64_t number,
                                       mx_candidate* candidate, mx_error* error);

/// Operands required to distinguish two consistent models.
///   struct_size  set by the caller to sizeof(mx_distinction)
///   model, from  names of the models
///   data         data_count sentences
typedef struct mx_distinction {
  uint64_t struct_size;
  const char* model;
  const char* from;
  const char* const* data;
  uint64_t data_count;
} mx_distinction;

///   number  below facts.distinctions
MX_API mx_status mx_distinction_describe(const mx_verdict* verdict, uint64_t number,
                                         mx_distinction* distinction, mx_error* error);

/// Distance of D from the exact product, compared with the bound proven for any kernel of a class,
/// in any order of K.
///   struct_size    set by the caller to sizeof(mx_bound)
///   model          the model whose class is used
///   exceeded       elements beyond the bound; Inf or NaN where neither can occur, and vice versa
///   without_bound  elements without a proven bound
typedef struct mx_bound {
  uint64_t struct_size;
  const char* model;
  uint64_t elements, exceeded, without_bound;
} mx_bound;

///   errors  mx_status_bad_argument if facts.has_bound is 0
MX_API mx_status mx_bound_describe(const mx_verdict* verdict, mx_bound* bound, mx_error* error);

/// The first element beyond its bound in row-major order, and the one that exceeds it most.
enum { mx_breach_first = 0, mx_breach_worst = 1 };

/// An element beyond its bound.
///   struct_size  set by the caller to sizeof(mx_breach)
///   found        bits of D's type
///   exact, error, bound  exact hexadecimal numbers; error and bound are empty if D is, or should
///                        be, Inf or NaN
///   times        floor(error / bound)
typedef struct mx_breach {
  uint64_t struct_size;
  uint64_t row, column, times;
  const char* exact;
  const char* error;
  const char* bound;
  uint32_t found;
} mx_breach;

///   which   mx_breach_first, mx_breach_worst
///   errors  mx_status_bad_argument if no element is beyond its bound
MX_API mx_status mx_breach_describe(const mx_verdict* verdict, int32_t which, mx_breach* breach,
                                    mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
