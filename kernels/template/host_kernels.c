// SPDX-License-Identifier: Apache-2.0
// kernels/template/host_kernels.c: the library on the CPU, in C99 alone.
#include "requests.h"

uint32_t mx_user_version(void) { return MX_USER_VERSION; }

int32_t mx_user_memory(void) { return mx_user_host_memory; }

uint64_t mx_user_quantize_workspace(const mx_user_quantize_request* r) {
  (void)r;
  return 0;
}

mx_user_status mx_user_quantize(const mx_user_quantize_request* r) {
  if (!serves_quantize(r)) return mx_user_unsupported;
  const int64_t blocks = blocks_of(r->columns);
  for (int64_t block = 0; block < r->rows * blocks; ++block) {
    const int64_t row = block / blocks, first = block % blocks * block_size;
    const int64_t left = r->columns - first;
    quantize_block((const float*)r->x + row * r->columns + first,
                   (int)(left < block_size ? left : block_size),
                   (uint8_t*)r->codes + block * (block_size / 2), (uint8_t*)r->scales + block);
  }
  return mx_user_done;
}

uint64_t mx_user_dequantize_workspace(const mx_user_dequantize_request* r) {
  (void)r;
  return 0;
}

mx_user_status mx_user_dequantize(const mx_user_dequantize_request* r) {
  if (!serves_dequantize(r)) return mx_user_unsupported;
  const int64_t blocks = blocks_of(r->columns);
  for (int64_t row = 0; row < r->rows; ++row) {
    const uint8_t* codes = (const uint8_t*)r->codes + row * blocks * (block_size / 2);
    const uint8_t* scales = (const uint8_t*)r->scales + row * blocks;
    for (int64_t i = 0; i < r->columns; ++i) {
      ((float*)r->out)[row * r->columns + i] = element_at(codes, scales, i);
    }
  }
  return mx_user_done;
}

uint64_t mx_user_product_workspace(const mx_user_product_request* r) {
  (void)r;
  return 0;
}

mx_user_status mx_user_product(const mx_user_product_request* r) {
  if (!serves_product(r)) return mx_user_unsupported;
  const int64_t blocks = blocks_of(r->k);
  for (int64_t i = 0; i < r->m * r->n; ++i) {
    const int64_t row = i / r->n, column = i % r->n;
    ((float*)r->d)[i] =
        dot_of((const uint8_t*)r->a.codes + row * r->a.line_bytes, r->a.scales + row * blocks,
               (const uint8_t*)r->b.codes + column * r->b.line_bytes, r->b.scales + column * blocks,
               r->k, r->c == NULL ? 0.0f : ((const float*)r->c)[i]);
  }
  return mx_user_done;
}
