// SPDX-License-Identifier: Apache-2.0
// tests/c_expect.h: checks of a C program; those that do not hold are printed and counted.
#ifndef MXPRISM_TESTS_C_EXPECT_H
#define MXPRISM_TESTS_C_EXPECT_H

#include <stdio.h>

extern int failures;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

#endif
