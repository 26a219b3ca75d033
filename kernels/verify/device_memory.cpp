// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_memory.cpp: memory and a stream of the current device.
#include "device_memory.h"

#include "device_array.h"

namespace mx::kernels {

user_memory device_memory() {
  cudaStream_t stream = nullptr;
  expect_done(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  user_memory made;
  made.allocate = [](std::size_t bytes) {
    void* at = nullptr;
    expect_done(cudaMalloc(&at, bytes), "cudaMalloc");
    return at;
  };
  made.release = [](void* at) { cudaFree(at); };
  made.fill = copy_to_device;
  made.fetch = [](void* to, const void* from, std::size_t bytes) {
    expect_done(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  };
  // Work in other streams counts too: a library may use its own.
  made.finish = [] { expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); };
  made.stream = stream;
  return made;
}

}  // namespace mx::kernels
