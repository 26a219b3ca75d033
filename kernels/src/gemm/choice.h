// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/choice.h: selects the kernel of a product, its arguments and its workspace;
// plain C++, as kernels/src/quantize/choice.h.
#pragma once
#include "gemm/core.h"
#include "gemm/fma_choice.h"
#include "gemm/mma.h"
#include "gemm/rest.h"
#include "mx/kernels/gemm.h"
#include "requests.h"

namespace mx::kernels {

/// The arithmetic of the fast steps for a plan.
[[nodiscard]] inline gemm_arithmetic arithmetic_of(const gemm_plan& p) noexcept {
  if (p.promote != 0 || p.split_k != 1) return gemm_arithmetic::none;
  if (p.model == sequential_mxfp4) return gemm_arithmetic::sequential;
  if (p.model == sequential_nvfp4) return gemm_arithmetic::sequential_sixteens;
  if (p.model == fused_mxfp4) return gemm_arithmetic::fused;
  if (p.model == fused_nvfp4) return gemm_arithmetic::fused_sixteens;
  return gemm_arithmetic::none;
}

/// Whether dp4a and mma support a request.
[[nodiscard]] inline bool has_fast_steps(const gemm_request& r) noexcept {
  return arithmetic_of(r.plan) != gemm_arithmetic::none && r.shape.k > 0 && is_narrow(r.a) &&
         is_narrow(r.b);
}

/// The kernel that computes a request.
[[nodiscard]] inline gemm_kernel chosen_kernel(const gemm_request& r) noexcept {
  if (r.kernel != gemm_kernel::best) return r.kernel;
  if (!has_fast_steps(r)) return serves_fma(r) ? gemm_kernel::fma : gemm_kernel::core;
  return r.workspace != nullptr ? gemm_kernel::mma : gemm_kernel::dp4a;
}

/// Kernels of gemm/wgmma.h.
[[nodiscard]] constexpr bool takes_warpgroups(gemm_kernel kernel) noexcept {
  return kernel == gemm_kernel::wgmma || kernel == gemm_kernel::wgmma_e4m3;
}

/// Evidence on which the sums of wgmma_e4m3 rest: those of no weaker class are relied on.
inline constexpr model_evidence e4m3_evidence = model_named("hopper.wgmma.e4m3.f32")->rests_on;
[[nodiscard]] constexpr bool allows_e4m3(model_evidence rests_on) noexcept {
  return rests_on == model_evidence::recorded_hardware;
}

[[nodiscard]] inline bool serves_wgmma(const gemm_request& r) noexcept {
  const bool is_exact = r.kernel != gemm_kernel::wgmma_e4m3 || allows_e4m3(e4m3_evidence);
  return is_exact && has_fast_steps(r) && arithmetic_of(r.plan) != gemm_arithmetic::fused_sixteens;
}

/// Kernels that read their operands from a workspace.
[[nodiscard]] constexpr bool takes_workspace(gemm_kernel kernel) noexcept {
  return kernel == gemm_kernel::mma || kernel == gemm_kernel::native || takes_warpgroups(kernel);
}

[[nodiscard]] inline gemm_arguments arguments_of(const gemm_request& r) noexcept {
  const int block = r.plan.model.block;
  return {r.plan,
          r.shape,
          r.a,
          r.b,
          r.c,
          r.d,
          block > 0 ? r.shape.k / block : 0,
          is_sum(r.plan),
          stride_of(r.c_stride, r.shape.n),
          stride_of(r.d_stride, r.shape.n)};
}

[[nodiscard]] constexpr std::int64_t rounded_up(std::int64_t value,
                                                std::int64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

/// A place in a workspace, or null without one.
[[nodiscard]] inline unsigned char* behind(unsigned char* at, std::int64_t bytes) noexcept {
  return at == nullptr ? nullptr : at + bytes;
}

[[nodiscard]] inline bool has_prepared_b(const gemm_request& r) noexcept {
  return r.prepared.memory != nullptr;
}
/// Where B is prepared: at `at` in the workspace, unless it is already.
[[nodiscard]] inline unsigned char* place_of_b(const gemm_request& r, unsigned char* at) noexcept {
  return has_prepared_b(r) ? static_cast<unsigned char*>(r.prepared.memory) : at;
}
/// Bytes of the workspace that B takes.
[[nodiscard]] inline std::int64_t bytes_in_workspace(const gemm_request& r,
                                                     std::int64_t bytes_of_b) noexcept {
  return has_prepared_b(r) ? 0 : bytes_of_b;
}

/// A factor of a product in a workspace, with its panels at `at`.
[[nodiscard]] inline prepared_lines panels_at(const gemm_request& r, std::int64_t lines,
                                              unsigned char* at) noexcept {
  return {reinterpret_cast<std::uint32_t*>(at), rounded_up(lines, mma_tile),
          rounded_up(r.shape.k, gemm_step) / gemm_step};
}
[[nodiscard]] inline std::int64_t bytes_of_panels(const gemm_request& r,
                                                  const prepared_lines& of) noexcept {
  return of.lines / mma_tile * of.steps * bytes_of_panel(r.plan.model.block);
}

/// Number of blocks of threads: a tile each.
[[nodiscard]] inline std::int64_t tile_blocks(const tensor_arguments& to) noexcept {
  return to.a.lines / mma_tile * (to.b.lines / mma_tile);
}
/// Bytes of the fragments left to the core, a word a thread.
[[nodiscard]] inline std::int64_t bytes_of_rest(const tensor_arguments& to) noexcept {
  return tile_blocks(to) * rest_threads * 4;
}

[[nodiscard]] inline mma_arguments mma_arguments_of(const gemm_request& r) noexcept {
  auto* at = static_cast<unsigned char*>(r.workspace);
  const prepared_lines a = panels_at(r, r.shape.m, at);
  at = behind(at, bytes_of_panels(r, a));
  const prepared_lines b = panels_at(r, r.shape.n, place_of_b(r, at));
  at = behind(at, bytes_in_workspace(r, bytes_of_panels(r, b)));
  return {{arguments_of(r), a, b, reinterpret_cast<std::uint32_t*>(at)}};
}
[[nodiscard]] inline std::int64_t mma_workspace_bytes(const gemm_request& r) noexcept {
  const mma_arguments to = mma_arguments_of(r);
  return bytes_of_panels(r, to.a) + bytes_in_workspace(r, bytes_of_panels(r, to.b)) +
         bytes_of_rest(to);
}

[[nodiscard]] inline prepare_arguments prepare_rows_of(const tensor_arguments& to) noexcept {
  return {to.product, to.product.a, to.product.shape.m, gemm_side::row, to.a};
}
[[nodiscard]] inline prepare_arguments prepare_columns_of(const tensor_arguments& to) noexcept {
  return {to.product, to.product.b, to.product.shape.n, gemm_side::column, to.b};
}

// Number of blocks of threads.
[[nodiscard]] inline std::int64_t core_blocks(const gemm_request& r) noexcept {
  return rounded_up(r.shape.m * r.shape.n, gemm_core_threads) / gemm_core_threads;
}
[[nodiscard]] inline std::int64_t dp4a_blocks(const gemm_request& r) noexcept {
  return rounded_up(r.shape.m, dp4a_edge) / dp4a_edge *
         (rounded_up(r.shape.n, dp4a_edge) / dp4a_edge);
}
[[nodiscard]] inline std::int64_t prepare_blocks(const prepared_lines& to) noexcept {
  return rounded_up(to.lines * to.steps, prepare_threads) / prepare_threads;
}

/// Calls a function with the arithmetic as a constant.
template <class Function>
auto with_arithmetic(gemm_arithmetic arithmetic, const Function& function) {
  switch (arithmetic) {
    case gemm_arithmetic::none:
    case gemm_arithmetic::sequential:
      break;
    case gemm_arithmetic::sequential_sixteens:
      return function.template operator()<gemm_arithmetic::sequential_sixteens>();
    case gemm_arithmetic::fused:
      return function.template operator()<gemm_arithmetic::fused>();
    case gemm_arithmetic::fused_sixteens:
      return function.template operator()<gemm_arithmetic::fused_sixteens>();
  }
  return function.template operator()<gemm_arithmetic::sequential>();
}

}  // namespace mx::kernels
