// SPDX-License-Identifier: Apache-2.0
// kernels/template/device_kernels.cu: the library on a CUDA device: a thread a block, an element of
// dequantized values, or an element of D. Replace these kernels by your own.
#include <cuda_runtime.h>

#include "requests.h"

namespace {

constexpr int threads = 256;

unsigned groups_of(int64_t work) { return static_cast<unsigned>((work + threads - 1) / threads); }

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

/// 0, or 1000 and CUDA's error, since 1 means unsupported.
mx_user_status launched() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? mx_user_done : 1000 + static_cast<mx_user_status>(error);
}

__device__ int64_t work_of_thread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void quantize_rows(const float* x, int64_t rows, int64_t columns, uint8_t* codes,
                              uint8_t* scales) {
  const int64_t blocks = (columns + block_size - 1) / block_size, block = work_of_thread();
  if (block >= rows * blocks) return;
  const int64_t first = block % blocks * block_size, left = columns - first;
  quantize_block(x + block / blocks * columns + first,
                 static_cast<int>(left < block_size ? left : block_size),
                 codes + block * (block_size / 2), scales + block);
}

__global__ void dequantize_rows(const uint8_t* codes, const uint8_t* scales, int64_t rows,
                                int64_t columns, float* out) {
  const int64_t blocks = (columns + block_size - 1) / block_size, i = work_of_thread();
  if (i >= rows * columns) return;
  const int64_t row = i / columns;
  out[i] = element_at(codes + row * blocks * (block_size / 2), scales + row * blocks, i % columns);
}

__global__ void multiply(mx_user_factor a, mx_user_factor b, int64_t m, int64_t n, int64_t k,
                         const float* c, float* d) {
  const int64_t blocks = (k + block_size - 1) / block_size, i = work_of_thread();
  if (i >= m * n) return;
  const int64_t row = i / n, column = i % n;
  d[i] = dot_of(static_cast<const uint8_t*>(a.codes) + row * a.line_bytes, a.scales + row * blocks,
                static_cast<const uint8_t*>(b.codes) + column * b.line_bytes,
                b.scales + column * blocks, k, c == nullptr ? 0.0F : c[i]);
}

}  // namespace

uint32_t mx_user_version(void) { return MX_USER_VERSION; }

int32_t mx_user_memory(void) { return mx_user_device_memory; }

uint64_t mx_user_quantize_workspace(const mx_user_quantize_request*) { return 0; }

mx_user_status mx_user_quantize(const mx_user_quantize_request* r) {
  if (!serves_quantize(r)) return mx_user_unsupported;
  quantize_rows<<<groups_of(r->rows * blocks_of(r->columns)), threads, 0, stream_of(r->stream)>>>(
      static_cast<const float*>(r->x), r->rows, r->columns, static_cast<uint8_t*>(r->codes),
      static_cast<uint8_t*>(r->scales));
  return launched();
}

uint64_t mx_user_dequantize_workspace(const mx_user_dequantize_request*) { return 0; }

mx_user_status mx_user_dequantize(const mx_user_dequantize_request* r) {
  if (!serves_dequantize(r)) return mx_user_unsupported;
  dequantize_rows<<<groups_of(r->rows * r->columns), threads, 0, stream_of(r->stream)>>>(
      static_cast<const uint8_t*>(r->codes), static_cast<const uint8_t*>(r->scales), r->rows,
      r->columns, static_cast<float*>(r->out));
  return launched();
}

uint64_t mx_user_product_workspace(const mx_user_product_request*) { return 0; }

mx_user_status mx_user_product(const mx_user_product_request* r) {
  if (!serves_product(r)) return mx_user_unsupported;
  multiply<<<groups_of(r->m * r->n), threads, 0, stream_of(r->stream)>>>(
      r->a, r->b, r->m, r->n, r->k, static_cast<const float*>(r->c), static_cast<float*>(r->d));
  return launched();
}
