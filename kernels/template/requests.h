// SPDX-License-Identifier: Apache-2.0
// kernels/template/requests.h: the requests that these kernels serve; they decline all others.
#ifndef REQUESTS_H
#define REQUESTS_H

#include <string.h>

#include "mx/kernels/user_library.h"
#include "mxfp4_block.h"

static int is_same(const char* word, const char* other) { return strcmp(word, other) == 0; }

static int serves_quantize(const mx_user_quantize_request* r) {
  return is_same(r->format, "mxfp4") && is_same(r->scale_rule, "floor") &&
         is_same(r->rounding, "nearest-even") && is_same(r->layout, "linear") &&
         r->type == mx_user_fp32 && r->lines == mx_user_rows;
}

static int serves_dequantize(const mx_user_dequantize_request* r) {
  return is_same(r->format, "mxfp4") && is_same(r->layout, "linear") && r->type == mx_user_fp32;
}

static int serves_product(const mx_user_product_request* r) {
  return is_same(r->model, "fp32.fma") && is_same(r->a_format, "e2m1") &&
         is_same(r->b_format, "e2m1") && is_same(r->scale_format, "e8m0") &&
         r->block == block_size && r->promote == 0 && r->a.storage == mx_user_pairs &&
         r->b.storage == mx_user_pairs;
}

/// Blocks of a line of `length` numbers.
static int64_t blocks_of(int64_t length) { return (length + block_size - 1) / block_size; }

#endif
