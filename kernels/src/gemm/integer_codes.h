// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/integer_codes.h: E2M1 codes as bytes for integer dot products: twice the
// value.
#pragma once
#include "mx/dot/product.h"

namespace mx::kernels {

/// Twice the value of a code, as a byte. Equals mx::integer_of.
[[nodiscard]] MX_HD constexpr std::uint32_t byte_of_code(std::uint32_t code) noexcept {
  // 0, 1, 2, 3, 4, 6, 8, 12 by code, four bits each.
  const std::uint32_t magnitude = 0xC8643210U >> (4 * (code & 7)) & 15;
  return ((code & 8) != 0 ? 0U - magnitude : magnitude) & 0xFF;
}

/// Four 4-bit codes, the first in the low bits, as four bytes in the same order.
[[nodiscard]] MX_HD constexpr std::uint32_t bytes_of_codes(std::uint32_t codes) noexcept {
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) bytes |= byte_of_code(codes >> (4 * i)) << (8 * i);
  return bytes;
}

/// sum + the dot product of four signed bytes each.
[[nodiscard]] MX_HD inline std::int32_t dot_of_bytes(std::uint32_t a, std::uint32_t b,
                                                     std::int32_t sum) noexcept {
#if defined(__CUDA_ARCH__)
  return __dp4a(static_cast<int>(a), static_cast<int>(b), sum);
#else
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<std::int8_t>(a >> (8 * i)) * static_cast<std::int8_t>(b >> (8 * i));
  }
  return sum;
#endif
}

/// The dot product of four unsigned bytes, which is zero if all products are.
[[nodiscard]] MX_HD inline std::int32_t any_of_bytes(std::uint32_t a, std::uint32_t b,
                                                     std::int32_t sum) noexcept {
#if defined(__CUDA_ARCH__)
  return static_cast<std::int32_t>(__dp4a(a, b, static_cast<std::uint32_t>(sum)));
#else
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<std::int32_t>((a >> (8 * i) & 0xFF) * (b >> (8 * i) & 0xFF));
  }
  return sum;
#endif
}

static_assert(bytes_of_codes(0xF810) == 0xF4000100);

}  // namespace mx::kernels
