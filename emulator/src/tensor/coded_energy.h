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

/// Some quantized blocks of a share: the input of the kernels of every instruction set. Block b has
/// its elements at x + b * stride, in the block's order, padded with zeros to the stride.
///   stride  a multiple of energy_lanes
///   codes   of the elements, a byte each
///   scales  decoded ones of the blocks, without a sign; NaN: the block is not added
///   amax    space for bits of the blocks' largest magnitudes
///   sizes   space for divisor * |Q| / scale of the elements
struct coded_energy {
  const float* x;
  const std::uint8_t* codes;
  const double* scales;
  std::int64_t stride;
  std::int64_t blocks;
  format element;
  double divisor;
  double largest;  ///< the largest element times the divisor
  ideal_grid grid;
  std::int32_t* amax;
  float* sizes;
};

/// Quantizes a batch and adds its blocks to shares. Equals energy_batch::add_clearly.
class coded_energy_sums {
 public:
  /// Whether the kernels support the quantization.
  [[nodiscard]] static bool serves(const quantization& q);

  ///   batch  its stride is a multiple of energy_lanes
  coded_energy_sums(const quantization& q, const energy_batch& batch);

  ///   part  of the batch
  void add(const energy_batch& part, energy_share& share);

 private:
  void quantize();
  void find_scales();
  [[nodiscard]] double scale_of(std::uint32_t code, float tensor_scale);
  void count(const energy_batch& part, std::size_t first, energy_share& share) const;

  const quantization& q_;
  energy_batch batch_;
  std::vector<float> tensor_scales_, sizes_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::uint32_t> scale_codes_;
  std::vector<std::int32_t> amax_;
  std::vector<double> scales_;
  /// Found ones, of codes of at most 8 bits below one tensor scale; negative: not found yet.
  std::vector<double> scale_of_code_;
  float tensor_scale_ = 0;
};

}  // namespace mx
