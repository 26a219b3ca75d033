// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/device_calls.cpp: calls of the CUDA runtime.
#include "golden/bindings/cuda/device_calls.h"

#include <cuda_runtime_api.h>

#include "golden/bindings/guard.h"

namespace bindings::cuda {
namespace {

/// "13.0" of CUDA's 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void expect_done(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it is the status of this call alone
  throw refused(mx_status_device, std::string(call) + ": " + cudaGetErrorString(error));
}

std::string missing_driver(int driver) {
  int runtime = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  return "the CUDA driver supports CUDA " + version_text(driver) + ", and this library needs " +
         version_text(runtime) + "; update the driver";
}

}  // namespace

std::string missing_part() {
  int driver = 0, devices = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "there is no CUDA driver; install NVIDIA's, which brings libcuda.so.1";
  }
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return {};
  static_cast<void>(cudaGetLastError());
  if (error == cudaErrorInsufficientDriver) return missing_driver(driver);
  if (error == cudaSuccess || error == cudaErrorNoDevice) {
    return "the CUDA driver finds no device; nvidia-smi lists devices, and CUDA_VISIBLE_DEVICES "
           "hides them";
  }
  return std::string("cudaGetDeviceCount: ") + cudaGetErrorString(error);
}

std::string architectures() {
  std::string text = "the kernels are compiled for " MXPRISM_CUDA_ARCHITECTURES;
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess) {
    text += ", and the device is " + std::to_string(major) + std::to_string(minor);
  }
  return text;
}

void clear_bytes(void* data, std::uint64_t bytes, mx::kernels::stream on) {
  expect_done(cudaMemsetAsync(data, 0, bytes, on), "cudaMemsetAsync");
}

void fetch_bytes(void* to, const void* from, std::uint64_t bytes, mx::kernels::stream on) {
  expect_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on), "cudaMemcpyAsync");
  expect_done(cudaStreamSynchronize(on), "cudaStreamSynchronize");
}

}  // namespace bindings::cuda
