// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/dequantize_choice.h: selects the kernel of a request and its arguments;
// plain C++, as kernels/src/quantize/choice.h.
#pragma once
#include "quantize/choice.h"
#include "quantize/dequantize_blocks.h"
#include "quantize/dequantize_mxfp4_rows.h"
#include "quantize/fake_quantize_wide_rows.h"
#include "quantize/rectangles.h"

namespace mx::kernels {

[[nodiscard]] inline strided_rows out_rows_of(const dequantize_request& r) noexcept {
  return {r.out, r.output, r.shape.columns, r.out_stride};
}
[[nodiscard]] inline strided_rows x_rows_of(const fake_quantize_request& r) noexcept {
  return {r.x, r.type, r.shape.columns, r.x_stride};
}
[[nodiscard]] inline strided_rows out_rows_of(const fake_quantize_request& r) noexcept {
  return {r.out, r.type, r.shape.columns, r.out_stride};
}

[[nodiscard]] inline bool takes_rows_kernel(const dequantize_request& r) noexcept {
  return r.how.format() == block_formats::mxfp4 && r.shape.columns % 32 == 0 &&
         is_aligned(r.codes, 4) && out_rows_of(r).is_aligned_for_pieces();
}

/// Rows of whole blocks of MXFP4, aligned for loads and stores of pieces.
[[nodiscard]] inline bool has_row_pieces(const fake_quantize_request& r) noexcept {
  return r.shape.columns % mxfp4::size == 0 && x_rows_of(r).is_aligned_for_pieces() &&
         out_rows_of(r).is_aligned_for_pieces();
}
[[nodiscard]] inline bool takes_rows_kernel(const fake_quantize_request& r) noexcept {
  return is_plain_mxfp4(r.how.rules) && has_row_pieces(r);
}
[[nodiscard]] inline bool takes_wide_rows_kernel(const fake_quantize_request& r) noexcept {
  return is_stochastic_mxfp4(r.how.rules) && has_row_pieces(r);
}

[[nodiscard]] inline scale_place_of place_of(const dequantize_request& r) noexcept {
  const coded_size size = size_of(r.how.format(), r.how.layout, r.shape.rows, r.shape.columns);
  return {r.how.layout, static_cast<std::uint64_t>(size.lines_of_blocks),
          static_cast<std::uint64_t>(size.blocks_a_line)};
}

[[nodiscard]] inline dequantize_rows_arguments rows_arguments_of(
    const dequantize_request& r) noexcept {
  return {static_cast<const std::uint32_t*>(r.codes),
          static_cast<const std::uint8_t*>(r.scales),
          static_cast<std::uint64_t>(r.shape.rows * r.shape.columns / piece_elements),
          place_of(r),
          {r.out, out_rows_of(r).gaps(r.shape.rows)}};
}

[[nodiscard]] inline dequantize_arguments elements_of(const dequantize_request& r) noexcept {
  const coded_size size = size_of(r.how.format(), r.how.layout, r.shape.rows, r.shape.columns);
  return {r.how.format(),
          static_cast<const std::uint8_t*>(r.codes),
          static_cast<const std::uint8_t*>(r.scales),
          r.how.format().has_tensor_scale() ? r.tensor_scale : nullptr,
          place_of(r),
          static_cast<std::uint64_t>(r.shape.rows),
          static_cast<std::uint64_t>(r.shape.columns),
          static_cast<std::uint64_t>(size.line_bytes),
          r.output,
          r.out,
          row_step_of(out_rows_of(r))};
}

[[nodiscard]] inline fake_quantize_rows_arguments rows_arguments_of(
    const fake_quantize_request& r) noexcept {
  return {source_of(x_rows_of(r), r.shape.rows),
          static_cast<std::uint64_t>(r.shape.rows * r.shape.columns / piece_elements),
          scale_step_of(r.how.rules.rule),
          {r.out, out_rows_of(r).gaps(r.shape.rows)}};
}

[[nodiscard]] inline fake_blocks_arguments blocks_of(const fake_quantize_request& r) noexcept {
  const auto rows = static_cast<std::uint64_t>(r.shape.rows);
  const auto columns = static_cast<std::uint64_t>(r.shape.columns);
  const auto size = static_cast<std::uint64_t>(r.how.format().columns);
  return {r.how.rules,
          {r.x, r.type, rows, columns, 1, row_step_of(x_rows_of(r))},
          r.how.format().has_tensor_scale() ? r.tensor_scale : nullptr,
          (columns + size - 1) / size,
          r.out,
          row_step_of(out_rows_of(r))};
}

}  // namespace mx::kernels
