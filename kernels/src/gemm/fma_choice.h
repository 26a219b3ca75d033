// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/fma_choice.h: which products gemm_fma supports, and with what arguments; plain
// C++.
#pragma once
#include <bit>

#include "gemm/fma.h"
#include "mx/kernels/corrected_gemm.h"
#include "requests.h"

namespace mx::kernels {

/// Whether all numbers of a format are FP32 numbers, with codes of at most a byte.
[[nodiscard]] constexpr bool is_narrow_in_fp32(const format& f) noexcept {
  constexpr format fp32{formats::binary32};
  return f.width() <= 8 && f.emin() - f.fraction_bits >= fp32.emin() - fp32.fraction_bits &&
         f.emax() <= fp32.emax();
}
static_assert(is_narrow_in_fp32(formats::e8m0) && is_narrow_in_fp32(formats::int8));
static_assert(!is_narrow_in_fp32(formats::bfloat16) && !is_narrow_in_fp32(format{7, 0, 160}));

/// Whether codes are stored two a byte, or one a byte.
[[nodiscard]] inline bool is_narrow(const gemm_operand& of) noexcept {
  return of.storage == code_storage::pairs || of.storage == code_storage::bytes;
}

/// Plans whose pieces are promoted, or whose parts are added in ascending order.
[[nodiscard]] inline bool has_fma_pieces(const gemm_plan& p) noexcept {
  if (p.split_k == 1) return true;
  return p.promote == 0 && p.split_order == split_order::ascending;
}

/// Blocks are whole slices, and scales are unsigned, so that they keep the signs of products.
[[nodiscard]] inline bool has_fma_blocks(const dot_model& m) noexcept {
  return m.block >= fma_slice && std::has_single_bit(static_cast<unsigned>(m.block)) &&
         m.scale.signedness == signedness::without_sign;
}

[[nodiscard]] inline bool serves_fma(const gemm_request& r) noexcept {
  const dot_model& m = r.plan.model;
  const bool chained = m.sum == accumulations::fused_multiply_adds().sum && m.unread_bits == 0;
  const bool narrow = is_narrow_in_fp32(m.a) && is_narrow_in_fp32(m.b) &&
                      is_narrow_in_fp32(m.scale) && is_narrow(r.a) && is_narrow(r.b);
  return chained && narrow && has_fma_blocks(m) && has_fma_pieces(r.plan) && r.shape.k > 0;
}

[[nodiscard]] inline bool serves_fma(const corrected_gemm_request& r) noexcept {
  const bool has_rest = r.correction == gemm_correction::second_pass;
  return is_narrow(r.a) && is_narrow(r.b) && (!has_rest || is_narrow(r.rest));
}

[[nodiscard]] constexpr bool is_fma(gemm_kernel kernel) noexcept {
  return kernel == gemm_kernel::fma || kernel == gemm_kernel::fma_small;
}

/// The kernel that computes a request; for `best`, fma_edge selects the tile size.
[[nodiscard]] inline gemm_kernel chosen_kernel(const corrected_gemm_request& r) noexcept {
  if (r.kernel != gemm_kernel::best) return r.kernel;
  return serves_fma(r) ? gemm_kernel::fma : gemm_kernel::core;
}

[[nodiscard]] inline fma_sums sums_of(const gemm_plan& p) noexcept {
  return p.promote > 0 || p.split_k > 1 ? fma_sums::promoted : fma_sums::plain;
}
[[nodiscard]] inline fma_sums sums_of(const corrected_gemm_request& r) noexcept {
  return r.correction == gemm_correction::second_pass ? fma_sums::second_pass
                                                      : fma_sums::macro_epilogue;
}

/// Elements of k between two operations at span ends.
[[nodiscard]] inline std::int64_t fma_span(const gemm_plan& p, std::int64_t k) noexcept {
  const std::int64_t span = p.promote > 0 ? p.promote : part_size(p, k);
  return span < k ? span : k;
}

[[nodiscard]] inline fma_arguments fma_arguments_of(const gemm_request& r) noexcept {
  const int block = r.plan.model.block;
  fma_arguments to;
  to.product = {.plan = r.plan,
                .shape = r.shape,
                .a = r.a,
                .b = r.b,
                .c = r.c,
                .d = r.d,
                .blocks_a_line = r.shape.k / block,
                .c_stride = stride_of(r.c_stride, r.shape.n),
                .d_stride = stride_of(r.d_stride, r.shape.n)};
  to.span = static_cast<int>(fma_span(r.plan, r.shape.k));
  to.block_bits = std::countr_zero(static_cast<unsigned>(block));
  return to;
}

/// The product without its correction, by the core.
///   a  a or rest of the request
[[nodiscard]] inline gemm_request plain_product(const corrected_gemm_request& r,
                                                const gemm_operand& a) noexcept {
  gemm_request plain;
  plain.plan.model = accumulations::fused_multiply_adds();
  plain.shape = r.shape;
  plain.a = a;
  plain.b = r.b;
  plain.d = r.d;
  plain.kernel = gemm_kernel::core;
  return plain;
}

[[nodiscard]] inline fma_arguments fma_arguments_of(const corrected_gemm_request& r) noexcept {
  fma_arguments to = fma_arguments_of(plain_product(r, r.a));
  to.rest = r.rest;
  to.alpha = r.alpha;
  to.a_reciprocals = r.a_reciprocals;
  to.b_reciprocals = r.b_reciprocals;
  to.spans = (r.shape.k + r.span - 1) / r.span;
  to.span = r.span;
  return to;
}

/// Number of blocks of threads.
[[nodiscard]] constexpr std::int64_t fma_blocks(const gemm_shape& shape, int edge) noexcept {
  return (shape.m + edge - 1) / edge * ((shape.n + edge - 1) / edge);
}

/// Rows and columns of a tile; for `best`, 64 if large tiles would leave multiprocessors idle.
[[nodiscard]] constexpr int fma_edge(gemm_kernel requested, const gemm_shape& shape,
                                     int multiprocessors) noexcept {
  if (requested == gemm_kernel::best) return fma_blocks(shape, 128) < multiprocessors ? 64 : 128;
  return requested == gemm_kernel::fma_small ? 64 : 128;
}

/// Blocks of threads that a multiprocessor has registers for: a thread has 32 sums in small tiles,
/// 64 in large ones, and as many totals if spans have them.
[[nodiscard]] constexpr int fma_blocks_a_multiprocessor(fma_sums sums, int edge) noexcept {
  const bool has_totals = sums == fma_sums::promoted || sums == fma_sums::macro_epilogue;
  if (edge == 64) return 4;
  return has_totals ? 1 : 2;
}

/// Calls a function with the kind of sums and the edge of tiles as constants.
template <class Function>
auto with_fma_kernel(fma_sums sums, int edge, const Function& function) {
  const auto with_sums = [&]<int Edge>() {
    switch (sums) {
      case fma_sums::plain:
        break;
      case fma_sums::promoted:
        return function.template operator()<fma_sums::promoted, Edge>();
      case fma_sums::second_pass:
        return function.template operator()<fma_sums::second_pass, Edge>();
      case fma_sums::macro_epilogue:
        return function.template operator()<fma_sums::macro_epilogue, Edge>();
    }
    return function.template operator()<fma_sums::plain, Edge>();
  };
  return edge == 64 ? with_sums.template operator()<64>() : with_sums.template operator()<128>();
}

}  // namespace mx::kernels
