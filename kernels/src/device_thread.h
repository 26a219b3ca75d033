// SPDX-License-Identifier: Apache-2.0
// kernels/src/device_thread.h: a CUDA thread as kernel bodies see it. Bodies are templates over such a
// type, so that tests run the same text on the CPU (tests/kernels/grid.h).
#pragma once
#include <cstdint>

namespace mx::kernels {

/// Blocks in one dimension. Whoever calls exchange or a barrier does so in all threads of the warp, of
/// the block.
class device_thread {
 public:
  explicit __device__ device_thread(void* shared) : shared_(shared) {}

  [[nodiscard]] __device__ std::uint64_t block() const { return blockIdx.x; }
  [[nodiscard]] __device__ int index() const { return static_cast<int>(threadIdx.x); }
  [[nodiscard]] __device__ int block_size() const { return static_cast<int>(blockDim.x); }

  /// The value of the thread whose lane is this one's XOR mask.
  [[nodiscard]] __device__ std::uint32_t exchange(std::uint32_t value, int mask) const {
    return __shfl_xor_sync(0xFFFFFFFFU, value, mask);
  }
  /// Waits for the warp, and sees what it wrote to shared memory.
  __device__ void warp_barrier() const { __syncwarp(); }
  __device__ void barrier() const { __syncthreads(); }

  /// The block's shared memory, at a multiple of 16 bytes.
  template <class T>
  [[nodiscard]] __device__ T* shared() const {
    return static_cast<T*>(shared_);
  }

 private:
  void* shared_;
};

}  // namespace mx::kernels
