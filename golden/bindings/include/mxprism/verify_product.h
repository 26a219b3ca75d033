// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/verify_product.h: which models of tensor cores a kernel's product is
// consistent with, and how far it may be from the exact one.
#ifndef MXPRISM_VERIFY_PRODUCT_H
#define MXPRISM_VERIFY_PRODUCT_H

#include "mxprism/library.h"
#include "mxprism/product.h"
#include "mxprism/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a model says of a product.
///   model    every bit of D is to be that of the model
///   formats  any model will do that takes A and B in the formats of this one
enum { mx_declared_model = 0, mx_declared_formats = 1 };

/// A kernel's product against that of a model; where it differs, or none is declared, against every model
/// that takes A and B in the same formats.
///   product   d is what the kernel gave; it and c are read
///   plan      null: the default
///   declared  mx_declared_model, mx_declared_formats
///   made      set to the verdict, or to null
///   memory    one band of D for each comparison: at most 2^20 elements, or one row
MX_API mx_status mx_product_verify(const mx_model* model, const mx_product* product,
                                   const mx_plan* plan, int32_t declared, mx_verdict** made,
                                   mx_error* error);

/// A model that may have computed D.
///   struct_size     set it to sizeof(mx_candidate)
///   name, evidence  as of mx_model_facts
///   is_declared     1 for the declared model
///   is_consistent   1 where all of D is as it says. Else the first element that excludes it:
///   row, column, expected, found  bits of D's type
///   nan_code_only   1 where nothing but codes of NaN excludes it
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

/// What operands must have to tell two consistent models apart.
///   struct_size  set it to sizeof(mx_distinction)
///   model, from  their names
///   data         sentences, of which there are data_count
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

/// How far D is from the exact product, against what is proven of any kernel of a class, in whatever order
/// it takes K.
///   struct_size    set it to sizeof(mx_bound)
///   model          whose class
///   exceeded       elements beyond the bound; Inf or NaN where neither can be, and the other way round
///   without_bound  elements of which the class says nothing
typedef struct mx_bound {
  uint64_t struct_size;
  const char* model;
  uint64_t elements, exceeded, without_bound;
} mx_bound;

///   errors  mx_status_bad_argument where facts.has_bound is 0
MX_API mx_status mx_bound_describe(const mx_verdict* verdict, mx_bound* bound, mx_error* error);

/// The first element beyond its bound in row-major order, and the one that is so most.
enum { mx_breach_first = 0, mx_breach_worst = 1 };

/// An element beyond its bound.
///   struct_size  set it to sizeof(mx_breach)
///   found        bits of D's type
///   exact, error, bound  in hexadecimal, exactly; error and bound are empty where D is Inf or NaN, or
///                        ought to be
///   times        the whole part of error / bound
typedef struct mx_breach {
  uint64_t struct_size;
  uint64_t row, column, times;
  const char* exact;
  const char* error;
  const char* bound;
  uint32_t found;
} mx_breach;

///   which   mx_breach_first, mx_breach_worst
///   errors  mx_status_bad_argument where no element is beyond its bound
MX_API mx_status mx_breach_describe(const mx_verdict* verdict, int32_t which, mx_breach* breach,
                                    mx_error* error);

#ifdef __cplusplus
}
#endif

#endif
