// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_case.h: the cases of the C program, and what they share.
#ifndef MXPRISM_TESTS_C_CASE_H
#define MXPRISM_TESTS_C_CASE_H

#include <mxprism/mxprism.h>
#include <string.h>

#include "../c_expect.h"

/// The whole of a caller-owned array.
#define BUFFER(array) \
  { (array), sizeof(array) }

/// A handle whose creation must succeed.
mx_format* format_made(const char* format, const char* options);
mx_model* model_made(const char* name, const char* options);

void check_tensors(void);
void check_refused_tensors(void);
void check_products(void);
void check_refused_products(void);
void check_tensor_verdicts(void);
void check_product_verdicts(void);

#endif
