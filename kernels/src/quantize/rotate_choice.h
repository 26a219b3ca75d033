// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rotate_choice.h: selects the kernel of a request to rotate and quantize, and
// its arguments; plain C++, so that the tests dispatch to the bodies as a device does.
#pragma once
#include "mx/kernels/rotate.h"
#include "quantize/choice.h"
#include "quantize/rotate_blocks.h"
#include "quantize/rotated_piece.h"

namespace mx::kernels {

/// Calls use(coder) with the coder of rotated pieces, if there is one.
template <class Use>
[[nodiscard]] bool with_rotated_coder(const quantize_request& r, const Use& use) {
  if (is_plain_mxfp4(r.how.rules) && has_row_pieces(r)) {
    use(nearest_mxfp4{scale_step_of(r.how.rules.rule)});
    return true;
  }
  return with_wide_coder(r, use);
}

[[nodiscard]] inline rotated_blocks_arguments rotated_blocks_of(
    const rotate_quantize_request& r) noexcept {
  const int size = r.to.how.format().size();
  return {r.by(), row_blocks_of(r.to),
          static_cast<std::uint64_t>(r.by().size > size ? r.by().size : size)};
}

}  // namespace mx::kernels
