// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native_choice.h: which products Blackwell's own FP4 instructions support, with
// what arguments and workspace; plain C++, as kernels/src/gemm/choice.h.
#pragma once
#include "gemm/choice.h"
#include "gemm/native_tensor.h"

namespace mx::kernels {

/// The instruction for a request; none if neither supports it.
[[nodiscard]] inline native_kind native_kind_of(const gemm_request& r) noexcept {
  const gemm_plan& p = r.plan;
  const bool plain = p.promote == 0 && p.split_k == 1 && is_sum(p) && r.shape.k > 0;
  if (!plain || !is_narrow(r.a) || !is_narrow(r.b)) return native_kind::none;
  if (p.model == native_model<native_kind::mxf4>) return native_kind::mxf4;
  if (p.model == native_model<native_kind::mxf4nvf4>) return native_kind::mxf4nvf4;
  return native_kind::none;
}

/// Lines of A and B in a tile of D.
struct native_tile {
  int rows, columns;
};
inline constexpr native_tile native_mma_tile_lines{native_mma_tile, native_mma_tile};
/// The larger tile: the workspace is sized for it on every device.
inline constexpr native_tile native_tensor_tile_lines{tensor_rows, tensor_columns};

[[nodiscard]] inline std::int64_t native_pieces(const gemm_request& r) noexcept {
  return rounded_up(r.shape.k, native_piece_k) / native_piece_k;
}
/// Bytes of one factor in pieces.
[[nodiscard]] inline std::int64_t native_factor_bytes(const gemm_request& r, std::int64_t lines,
                                                      int tile) noexcept {
  const int words = native_step_words * 2 + native_scale_words(native_kind_of(r));
  return rounded_up(lines, tile) * native_pieces(r) * words * 4;
}
/// Workspace bytes, the same on every device.
[[nodiscard]] inline std::int64_t native_workspace_bytes(const gemm_request& r) noexcept {
  return native_factor_bytes(r, r.shape.m, native_tensor_tile_lines.rows) +
         native_factor_bytes(r, r.shape.n, native_tensor_tile_lines.columns);
}

[[nodiscard]] inline native_arguments native_arguments_of(const gemm_request& r,
                                                          const native_tile& tile) noexcept {
  auto* a = static_cast<unsigned char*>(r.workspace);
  return {arguments_of(r), a, a + native_factor_bytes(r, r.shape.m, tile.rows), native_pieces(r),
          rounded_up(r.shape.n, tile.columns) / tile.columns};
}
[[nodiscard]] inline std::int64_t native_blocks(const gemm_request& r,
                                                const native_tile& tile) noexcept {
  return rounded_up(r.shape.m, tile.rows) / tile.rows *
         (rounded_up(r.shape.n, tile.columns) / tile.columns);
}

[[nodiscard]] inline native_prepare_arguments native_rows_of(const native_arguments& to,
                                                             const native_tile& tile) noexcept {
  const gemm_arguments& p = to.product;
  return {
      {p, p.a, p.shape.m, gemm_side::row, {}}, to.a, rounded_up(p.shape.m, tile.rows), to.pieces};
}
[[nodiscard]] inline native_prepare_arguments native_columns_of(const native_arguments& to,
                                                                const native_tile& tile) noexcept {
  const gemm_arguments& p = to.product;
  return {{p, p.b, p.shape.n, gemm_side::column, {}},
          to.b,
          rounded_up(p.shape.n, tile.columns),
          to.pieces};
}
[[nodiscard]] inline std::int64_t native_prepare_blocks(
    const native_prepare_arguments& to) noexcept {
  return rounded_up(to.lines * to.pieces, prepare_threads) / prepare_threads;
}

}  // namespace mx::kernels
