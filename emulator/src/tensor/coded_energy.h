// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/coded_energy.h: the energies of blocks of any format, from their codes.
#pragma once
#include <vector>

#include "tensor/energy_batch.h"

namespace mx {

/// The grid of Q*, in units of the power of two of the largest element.
struct ideal_grid {
  double least_binade;  ///< of the smallest normal element
  double anchor;        ///< a number plus this times its binade is rounded to the binade's pitch

  ///   element  with fraction bits
  explicit ideal_grid(const format& element)
      : least_binade(power_of_two(element.emin() - element.emax() + element.fraction_bits)),
        anchor(1.5 * power_of_two(52 - element.fraction_bits)) {}
};

/// Quantized blocks of one share: the input of the kernels of every instruction set. Block b has
/// its elements at x + b * stride, in the block's order, padded with zeros to the stride.
///   stride  a multiple of energy_lanes
///   values  divisor * Q / scale of the elements, with the signs of their codes
///   scales  decoded ones of the blocks, without a sign; NaN: the block is not added
struct coded_energy {
  const float* x;
  const float* values;
  const double* scales;
  std::int64_t stride;
  std::int64_t blocks;
  double divisor;
  double largest;  ///< the largest element times the divisor
  ideal_grid grid;
};

/// Adds blocks of a quantization to a share, some at a time. Equals energy_batch::add_clearly.
class coded_energy_sums {
 public:
  /// Whether the kernels support the quantization.
  [[nodiscard]] static bool serves(const quantization& q);

  ///   stride  of the batches, a multiple of energy_lanes
  coded_energy_sums(const quantization& q, std::int64_t stride);

  void add(const energy_batch& batch, energy_share& share);

 private:
  [[nodiscard]] double scale_of(std::uint32_t code, float tensor_scale) const;
  [[nodiscard]] int quantize(const energy_batch& batch, std::int64_t first, int count);
  void add_some(const energy_batch& batch, std::int64_t first, int count, energy_share& share);

  const quantization& q_;
  std::int64_t stride_;
  int most_;  ///< blocks at a time
  std::vector<float> value_of_code_, values_, tensor_scales_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint32_t> scale_codes_;
  std::vector<double> scales_, amax_;
};

}  // namespace mx
