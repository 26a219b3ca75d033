// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native.cu: products by Blackwell's own FP4 instructions, and their launch. None
// of these has run on its hardware; code for other architectures is a stub, which the launcher
// refuses.
//   ladder                a block of threads computes       on
//   gemm_native_prepare   128 of k of 256 lines                 all
//   gemm_native_mma       128 by 128 of D, mma.sync             sm_120a, sm_121a
//   gemm_native_tensor    128 by 256 of D, tcgen05.mma          sm_100a, sm_103a, sm_110a
#include "device/native.h"
#include "device/tensor.h"
#include "gemm/launches.h"
#include "gemm/native_choice.h"
#include "grid_launch.h"
#include "requests.h"

namespace mx::kernels {
namespace {

template <native_kind Kind, native_layout Layout, int Lines>
__global__ void __launch_bounds__(prepare_threads)
    native_prepare_kernel(const __grid_constant__ native_prepare_arguments to) {
  gemm_native_prepare<Kind, Layout, Lines>(device_thread(nullptr), to);
}

template <native_kind Kind>
__global__ void __launch_bounds__(threads_if(MX_CODE_HAS_SCALED_MMA, native_mma_threads), 1)
    native_mma_kernel(const __grid_constant__ native_arguments to) {
#if MX_CODE_HAS_SCALED_MMA
  extern __shared__ quad_word stages[];
  gemm_native_mma<Kind>(native_mma_thread(stages), to);
#endif
}

template <native_kind Kind>
__global__ void __launch_bounds__(threads_if(MX_CODE_HAS_TCGEN05, tensor_threads), 1)
    native_tensor_kernel(const __grid_constant__ native_arguments to) {
#if MX_CODE_HAS_TCGEN05
  extern __shared__ quad_word stages[];
  gemm_native_tensor<Kind>(tensor_thread(stages), to);
#endif
}

template <native_kind Kind, native_layout Layout, int Lines>
status launch_prepare(const native_prepare_arguments& to, stream on) {
  return launched_on({native_prepare_blocks(to), prepare_threads}, on, "gemm_native_prepare",
                     native_prepare_kernel<Kind, Layout, Lines>, to);
}

/// A kernel, and the shared memory that a block of its threads needs.
struct sized_kernel {
  void (*kernel)(native_arguments);
  int threads, shared_bytes;
  const char* name;
};

/// Whether this device can run a kernel at all; checked before any launch.
status ready(const sized_kernel& of, std::int64_t blocks) {
  const void* kernel = reinterpret_cast<const void*>(of.kernel);
  const status compiled = compiled_for(kernel, of.name, of.threads);
  if (!compiled.is_done()) return compiled;
  return first_error({allow_shared_memory(kernel, of.name, of.shared_bytes), fits_grid(blocks)});
}

template <native_kind Kind, native_layout Layout, native_tile Tile>
status launch_tiles(const sized_kernel& kernel, const gemm_request& r, stream on) {
  const native_arguments to = native_arguments_of(r, Tile);
  status answer = ready(kernel, native_blocks(r, Tile));
  if (answer.is_done()) {
    answer = launch_prepare<Kind, Layout, Tile.rows>(native_rows_of(to, Tile), on);
  }
  if (answer.is_done()) {
    answer = launch_prepare<Kind, Layout, Tile.columns>(native_columns_of(to, Tile), on);
  }
  if (!answer.is_done()) return answer;
  return launched_on({native_blocks(r, Tile), kernel.threads, kernel.shared_bytes}, on, kernel.name,
                     kernel.kernel, to);
}

template <native_kind Kind>
status launch(const gemm_request& r, stream on) {
  int major = 0;
  const status known = attribute_of_device(cudaDevAttrComputeCapabilityMajor, major);
  if (!known.is_done()) return known;
  if (major == 12) {
    return launch_tiles<Kind, native_layout::fragments, native_mma_tile_lines>(
        {native_mma_kernel<Kind>, native_mma_threads, native_mma_shared_bytes<Kind>,
         "gemm_native_mma"},
        r, on);
  }
  if (major == 10 || major == 11) {
    return launch_tiles<Kind, native_layout::core_matrices, native_tensor_tile_lines>(
        {native_tensor_kernel<Kind>, tensor_threads, sizeof(tensor_shared<Kind>),
         "gemm_native_tensor"},
        r, on);
  }
  return {launch_error::architecture, "gemm_native"};
}

}  // namespace

status launch_native(const gemm_request& r, stream on) {
  return native_kind_of(r) == native_kind::mxf4 ? launch<native_kind::mxf4>(r, on)
                                                : launch<native_kind::mxf4nvf4>(r, on);
}

}  // namespace mx::kernels
