// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/fake_device.h: a fake device whose memory is the CPU's and whose clock
// advances with each launch.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mx/kernels/gemm.h"

namespace fake_device {

///   devices      how many there are
///   driver       its version; 0: no driver
///   free_bytes   of memory
///   lacks        a kernel of products that this device cannot run
///   unserved     a kernel that does not serve any product
///   has_cublas   whether cuBLAS is present
///   seconds      since the beginning
///   refused      refusals of requests that a kernel serves; these take no time
struct state {
  int devices = 1, driver = 13020;
  std::uint64_t free_bytes = std::uint64_t{80} << 30;
  mx::kernels::gemm_kernel lacks = mx::kernels::gemm_kernel::core;
  mx::kernels::gemm_kernel unserved = mx::kernels::gemm_kernel::core;
  bool has_cublas = true;
  double seconds = 0;
  std::vector<std::string> refused;
};

[[nodiscard]] state& now();

/// Durations of launches.
inline constexpr double millisecond = 1.0 / 1024;
inline constexpr double floor_seconds = 2 * millisecond, rceil_seconds = 3 * millisecond,
                        other_seconds = 8 * millisecond, copy_seconds = 4 * millisecond,
                        decompose_seconds = 16 * millisecond, mma_seconds = 4 * millisecond,
                        dp4a_seconds = 32 * millisecond, blas_rows_seconds = 2 * millisecond,
                        blas_columns_seconds = 1 * millisecond;
/// Durations of read passes, first to last.
inline constexpr double read_seconds[] = {16 * millisecond, 8 * millisecond, 12 * millisecond};

}  // namespace fake_device
