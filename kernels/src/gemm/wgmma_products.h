// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/wgmma_products.h: the two number types by which wgmma can multiply E2M1
// exactly, and how each of them enters the steps of gemm/steps.h.
//
// Bytes: codes are twice their numbers, sums integers; a step takes them with bits_of_no_sum added.
// E4M3: codes are the numbers themselves, sums FP32 numbers, which steps scale directly: one
// instruction less; and powers of two are folded into codes: another one less
// (gemm/folded_scales.h, with the proof that sums are exact). Equals the bytes' sum
// (tests/kernels/gemm/wgmma_products_test.cpp).
#pragma once
#include "gemm/folded_scales.h"
#include "gemm/integer_codes.h"
#include "gemm/steps.h"

namespace mx::kernels {

struct byte_products {
  using number = std::int32_t;
  static constexpr bool folds = false;
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

struct e4m3_products {
  using number = float;
  static constexpr bool folds = true;
  /// Codes of the numbers themselves, times 2^fold.
  [[nodiscard]] static MX_HD constexpr std::uint32_t bytes_of(std::uint32_t codes,
                                                              int fold = 0) noexcept {
    const std::uint64_t magnitudes = folded_magnitudes(fold);
    std::uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t code = codes >> (4 * i);
      const auto magnitude = static_cast<std::uint32_t>(magnitudes >> (code & 7) * 8 & 0xFF);
      bytes |= (magnitude | (code & 8) << 4) << (8 * i);
    }
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
static_assert(e4m3_products::bytes_of(0xF810, -8) == 0x8C800100);

}  // namespace mx::kernels
