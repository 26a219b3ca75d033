// SPDX-License-Identifier: Apache-2.0
// kernels/verify/device_array.h: device memory, and CUDA errors as exceptions.
#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace mx::kernels {

///   errors  std::runtime_error with the call and CUDA's message
inline void expect_done(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(error));
}

/// Returns when the device has the bytes, which cudaMemcpy does not wait for: streams that do not
/// wait for the default stream would read older ones.
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  expect_done(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  expect_done(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// Elements in device memory, freed on destruction. At least one is allocated.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    void* memory = nullptr;
    expect_done(cudaMalloc(&memory, std::max<std::size_t>(size_, 1) * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(memory);
  }
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    copy_to_device(data_, values.data(), size_ * sizeof(T));
  }
  device_array(device_array&& other) noexcept : size_(other.size_), data_(other.data_) {
    other.data_ = nullptr;
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

using device_bytes = device_array<std::uint8_t>;

///   bytes  as many as the array has
inline void refill(const device_bytes& array, const std::vector<std::uint8_t>& bytes) {
  copy_to_device(array.data(), bytes.data(), bytes.size());
}

template <class T>
[[nodiscard]] std::vector<T> values_of(const device_array<T>& array) {
  std::vector<T> result(array.size());
  expect_done(
      cudaMemcpy(result.data(), array.data(), result.size() * sizeof(T), cudaMemcpyDeviceToHost),
      "cudaMemcpy");
  return result;
}

}  // namespace mx::kernels
