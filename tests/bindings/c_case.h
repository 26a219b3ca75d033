// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_case.h: checks of the C program, counted.
#ifndef MXPRISM_TESTS_C_CASE_H
#define MXPRISM_TESTS_C_CASE_H

#include <mxprism/mxprism.h>
#include <stdio.h>
#include <string.h>

extern int failures;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

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
