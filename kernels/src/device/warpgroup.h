// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/warpgroup.h: a device thread of sm_90a with the operations of four warps:
// products of matrices in shared memory. Compiled for other architectures it traps: the launcher
// does not start it there. Has not run on its hardware.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once
#include "device/architecture.h"
#include "device/counters.h"
#include "device/matrix_descriptor.h"

#define MX_SM90A(...) MX_CODE_IF(MX_CODE_HAS_WGMMA, asm volatile(__VA_ARGS__))

namespace mx::kernels {

/// Products of a warpgroup, 64 lines of A by 64 or 32 of B: sum 4 j + r of lane l of warp w lies in
/// row 16 w + 8 (r / 2) + l / 4 and column 8 j + 2 (l % 4) + r % 2.
class warpgroup_thread : public counting_thread {
 public:
  using counting_thread::counting_thread;

  /// A warp-uniform value: the compiler may keep one copy for all threads.
  [[nodiscard]] __device__ int uniform(int value) const {
    return __shfl_sync(0xFFFFFFFFU, value, 0);
  }

  /// Call before the first product, and before products whose sums were read or written since.
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

  /// sum = A B of the matrices of two descriptors, complete after wait_for_products; 64 lines of
  /// B. Signed bytes, exact.
  __device__ void multiply_64(std::int32_t (&sum)[group_sums], std::uint64_t a,
                              std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {" MX_32_SUMS "}, %32, %33, 0;"
             : MX_SIXTEEN("=r", 0), MX_SIXTEEN("=r", 16)
             : "l"(a), "l"(b));
  }
  /// E4M3, summed as `hopper.wgmma.e4m3.f32` (mx/dot/models.h) describes.
  __device__ void multiply_64(float (&sum)[group_sums], std::uint64_t a, std::uint64_t b) const {
    MX_SM90A("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {" MX_32_SUMS
             "}, %32, %33, 0, 1, 1;"
             : MX_SIXTEEN("=f", 0), MX_SIXTEEN("=f", 16)
             : "l"(a), "l"(b));
  }
  /// The same for 32 lines of B, into the half of the sums that begins at `First`.
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
  /// Waits for all groups except the newest `Newest`; the sums are those of a completed group.
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
