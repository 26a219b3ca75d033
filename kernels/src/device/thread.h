// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/thread.h: a CUDA thread as kernel bodies see it. Bodies are templates over
// this type, so that tests run the same code on the CPU (tests/kernels/grid/grid.h). mma and
// cp.async have not run on their hardware.
#pragma once
#include <cstdint>

namespace mx::kernels {

/// One-dimensional grids. exchange must be called by all threads of the warp, a barrier by all
/// threads of the warp or block that it names.
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
  /// Waits for the warp, and makes its writes to shared memory visible.
  __device__ void warp_barrier() const { __syncwarp(); }
  __device__ void barrier() const { __syncthreads(); }

  /// Returns the value opaquely to the compiler, so that it stays in a register.
  [[nodiscard]] __device__ std::int32_t unknown(std::int32_t value) const {
    asm volatile("mov.b32 %0, %0;" : "+r"(value));
    return value;
  }

  /// sum = start + A B of signed bytes: 16 rows, 8 columns; the words are those of PTX
  /// mma.m16n8k32, and of mma.m16n8k16. Exact.
  __device__ void mma_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                          std::uint32_t b1, std::int32_t start) const {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %10, %10, %10};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(start));
  }
  __device__ void mma_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1,
                          std::uint32_t b, std::int32_t start) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%7, %7, %7, %7};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a0), "r"(a1), "r"(b), "r"(start));
  }

  /// sum = A B of the same bytes read as unsigned: zero if and only if all products are.
  __device__ void any_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                          std::uint32_t b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %10, %10, %10};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(0));
  }
  __device__ void any_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1,
                          std::uint32_t b) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%7, %7, %7, %7};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a0), "r"(a1), "r"(b), "r"(0));
  }

  /// The OR of the words of all threads of the warp.
  [[nodiscard]] __device__ std::uint32_t united(std::uint32_t word) const {
    return __reduce_or_sync(0xFFFFFFFFU, word);
  }

  /// Adds to a number in device memory that other threads add to.
  __device__ void add_to(std::uint64_t* number, std::uint32_t more) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(number), more);
  }

  /// Starts a copy of 16 bytes into shared memory; wait_for_copies waits for it.
  template <class T>
  __device__ void copy_later(T* to, const T* from) const {
    static_assert(sizeof(T) == 16);
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  }
  /// The copies since the last call are one group.
  __device__ void commit_copies() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  /// Waits for all of this thread's groups except the newest `Newest`.
  template <int Newest>
  __device__ void wait_for_copies() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(Newest) : "memory");
  }

  /// The block's shared memory, 16-byte aligned.
  template <class T>
  [[nodiscard]] __device__ T* shared() const {
    return static_cast<T*>(shared_);
  }

 private:
  void* shared_;
};

}  // namespace mx::kernels
