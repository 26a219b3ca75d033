// SPDX-License-Identifier: Apache-2.0
// sim/device/device_calls.cpp: calls of the CUDA runtime. Has not run on a device.
#include "sim/device/device_calls.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "sim/device/device_products.h"

namespace sim {
namespace {

void expect_done(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw device_error(fmt::format("{}: {}", call, cudaGetErrorString(error)));
}

}  // namespace

int device_count() {
  int count = 0;
  expect_done(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

mx::kernels::stream new_stream() {
  cudaStream_t made = nullptr;
  expect_done(cudaStreamCreate(&made), "cudaStreamCreate");
  return made;
}
void end_stream(mx::kernels::stream on) noexcept { cudaStreamDestroy(on); }

void* new_device_memory(std::size_t bytes) {
  void* made = nullptr;
  expect_done(cudaMalloc(&made, bytes), "cudaMalloc");
  return made;
}
void free_device_memory(void* memory) noexcept { cudaFree(memory); }

void copy_to_device(void* to, const void* from, std::size_t bytes, mx::kernels::stream on) {
  expect_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, on), "cudaMemcpyAsync");
}
void copy_lines_to_device(void* to, const void* from, std::size_t stride, std::size_t lines,
                          std::size_t bytes_a_line, mx::kernels::stream on) {
  expect_done(cudaMemcpy2DAsync(to, bytes_a_line, from, stride, bytes_a_line, lines,
                                cudaMemcpyHostToDevice, on),
              "cudaMemcpy2DAsync");
}
void copy_to_host(void* to, const void* from, std::size_t bytes, mx::kernels::stream on) {
  expect_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on), "cudaMemcpyAsync");
}
void wait_for(mx::kernels::stream on) {
  expect_done(cudaStreamSynchronize(on), "cudaStreamSynchronize");
}

}  // namespace sim
