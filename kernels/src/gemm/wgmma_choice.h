// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma_choice.h: gemm_mxfp4_wgmma's workspace and arguments; plain C++.
#pragma once
#include "gemm/choice.h"
#include "gemm/wgmma.h"

namespace mx::kernels {

/// A factor of a product in a workspace, with its pieces at `at`.
[[nodiscard]] inline prepared_lines pieces_at(const gemm_request& r, std::int64_t lines,
                                              std::int64_t padded_to, unsigned char* at) noexcept {
  prepared_lines to;
  to.lines = rounded_up(lines, padded_to);
  to.steps = rounded_up(r.shape.k, gemm_step * stage_steps) / gemm_step;
  to.codes = reinterpret_cast<std::uint32_t*>(at);
  return to;
}
[[nodiscard]] inline std::int64_t bytes_of_pieces(const gemm_request& r,
                                                  const prepared_lines& of) noexcept {
  return of.lines / piece_lines * of.steps * bytes_of_piece(r.plan.model.block);
}

[[nodiscard]] inline wgmma_arguments wgmma_arguments_of(const gemm_request& r) noexcept {
  auto* at = static_cast<unsigned char*>(r.workspace);
  const prepared_lines a = pieces_at(r, r.shape.m, wgmma_rows, at);
  at = behind(at, bytes_of_pieces(r, a));
  const prepared_lines b = pieces_at(r, r.shape.n, wgmma_columns, place_of_b(r, at));
  at = behind(at, bytes_in_workspace(r, bytes_of_pieces(r, b)));
  return {{arguments_of(r), a, b, reinterpret_cast<std::uint32_t*>(at)}, r.steps};
}
[[nodiscard]] inline std::int64_t wgmma_workspace_bytes(const gemm_request& r) noexcept {
  const wgmma_arguments to = wgmma_arguments_of(r);
  return bytes_of_pieces(r, to.a) + bytes_in_workspace(r, bytes_of_pieces(r, to.b)) +
         bytes_of_rest(to);
}

/// Calls a function with an arithmetic that serves_wgmma accepts as a constant.
template <class Function>
auto with_wgmma_arithmetic(gemm_arithmetic arithmetic, const Function& function) {
  if (arithmetic == gemm_arithmetic::fused) {
    return function.template operator()<gemm_arithmetic::fused>();
  }
  if (arithmetic == gemm_arithmetic::sequential_sixteens) {
    return function.template operator()<gemm_arithmetic::sequential_sixteens>();
  }
  return function.template operator()<gemm_arithmetic::sequential>();
}

}  // namespace mx::kernels
