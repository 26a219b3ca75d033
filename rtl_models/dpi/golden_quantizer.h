// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/golden_quantizer.h: blocks of MXFP4 from packed vectors, with the random bits
// supplied: calls of mx::.
#pragma once
#include <array>
#include <string>

#include "mx/block/corrected_quantizer.h"
#include "rtl_models/dpi/mx_dpi.h"

namespace hardware {

/// Inputs that accompany a block, as on the pins of mx_quantizer.
struct quantizer_input {
  const svBitVecVal* x;
  int rule, rounding;
  const svBitVecVal* random;
  unsigned factor;
  int deadzone;
};

struct quantizer_output {
  std::array<std::uint8_t, mx_dpi_block> codes{};
  std::uint32_t scale = 0;
  bool special = false;
  std::uint32_t kept = 0;  ///< bit i: element i is to be kept
};

class golden_quantizer {
 public:
  /// errors  dpi_refusal; the previous choice stays
  void select(const std::string& format_in, const std::string& format_scale, unsigned random_bits);

  /// Bits of x and of random bits that are read.
  [[nodiscard]] int input_bits() const noexcept { return mx_dpi_block * in_.width(); }
  [[nodiscard]] int random_bits(int rounding) const noexcept {
    return rounding == mx_dpi_round_stochastic ? mx_dpi_block * random_bits_ : 0;
  }

  ///   errors  dpi_refusal for an invalid rule, rounding, factor or deadzone
  [[nodiscard]] quantizer_output quantize(const quantizer_input& given) const;

 private:
  [[nodiscard]] std::array<float, mx_dpi_block> numbers_of(const svBitVecVal* x) const noexcept;
  [[nodiscard]] mx::rounder rounder_of(const quantizer_input& given, int element) const;

  mx::format in_ = mx::formats::binary32;
  mx::format scale_ = mx::formats::e8m0;
  int random_bits_ = 8;
};

}  // namespace hardware
