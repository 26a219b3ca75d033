// SPDX-License-Identifier: Apache-2.0
// kernels/src/device_warpgroup.h: a CUDA thread of sm_90a, with what four warps do together: products of
// matrices in shared memory, and copies that a barrier there counts. For other architectures its
// instructions are none. None has run on its hardware.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "cp.async.bulk", "mbarrier".
#pragma once
#include "device_thread.h"
#include "matrix_descriptor.h"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define MX_SM90A(...) asm volatile(__VA_ARGS__)
#else
#define MX_SM90A(...) static_cast<void>(0)
#endif

namespace mx::kernels {

/// Products of a warpgroup, 64 lines of A by 64 or 32 of B: sum 4 j + r of lane l of warp w lies in row
/// 16 w + 8 (r / 2) + l / 4 and column 8 j + 2 (l % 4) + r % 2.
class warpgroup_thread : public device_thread {
 public:
  using device_thread::device_thread;

  /// What copies and matrix instructions call a place in shared memory.
  [[nodiscard]] __device__ std::uint32_t shared_address(const void* at) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  }
  /// A value that all threads of the warp have: the compiler may keep it once for all of them.
  [[nodiscard]] __device__ int uniform(int value) const {
    return __shfl_sync(0xFFFFFFFFU, value, 0);
  }
  /// Shows what this thread has written to shared memory to copies and matrix instructions; to those of
  /// other threads behind a barrier.
  __device__ void show_to_engines() const {
    MX_SM90A("fence.proxy.async.shared::cta;" ::: "memory");
  }

  /// A counter whose phase ends with as many arrivals, and with all bytes that they expect.
  __device__ void begin_counter(std::uint64_t* counter, int arrivals) const {
    MX_SM90A("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(counter)), "r"(arrivals)
             : "memory");
  }
  __device__ void arrive(std::uint64_t* counter) const {
    MX_SM90A("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(counter)) : "memory");
  }
  __device__ void arrive_expecting(std::uint64_t* counter, int bytes) const {
    MX_SM90A(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(counter)),
        "r"(bytes)
        : "memory");
  }
  /// Copies to shared memory; both places and the size are multiples of 16.
  __device__ void copy_counted(void* to, const void* from, int bytes,
                               std::uint64_t* counter) const {
    MX_SM90A(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(counter))
        : "memory");
  }
  /// Waits until the counter's phase of that parity has ended; the first is of parity 0.
  __device__ void wait_for_phase(std::uint64_t* counter, int parity) const {
    std::uint32_t has_ended = 1;
    do {
      MX_SM90A(
          "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, "
          "p;}"
          : "=r"(has_ended)
          : "r"(shared_address(counter)), "r"(parity)
          : "memory");
    } while (has_ended == 0);
  }

  /// Before the first product, and before products whose sums were read or written since.
  __device__ void begin_products() const { MX_SM90A("wgmma.fence.sync.aligned;" ::: "memory"); }
  /// The products since the last call are one group.
  __device__ void commit_products() const {
    MX_SM90A("wgmma.commit_group.sync.aligned;" ::: "memory");
  }

#define MX_EIGHT(how, i)                                                           \
  how(sum[i]), how(sum[i + 1]), how(sum[i + 2]), how(sum[i + 3]), how(sum[i + 4]), \
      how(sum[i + 5]), how(sum[i + 6]), how(sum[i + 7])
#define MX_SIXTEEN(how, i) MX_EIGHT(how, i), MX_EIGHT(how, i + 8)
#define MX_16_SUMS "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define MX_32_SUMS \
  MX_16_SUMS ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

  /// sum = A B of the matrices that two descriptors name, some time before wait_for_products lets the
  /// thread pass; 64 lines of B. Of bytes with sign, exactly.
  __device__ void multiply_64(std::int32_t (&sum)[group_sums], std::uint64_t a,
                              std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {" MX_32_SUMS "}, %32, %33, 0;"
             : MX_SIXTEEN("=r", 0), MX_SIXTEEN("=r", 16)
             : "l"(a), "l"(b));
  }
  /// Of E4M3, as `hopper.wgmma.e4m3.f32` (mx/models.h) adds them up.
  __device__ void multiply_64(float (&sum)[group_sums], std::uint64_t a, std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {" MX_32_SUMS
             "}, %32, %33, 0, 1, 1;"
             : MX_SIXTEEN("=f", 0), MX_SIXTEEN("=f", 16)
             : "l"(a), "l"(b));
  }
  /// The same of 32 lines of B, into the half of the sums that begins at `First`.
  template <int First>
  __device__ void multiply_32(std::int32_t (&sum)[group_sums], std::uint64_t a,
                              std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {" MX_16_SUMS "}, %16, %17, 0;"
             : MX_SIXTEEN("=r", First)
             : "l"(a), "l"(b));
  }
  template <int First>
  __device__ void multiply_32(float (&sum)[group_sums], std::uint64_t a, std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 {" MX_16_SUMS
             "}, %16, %17, 0, 1, 1;"
             : MX_SIXTEEN("=f", First)
             : "l"(a), "l"(b));
  }
  /// Waits for all groups but the newest `Newest`; the sums are those of a group that has ended.
  template <int Newest>
  __device__ void wait_for_products(std::int32_t (&sum)[group_sums]) const {
    MX_SM90A("wgmma.wait_group.sync.aligned %32;"
             : MX_SIXTEEN("+r", 0), MX_SIXTEEN("+r", 16)
             : "n"(Newest)
             : "memory");
  }
  template <int Newest>
  __device__ void wait_for_products(float (&sum)[group_sums]) const {
    MX_SM90A("wgmma.wait_group.sync.aligned %32;"
             : MX_SIXTEEN("+f", 0), MX_SIXTEEN("+f", 16)
             : "n"(Newest)
             : "memory");
  }
#undef MX_32_SUMS
#undef MX_16_SUMS
#undef MX_SIXTEEN
#undef MX_EIGHT
};

}  // namespace mx::kernels

#undef MX_SM90A
