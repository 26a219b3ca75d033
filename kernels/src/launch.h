// SPDX-License-Identifier: Apache-2.0
// kernels/src/launch.h: CUDA calls of a launcher before and after a launch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "mx/kernels/status.h"

namespace mx::kernels {

inline constexpr std::int64_t largest_grid = 2147483647;  // of blocks in one dimension

/// Number of blocks of `threads` threads that cover `work` elements.
[[nodiscard]] constexpr std::int64_t blocks_for(std::int64_t work, int threads) noexcept {
  return (work + threads - 1) / threads;
}

/// launch_error::size if the blocks of threads do not fit one grid dimension.
[[nodiscard]] constexpr status fits_grid(std::int64_t blocks) noexcept {
  if (blocks <= largest_grid) return {};
  return {launch_error::size, "the number of blocks of threads", largest_grid};
}
static_assert(fits_grid(largest_grid).is_done() && !fits_grid(largest_grid + 1).is_done());

/// Leaves CUDA's last error to the caller: an error of this scope is in its status alone. One from
/// before stays set; its code is lost if another call fails here.
class kept_last_error {
 public:
  kept_last_error() noexcept : before_(cudaPeekAtLastError()) {}
  kept_last_error(const kept_last_error&) = delete;
  kept_last_error& operator=(const kept_last_error&) = delete;
  ~kept_last_error() {
    if (before_ == cudaSuccess) static_cast<void>(cudaGetLastError());
  }

 private:
  cudaError_t before_;
};

/// Done if a device is usable.
[[nodiscard]] inline status usable_device() noexcept {
  const kept_last_error kept;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return {};
  return {launch_error::no_device, "cudaGetDeviceCount", 0, static_cast<int>(error)};
}

/// The status for CUDA's error code after a launch.
[[nodiscard]] inline status answer_of(cudaError_t error, const char* kernel) noexcept {
  if (error == cudaSuccess) return {};
  const bool lacks_code = error == cudaErrorNoKernelImageForDevice ||
                          error == cudaErrorInvalidDeviceFunction ||
                          error == cudaErrorUnsupportedPtxVersion;
  return {lacks_code ? launch_error::architecture : launch_error::cuda, kernel, 0,
          static_cast<int>(error)};
}

/// Reads an attribute of the current device.
[[nodiscard]] inline status attribute_of_device(cudaDeviceAttr attribute, int& value) noexcept {
  const kept_last_error kept;
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, attribute, device);
  if (error == cudaSuccess) return {};
  return {launch_error::cuda, "cudaDeviceGetAttribute", 0, static_cast<int>(error)};
}

/// Done if the loaded code of a kernel has its instructions: a stub, compiled for an architecture
/// without them, has __launch_bounds__ of one thread (threads_if, device/architecture.h).
[[nodiscard]] inline status compiled_for(const void* kernel, const char* name,
                                         int threads) noexcept {
  const kept_last_error kept;
  cudaFuncAttributes facts{};
  const cudaError_t error = cudaFuncGetAttributes(&facts, kernel);
  if (error != cudaSuccess) return answer_of(error, name);
  return facts.maxThreadsPerBlock >= threads ? status{} : status{launch_error::architecture, name};
}

/// Raises the shared memory limit of a kernel's blocks, if the current device has as much.
///   bytes  the maximum over all requests: a smaller limit set by one host thread would apply to
///          another one that is about to launch
template <class Kernel>
[[nodiscard]] status allow_shared_memory(Kernel* kernel, const char* name, int bytes) noexcept {
  int most = 0;
  const status known = attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, most);
  if (!known.is_done()) return known;
  if (bytes > most) return {launch_error::shared_memory, name, bytes};
  const kept_last_error kept;
  return answer_of(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   name);
}

}  // namespace mx::kernels
