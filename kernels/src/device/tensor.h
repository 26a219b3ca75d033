// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/tensor.h: a device thread with tcgen05. Compiled for other devices it
// traps: the launcher does not start it there. Has not run on its hardware.
// Source: PTX ISA, "tcgen05"; as ptxas 13.0 takes it.
#pragma once
#include "device/architecture.h"
#include "device/counters.h"
#include "gemm/native_tensor.h"

#define MX_TENSOR_ASM(...) MX_CODE_IF(MX_CODE_HAS_TCGEN05, asm volatile(__VA_ARGS__))

namespace mx::kernels {

class tensor_thread : public counting_thread {
 public:
  using counting_thread::counting_thread;

  /// Makes initialized counters visible to all threads and to asynchronous work.
  __device__ void show_counters() const {
    MX_TENSOR_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    show_to_engines();
  }

  // Tensor memory, all of it. Whole warps call these.
  __device__ void allot_tensor_memory(std::uint32_t& base) const {
    MX_TENSOR_ASM("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(
                      shared_address(&base))
                  : "memory");
    MX_TENSOR_ASM("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __device__ void release_tensor_memory(std::uint32_t base) const {
    MX_TENSOR_ASM("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(base));
  }
  /// A lane of tensor memory belongs to a thread of the warp: 16 columns.
  __device__ void load_tensor_memory(std::uint32_t (&to)[16], std::uint32_t from) const {
    MX_TENSOR_ASM(
        "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
        "%11, %12, %13, %14, %15}, [%16];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]), "=r"(to[5]), "=r"(to[6]),
          "=r"(to[7]), "=r"(to[8]), "=r"(to[9]), "=r"(to[10]), "=r"(to[11]), "=r"(to[12]),
          "=r"(to[13]), "=r"(to[14]), "=r"(to[15])
        : "r"(from));
  }
  __device__ void store_tensor_memory(std::uint32_t to, const std::uint32_t (&from)[16]) const {
    MX_TENSOR_ASM(
        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%16], {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15};" ::"r"(from[0]),
        "r"(from[1]), "r"(from[2]), "r"(from[3]), "r"(from[4]), "r"(from[5]), "r"(from[6]),
        "r"(from[7]), "r"(from[8]), "r"(from[9]), "r"(from[10]), "r"(from[11]), "r"(from[12]),
        "r"(from[13]), "r"(from[14]), "r"(from[15]), "r"(to)
        : "memory");
  }
  __device__ void wait_for_tensor_loads() const {
    MX_TENSOR_ASM("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  }
  __device__ void wait_for_tensor_stores() const {
    MX_TENSOR_ASM("tcgen05.wait::st.sync.aligned;" ::: "memory");
  }
  __device__ void tensor_before_barrier() const {
    MX_TENSOR_ASM("tcgen05.fence::before_thread_sync;" ::: "memory");
  }
  __device__ void tensor_after_barrier() const {
    MX_TENSOR_ASM("tcgen05.fence::after_thread_sync;" ::: "memory");
  }

  // Work of the tensor core; one thread starts all of it.
  /// 32 times 16 bytes to 32 lanes and four columns, and to those of the other quarters of lanes.
  __device__ void copy_to_tensor_memory(std::uint32_t to, std::uint64_t from) const {
    MX_TENSOR_ASM("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from)
                  : "memory");
  }
  /// D += A B.
  template <native_kind Kind>
  __device__ void multiply_tensors(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                   std::uint32_t instruction, std::uint32_t scales_a,
                                   std::uint32_t scales_b) const {
    if constexpr (Kind == native_kind::mxf4) {
      MX_TENSOR_ASM(
          "{.reg .pred p; setp.eq.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::mxf4.block_scale"
          ".scale_vec::2X [%0], %1, %2, %3, [%4], [%5], p;}" ::"r"(d),
          "l"(a), "l"(b), "r"(instruction), "r"(scales_a), "r"(scales_b)
          : "memory");
    } else {
      MX_TENSOR_ASM(
          "{.reg .pred p; setp.eq.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale"
          ".scale_vec::4X [%0], %1, %2, %3, [%4], [%5], p;}" ::"r"(d),
          "l"(a), "l"(b), "r"(instruction), "r"(scales_a), "r"(scales_b)
          : "memory");
    }
  }
  /// Arrives when all work started by this thread is done.
  __device__ void commit_tensor_work(std::uint64_t* counter) const {
    MX_TENSOR_ASM(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared_address(counter))
        : "memory");
  }
};

}  // namespace mx::kernels

#undef MX_TENSOR_ASM
