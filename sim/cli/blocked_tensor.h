// SPDX-License-Identifier: Apache-2.0
// sim/cli/blocked_tensor.h: a row-major tensor cut into blocks along one of its axes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "golden/io/tensor.h"
#include "mx/energy.h"
#include "sim/cli/progress_bar.h"
#include "sim/cli/rule_options.h"

namespace sim::cli {

/// Element (o, a, i) of outer x length x inner lies at (o * length + a) * inner + i. Blocks run
/// along a; the last one is padded with zeros.
struct block_axis {
  int axis = 0;  ///< from 0
  std::uint64_t outer = 1, length = 1, inner = 1;

  [[nodiscard]] std::uint64_t blocks_along() const noexcept {
    return (length + mx::mxfp4::size - 1) / mx::mxfp4::size;
  }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return outer * blocks_along() * inner; }
};

/// The axis of a shape; a shape without axes is one block of one element.
///   asked   negative: from the end; nothing: the last one
///   errors  file_error where the tensor has no such axis
[[nodiscard]] block_axis block_axis_of(const golden::io::tensor& tensor, std::optional<int> asked);

/// The shape with another length along the axis; [] is taken as [1].
[[nodiscard]] std::vector<std::uint64_t> with_length(std::vector<std::uint64_t> shape, int axis,
                                                     std::uint64_t length);

/// Codes and scales, row-major; the axis keeps its place.
struct coded_tensor {
  std::vector<std::uint8_t> codes, scales;
  std::uint64_t special_blocks = 0;  ///< with NaN or Inf: scale byte 255, codes 0
};

/// Bytes along the axis that the codes take.
[[nodiscard]] std::uint64_t code_bytes_along(const block_axis& axis, packing how);

[[nodiscard]] coded_tensor quantized(const std::vector<float>& x, const block_axis& axis,
                                     mx::scale_rule rule, packing how, progress_bar& bar);

/// The values; padding is cut off.
///   codes, scales  as many bytes as the axis takes; unpacked codes below 16
[[nodiscard]] std::vector<float> dequantized(golden::io::byte_view codes,
                                             golden::io::byte_view scales, const block_axis& axis,
                                             packing how, progress_bar& bar);

/// Energies of all blocks. Threads share the work without changing a bit.
[[nodiscard]] mx::error_energy energy_of(const std::vector<float>& x, const block_axis& axis,
                                         mx::scale_rule rule, progress_bar& bar);

}  // namespace sim::cli
