// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma_products.h: the two number types by which wgmma can multiply E2M1
// exactly, and how each of them enters the steps of gemm/steps.h.
//
// Bytes: codes are twice their numbers, sums integers; a step takes them with bits_of_no_sum added.
// E4M3: codes are the numbers themselves, sums FP32 numbers, which steps scale directly: one
// instruction less. That those sums are exact rests on `hopper.wgmma.e4m3.f32` (mx/dot/models.h),
// under which it is proved:
//   a product's exponent is at most 2 + 2, so that only bits below 2^(4 - 13) are cut off it, and
//   products are multiples of 2^-2; the sum is below 2^11, so that its 13 fraction bits reach 2^-3.
// Equals the bytes' sum (tests/kernels/gemm/wgmma_products_test.cpp).
#pragma once
#include "gemm/integer_codes.h"
#include "gemm/steps.h"

namespace mx::kernels {

struct byte_products {
  using number = std::int32_t;
  /// Four codes of four bits as bytes.
  [[nodiscard]] static MX_HD constexpr std::uint32_t bytes_of(std::uint32_t codes) noexcept {
    return bytes_of_codes(codes);
  }
  template <format Scale>
  [[nodiscard]] static MX_HD constexpr float factor(gemm_side side, std::uint32_t code) noexcept {
    return factor_of_scale<Scale>(side, code);
  }
  /// The sum as a step takes it.
  [[nodiscard]] static MX_HD std::int32_t sum_of(std::int32_t products) noexcept {
    return products + static_cast<std::int32_t>(bits_of_no_sum);
  }
};

/// E4M3's code of an E2M1 code.
[[nodiscard]] MX_HD constexpr std::uint32_t e4m3_of_code(std::uint32_t code) noexcept {
  constexpr std::uint64_t magnitudes = 0x4C48'4440'3C38'3000;
  const auto magnitude = static_cast<std::uint32_t>(magnitudes >> (code & 7) * 8 & 0xFF);
  return magnitude | (code & 8) << 4;
}

struct e4m3_products {
  using number = float;
  [[nodiscard]] static MX_HD constexpr std::uint32_t bytes_of(std::uint32_t codes) noexcept {
    std::uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i) bytes |= e4m3_of_code(codes >> (4 * i)) << (8 * i);
    return bytes;
  }
  /// The same on both sides: sums are not scaled.
  template <format Scale>
  [[nodiscard]] static MX_HD constexpr float factor(gemm_side /*side*/,
                                                    std::uint32_t code) noexcept {
    return to_binary32(decode<Scale>(code & ((1U << Scale.width()) - 1)));
  }
  [[nodiscard]] static MX_HD float sum_of(float products) noexcept { return products; }
};

static_assert(byte_products::bytes_of(0xF810) == 0xF4000100);
static_assert(e4m3_products::bytes_of(0xF810) == 0xCC803000);

}  // namespace mx::kernels
