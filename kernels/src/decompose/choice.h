// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/choice.h: selects the kernel of a request to decompose and its arguments;
// plain C++, so that the tests dispatch to the bodies as a device does.
#pragma once
#include "decompose/core.h"
#include "decompose/mxfp4.h"
#include "decompose/rectangles.h"
#include "decompose/sum.h"
#include "mx/kernels/decompose.h"
#include "quantize/choice.h"

namespace mx::kernels {

[[nodiscard]] inline strided_rows x_rows_of(const decompose_request& r) noexcept {
  return {r.x, r.input, r.shape.columns, r.x_stride};
}

/// Rows of whole plain MXFP4 blocks, each at a 16-byte aligned address.
[[nodiscard]] inline bool takes_plain_kernel(const decompose_request& r) noexcept {
  return is_plain_mxfp4(r.how.rules) && r.shape.columns % mxfp4::size == 0 &&
         x_rows_of(r).is_aligned_for_pieces();
}

[[nodiscard]] inline decompose_arguments arguments_of(const decompose_request& r) noexcept {
  const block_format& f = r.how.format();
  const auto rows = static_cast<std::uint64_t>(r.shape.rows);
  const auto columns = static_cast<std::uint64_t>(r.shape.columns);
  const coded_size size = size_of(f, scale_layout::linear, r.shape.rows, r.shape.columns);
  const auto along = static_cast<std::uint64_t>(size.blocks_a_line);
  const std::int64_t share_blocks = blocks_a_share(static_cast<std::int64_t>(f.size()));
  return {r.how.rules,
          {r.x, r.input, rows, columns, 1, row_step_of(x_rows_of(r))},
          f.has_tensor_scale() ? r.tensor_scale : nullptr,
          along,
          static_cast<std::uint64_t>(size.lines_of_blocks) * along,
          static_cast<std::uint64_t>(share_blocks),
          static_cast<std::uint64_t>(shares_of(f, r.shape)),
          takes_plain_kernel(r) ? scale_step_of(r.how.rules.rule) : scale_step{},
          takes_plain_kernel(r) ? x_rows_of(r).gaps(r.shape.rows) : row_gaps{},
          r.shares};
}

/// Launches the levels of a request's sum, up to the first that fails; the last one writes the sum.
///   launch  takes sum_arguments and the number of blocks of threads; returns a status
template <class Launch>
[[nodiscard]] status each_level(const decompose_request& r, const Launch& launch) {
  const auto shares = static_cast<std::uint64_t>(shares_of(r.how.format(), r.shape));
  sum_arguments level{r.shares, shares, r.shares + shares};
  for (;;) {
    const std::uint64_t sums = sums_of(level.count);
    if (sums == 1) level.out = r.sum;
    const status made = launch(level, static_cast<std::int64_t>(sums));
    if (!made.is_done() || sums == 1) return made;
    level = {level.out, sums, level.out + sums};
  }
}

}  // namespace mx::kernels
