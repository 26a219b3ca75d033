// SPDX-License-Identifier: Apache-2.0
// sim/device/lane.cpp: see lane.h.
#include "sim/device/lane.h"

#include <fmt/format.h>

namespace sim {

void expect_done(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw device_error(fmt::format("{}: {}", call, cudaGetErrorString(error)));
}

void device_memory::grow(std::size_t bytes) {
  if (bytes <= bytes_) return;
  expect_done(cudaFree(at_), "cudaFree");
  at_ = nullptr;
  bytes_ = 0;
  expect_done(cudaMalloc(&at_, bytes), "cudaMalloc");
  bytes_ = bytes;
}

lane::lane() { expect_done(cudaStreamCreate(&stream), "cudaStreamCreate"); }

void lane::to_device(float* to, const float* from, std::ptrdiff_t stride, int lines,
                     int length) const {
  if (lines == 0 || length == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(float);
  expect_done(
      cudaMemcpy2DAsync(to, bytes, from, static_cast<std::size_t>(stride) * sizeof(float), bytes,
                        static_cast<std::size_t>(lines), cudaMemcpyHostToDevice, stream),
      "cudaMemcpy2DAsync");
}

void lane::to_host(float* to, const float* from, std::size_t count) const {
  expect_done(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToHost, stream),
              "cudaMemcpyAsync");
}

void lane::wait() const { expect_done(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

std::unique_ptr<lane> lanes::taken() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<lane>();
  std::unique_ptr<lane> mine = std::move(idle_.back());
  idle_.pop_back();
  return mine;
}

void lanes::give_back(std::unique_ptr<lane> done) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(done));
}

}  // namespace sim
