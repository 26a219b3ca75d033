// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/folded_scales.h: scales folded into E4M3 codes. An E2M1 number times 2^f is an
// E4M3 number for every f from -8 to 6; so 32 lines whose scales in a block of k spread over at
// most 14 binades get one common scale, and their codes what is left of their own.
//
// Sums of 32 products of such codes are exact under `hopper.wgmma.e4m3.f32` (mx/dot/models.h), for
// folds f of the row and g of the column:
//   an element's exponent, read at -6 if subnormal, is at most 2 + f, as f >= -8; a product's at
//   most 4 + f + g, so that bits below 2^(f + g - 9) are cut off it, and it is a multiple of 2^(f +
//   g - 2); the sum is below 2^(f + g + 11), so that its 13 fraction bits reach 2^(f + g - 3).
// Checked in tests/kernels/gemm/folded_scales_test.cpp.
#pragma once
#include "gemm/window.h"

namespace mx::kernels {

inline constexpr int lowest_fold = -8, highest_fold = 6;

/// Codes of common scales: those whose product with another one is a normal FP32 number.
inline constexpr int least_common_code = 64, most_common_code = 190;
inline constexpr int no_common_code = -1;
static_assert(least_common_code + least_common_code - 254 >= -126);
static_assert(most_common_code + most_common_code - 254 <= 127);

/// The E8M0 code of the common scale of lines with these codes, or no_common_code.
[[nodiscard]] MX_HD constexpr int common_code_of(const code_bounds& bounds) noexcept {
  if (bounds.is_empty()) return 127;
  const int code = bounds.high - highest_fold;
  const bool is_common =
      bounds.low - code >= lowest_fold && code >= least_common_code && code <= most_common_code;
  return is_common ? code : no_common_code;
}
static_assert(common_code_of({113, 127}) == 121);
static_assert(common_code_of({112, 127}) == no_common_code);

/// Stored as the common factor of lines that have none: factors have no sign.
inline constexpr float no_common_factor = -1.0F;

/// E4M3's codes of the magnitudes of E2M1 times 2^fold, one a byte.
[[nodiscard]] MX_HD constexpr std::uint64_t folded_magnitudes(int fold) noexcept {
  constexpr std::uint64_t unfolded = 0x4C48'4440'3C38'3000;
  constexpr std::uint32_t halves = 0xC8643210;  // twice the magnitudes, four bits each
  std::uint64_t magnitudes = 0;
  for (int code = 1; code < 8; ++code) {
    const std::uint32_t units = (halves >> (4 * code) & 15) << (fold - lowest_fold);  // of 2^-9
    const auto normal = static_cast<std::uint32_t>(unfolded >> (8 * code) & 0xFF) +
                        static_cast<std::uint32_t>(fold * 8);
    magnitudes |= std::uint64_t{units < 8 ? units : normal} << (8 * code);
  }
  return magnitudes;
}
static_assert(folded_magnitudes(0) == 0x4C48'4440'3C38'3000);
static_assert(folded_magnitudes(lowest_fold) == 0x0C08'0604'0302'0100);
static_assert(folded_magnitudes(highest_fold) == 0x7C78'7470'6C68'6000);

}  // namespace mx::kernels
