// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/counters.h: a device thread with asynchronous bulk copies into shared memory
// and the counters there that signal their completion (PTX mbarriers); sm_90 and later. Compiled
// for other architectures it traps: launchers do not start it there. Has not run on its
// hardware.
// Source: PTX ISA, "mbarrier", "cp.async.bulk", "fence.proxy".
#pragma once
#include "device/thread.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MX_SM90(...) asm volatile(__VA_ARGS__)
#else
#define MX_SM90(...) __trap()
#endif

namespace mx::kernels {

class counting_thread : public device_thread {
 public:
  using device_thread::device_thread;

  /// Address in shared memory as copies and matrix instructions take it.
  [[nodiscard]] __device__ std::uint32_t shared_address(const void* at) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  }
  /// Makes this thread's writes to shared memory visible to copies and matrix instructions; to
  /// those of other threads after a barrier.
  __device__ void show_to_engines() const {
    MX_SM90("fence.proxy.async.shared::cta;" ::: "memory");
  }

  /// Starts a counter whose phase ends after so many arrivals and all bytes that they expect.
  __device__ void begin_counter(std::uint64_t* counter, int arrivals) const {
    MX_SM90("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(counter)), "r"(arrivals)
            : "memory");
  }
  __device__ void arrive(std::uint64_t* counter) const {
    MX_SM90("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(counter)) : "memory");
  }
  __device__ void arrive_expecting(std::uint64_t* counter, int bytes) const {
    MX_SM90("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(counter)),
            "r"(bytes)
            : "memory");
  }
  /// Copies to shared memory; both addresses and the size are multiples of 16.
  __device__ void copy_counted(void* to, const void* from, int bytes,
                               std::uint64_t* counter) const {
    MX_SM90(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(counter))
        : "memory");
  }
  /// Waits until the counter's phase of that parity has ended; the first phase has parity 0.
  __device__ void wait_for_phase(std::uint64_t* counter, int parity) const {
    std::uint32_t has_ended = 0;
    do {
      MX_SM90(
          "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, "
          "p;}"
          : "=r"(has_ended)
          : "r"(shared_address(counter)), "r"(parity)
          : "memory");
    } while (has_ended == 0);
  }
};

}  // namespace mx::kernels

#undef MX_SM90
