// SPDX-License-Identifier: Apache-2.0
// kernels/src/grid_launch.h: launches a kernel on a grid of one dimension; included by .cu files.
#pragma once
#include "launch.h"

namespace mx::kernels {

///   shared_bytes  of dynamic shared memory for each block
struct launch_grid {
  std::int64_t blocks;
  int threads, shared_bytes = 0;
};

/// The status of a kernel's launch with copies of its arguments.
///   name  in the status
template <class... Parameters, class... Arguments>
[[nodiscard]] status launched_on(const launch_grid& grid, stream on, const char* name,
                                 void (*kernel)(Parameters...), const Arguments&... to) {
  const status fits = fits_grid(grid.blocks);
  if (!fits.is_done()) return fits;
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(grid.blocks));
  how.blockDim = dim3(static_cast<unsigned>(grid.threads));
  how.dynamicSmemBytes = static_cast<std::size_t>(grid.shared_bytes);
  how.stream = on;
  const kept_last_error kept;
  return answer_of(cudaLaunchKernelEx(&how, kernel, to...), name);
}

}  // namespace mx::kernels
