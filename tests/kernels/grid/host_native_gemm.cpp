// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_native_gemm.cpp: launches of kernels/src/gemm/native.cu in the grid on
// the CPU.
#include "host_native_gemm.h"

#include <stdexcept>

#include "gemm/native_choice.h"
#include "host_tensor_thread.h"
#include "native_warp.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;

template <native_kind Kind, native_layout Layout, int Lines>
void prepare(const native_prepare_arguments& to) {
  run_grid({static_cast<std::uint64_t>(native_prepare_blocks(to)), prepare_threads, 0},
           [&](const host_thread& self) { gemm_native_prepare<Kind, Layout, Lines>(self, to); });
}

template <native_kind Kind>
host_answer by_warps(const gemm_request& r) {
  constexpr native_tile tile = native_mma_tile_lines;
  const native_arguments to = native_arguments_of(r, tile);
  prepare<Kind, native_layout::fragments, tile.rows>(native_rows_of(to, tile));
  prepare<Kind, native_layout::fragments, tile.columns>(native_columns_of(to, tile));
  run_grid({static_cast<std::uint64_t>(native_blocks(r, tile)), native_mma_threads,
            native_mma_shared_bytes<Kind>},
           [&](const host_thread& self) { gemm_native_mma<Kind>(native_warp_thread(self), to); });
  return {{}, "native"};
}

/// Blocks alternate between all timings of asynchronous work.
std::deque<tensor_core> cores_of(std::int64_t blocks) {
  using enum moments::moment;
  constexpr moments all[] = {{late, late}, {early, late}, {late, early}, {early, early}};
  std::deque<tensor_core> cores;
  for (std::int64_t i = 0; i < blocks; ++i) cores.emplace_back(all[i % 4]);
  return cores;
}

template <native_kind Kind>
host_answer by_tensor_memory(const gemm_request& r) {
  constexpr native_tile tile = native_tensor_tile_lines;
  const native_arguments to = native_arguments_of(r, tile);
  prepare<Kind, native_layout::core_matrices, tile.rows>(native_rows_of(to, tile));
  prepare<Kind, native_layout::core_matrices, tile.columns>(native_columns_of(to, tile));
  std::deque<tensor_core> cores = cores_of(native_blocks(r, tile));
  run_grid({cores.size(), tensor_threads, sizeof(tensor_shared<Kind>)},
           [&](const host_thread& self) {
             gemm_native_tensor<Kind>(host_tensor_thread(self, cores[self.block()]), to);
           });
  for (const tensor_core& core : cores) {
    if (core.is_allotted()) throw std::logic_error("tensor memory is still allotted");
  }
  return {{}, "native"};
}

template <native_kind Kind>
host_answer by_unit(const gemm_request& r, native_unit unit) {
  return unit == native_unit::warp ? by_warps<Kind>(r) : by_tensor_memory<Kind>(r);
}

}  // namespace

host_answer native_gemm(const gemm_request& r, native_unit unit) {
  return native_kind_of(r) == native_kind::mxf4 ? by_unit<native_kind::mxf4>(r, unit)
                                                : by_unit<native_kind::mxf4nvf4>(r, unit);
}

}  // namespace kernels_test
