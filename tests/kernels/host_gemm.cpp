// SPDX-License-Identifier: Apache-2.0
// tests/kernels/host_gemm.cpp: launches of products in the grid on the CPU.
#include "host_gemm.h"

#include "gemm_choice.h"
#include "gemm_request.h"
#include "grid.h"
#include "host_native_gemm.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using mx::dot_model;

std::uint64_t blocks(std::int64_t count) { return static_cast<std::uint64_t>(count); }

template <dot_model M>
void prepare(const prepare_arguments& to) {
  run_grid({blocks(prepare_blocks(to.to)), prepare_threads, 0},
           [&](const host_thread& self) { gemm_prepare<M>(self, to); });
}

template <dot_model M>
std::string run_fast(const gemm_request& r) {
  if (chosen_kernel(r) == gemm_kernel::dp4a) {
    const gemm_arguments to = arguments_of(r);
    run_grid({blocks(dp4a_blocks(r)), dp4a_threads, dp4a_shared_bytes},
             [&](const host_thread& self) { gemm_mxfp4_dp4a<M>(self, to); });
    return "dp4a";
  }
  const mma_arguments to = mma_arguments_of(r);
  prepare<M>(prepare_rows_of(to));
  prepare<M>(prepare_columns_of(to));
  run_grid({blocks(mma_blocks(to)), mma_threads, mma_shared_bytes<M>},
           [&](const host_thread& self) { gemm_mxfp4_mma<M>(self, to); });
  return "mma";
}

}  // namespace

host_answer gemm(const gemm_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.shape.m == 0 || r.shape.n == 0) return {answer, {}};
  if (chosen_kernel(r) == gemm_kernel::core) {
    const gemm_arguments to = arguments_of(r);
    run_grid({blocks(core_blocks(r)), gemm_core_threads, 0},
             [&](const host_thread& self) { gemm_core(self, to); });
    return {{}, "core"};
  }
  if (chosen_kernel(r) == gemm_kernel::native) return native_gemm(r, native_unit::warp);
  return {{}, with_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
            return run_fast<model_of<A>>(r);
          })};
}

}  // namespace kernels_test
