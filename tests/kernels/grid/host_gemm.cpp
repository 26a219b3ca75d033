// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_gemm.cpp: launches of products in the grid on the CPU.
#include "host_gemm.h"

#include "gemm/choice.h"
#include "gemm/corrected.h"
#include "gemm/grouped.h"
#include "gemm/product_list.h"
#include "gemm/request.h"
#include "gemm/wgmma_choice.h"
#include "grid.h"
#include "host_native_gemm.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using mx::dot_model;

std::uint64_t blocks(std::int64_t count) { return static_cast<std::uint64_t>(count); }

template <class Arguments>
void run_rest(const Arguments& to) {
  run_grid({blocks(tile_blocks(to)), rest_threads, 0},
           [&](const host_thread& self) { gemm_rest(self, to); });
}

template <dot_model M, class Layout = panel_layout<M>>
void prepare(const prepare_arguments& to) {
  run_grid({blocks(prepare_blocks(to.to)), prepare_threads, 0},
           [&](const host_thread& self) { gemm_prepare<M, Layout>(self, to); });
}

template <dot_model M, class Products>
std::string run_warpgroups(const gemm_request& r, const char* name) {
  const wgmma_arguments to = wgmma_arguments_of(r);
  prepare<M, core_matrix_layout<M, Products>>(prepare_rows_of(to));
  if (!has_prepared_b(r)) prepare<M, core_matrix_layout<M, Products>>(prepare_columns_of(to));
  run_grid({blocks(tile_blocks(to)), wgmma_threads, wgmma_shared_bytes<M>},
           [&](const host_thread& self) { gemm_mxfp4_wgmma<M, Products>(self, to); });
  run_rest(to);
  return name;
}

std::string run_wgmma(const gemm_request& r) {
  return with_wgmma_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    return r.kernel == gemm_kernel::wgmma
               ? run_warpgroups<model_of<A>, byte_products>(r, "wgmma")
               : run_warpgroups<model_of<A>, e4m3_products>(r, "wgmma_e4m3");
  });
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
  if (!has_prepared_b(r)) prepare<M>(prepare_columns_of(to));
  run_grid({blocks(tile_blocks(to)), mma_threads, mma_shared_bytes<M>},
           [&](const host_thread& self) { gemm_mxfp4_mma<M>(self, to); });
  run_rest(to);
  return "mma";
}

/// Resources that the best kernel assumes; few, so that products are small and have both kinds of
/// tiles.
constexpr int host_multiprocessors = 2;

host_answer run_fma(gemm_kernel asked, fma_sums sums, const fma_arguments& to) {
  const mx::gemm_shape& shape = to.product.shape;
  const int edge = fma_edge(asked, shape, host_multiprocessors);
  with_fma_kernel(sums, edge, [&]<fma_sums S, int Edge>() {
    run_grid({blocks(fma_blocks(shape, edge)), fma_shape<Edge>::threads, sizeof(fma_memory<Edge>)},
             [&](const host_thread& self) { gemm_fma<S, Edge>(self, to); });
  });
  return {{}, edge == 64 ? "fma_small" : "fma"};
}

template <class Body>
mx::kernels::status run_list(std::span<const gemm_request> products) {
  const auto to = list_of<Body>(products);
  run_grid({blocks(blocks_of<Body>(products)), Body::threads,
            static_cast<std::size_t>(Body::shared_bytes)},
           [&](const host_thread& self) { run_product<Body>(self, to); });
  return {};
}

std::string name_of(const listed_kernel& kernel) {
  if (kernel.kernel == gemm_kernel::core) return "core";
  if (is_fma(kernel.kernel)) return kernel.edge == 64 ? "fma_small" : "fma";
  return kernel.kernel == gemm_kernel::dp4a ? "dp4a" : "mma";
}

host_answer run_all(const gemm_requests& products) {
  if (!products.answer.is_done()) return {products.answer, {}};
  std::string kernels;
  const auto run = [&](const listed_kernel& kernel, std::span<const gemm_request> some) {
    if (!kernels.empty()) kernels += ", ";
    if (!kernel.has_lists()) {
      const host_answer alone = gemm(some.front());
      kernels += alone.kernels;
      return alone.status;
    }
    kernels += name_of(kernel) + " " + std::to_string(some.size());
    return for_each_body(some.front().plan, kernel,
                         [&]<class Body>() { return run_list<Body>(some); });
  };
  const mx::kernels::status answer = for_each_run(products.all, host_multiprocessors, run);
  return {answer, kernels};
}

}  // namespace

host_answer gemm_grouped(const gemm_grouped_request& r) { return run_all(checked_requests(r)); }
host_answer gemm_batched(const gemm_batched_request& r) { return run_all(checked_requests(r)); }

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
  if (is_fma(chosen_kernel(r))) {
    return run_fma(r.kernel, sums_of(r.plan), fma_arguments_of(r));
  }
  if (takes_warpgroups(r.kernel)) return {{}, run_wgmma(r)};
  return {{}, with_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
            return run_fast<model_of<A>>(r);
          })};
}

mx::kernels::status gemm_prepare_b(const gemm_request& request, void* memory, std::int64_t bytes,
                                   prepared_b& made) {
  const gemm_request r = preparing(request, memory);
  const mx::kernels::status answer = checked_preparation(r, bytes);
  if (!answer.is_done()) return answer;
  made = r.prepared;
  if (r.shape.n == 0) return answer;
  with_arithmetic(arithmetic_of(r.plan), [&]<gemm_arithmetic A>() {
    constexpr dot_model M = model_of<A>;
    if (r.kernel == gemm_kernel::mma) {
      prepare<M>(prepare_columns_of(mma_arguments_of(r)));
    } else if (r.kernel == gemm_kernel::wgmma) {
      prepare<M, core_matrix_layout<M, byte_products>>(prepare_columns_of(wgmma_arguments_of(r)));
    } else {
      prepare<M, core_matrix_layout<M, e4m3_products>>(prepare_columns_of(wgmma_arguments_of(r)));
    }
  });
  return answer;
}

host_answer gemm_corrected(const corrected_gemm_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.shape.m == 0 || r.shape.n == 0) return {answer, {}};
  if (is_fma(chosen_kernel(r))) return run_fma(r.kernel, sums_of(r), fma_arguments_of(r));
  run_grid({blocks(corrected_gemm_blocks(r.shape)), corrected_gemm_threads, 0},
           [&](const host_thread& self) { mx::kernels::gemm_corrected(self, r); });
  return {{}, "core"};
}

}  // namespace kernels_test
