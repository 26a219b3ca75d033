// SPDX-License-Identifier: Apache-2.0
// kernels/src/bfloat16_pairs.h: two bfloat16 numbers in a 32-bit word, the first in the low half,
// and their conversions from and to other numbers; one or two device instructions each. On the CPU
// the core computes the same (tests/kernels/bfloat16_pairs_test.cpp checks the equality). Has not
// run on its hardware.
#pragma once
#include "mx/number/element.h"

namespace mx::kernels::pairs {

inline constexpr std::uint32_t magnitudes = 0x7FFF7FFF;

/// The same 16 bits in both halves.
[[nodiscard]] MX_HD constexpr std::uint32_t both(std::uint32_t half) noexcept {
  return half * 0x00010001U;
}

/// Applies a function to two numbers, half by half.
template <class Function>
[[nodiscard]] constexpr std::uint32_t halves_of(std::uint32_t a, std::uint32_t b,
                                                const Function& function) noexcept {
  const std::uint32_t low = function(a & 0xFFFF, b & 0xFFFF);
  return low | function(a >> 16, b >> 16) << 16;
}

/// The larger of unsigned halves.
[[nodiscard]] MX_HD inline std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  return halves_of(a, b, [](std::uint32_t x, std::uint32_t y) { return x > y ? x : y; });
#endif
}

/// The smaller of unsigned halves.
[[nodiscard]] MX_HD inline std::uint32_t smaller(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(__CUDA_ARCH__)
  return __vminu2(a, b);
#else
  return halves_of(a, b, [](std::uint32_t x, std::uint32_t y) { return x < y ? x : y; });
#endif
}

#if !defined(__CUDA_ARCH__)
/// The bfloat16 nearest to an exact value, Inf beyond its range.
[[nodiscard]] constexpr std::uint32_t nearest_bfloat16(const unpacked& value) noexcept {
  return encode<formats::bfloat16>(value, rounding::ties_to_even, overflow::to_infinity);
}
#endif

/// a * b, each rounded once to nearest even.
///   range  finite numbers
[[nodiscard]] MX_HD inline std::uint32_t multiplied(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint32_t product;  // plus -0: sm_80 has no other bfloat16 multiplication
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(product) : "r"(a), "r"(b), "r"(0x80008000));
  return product;
#else
  return halves_of(a, b, [](std::uint32_t x, std::uint32_t y) {
    return nearest_bfloat16(
        mx::multiplied(decode<formats::bfloat16>(x), decode<formats::bfloat16>(y)));
  });
#endif
}

/// a + b, each rounded once to nearest even.
///   range  not negative; the sum is normal; b is at least 2^6 and either zero or a larger than
///          2^-58, or the sum rounds as it would without a
[[nodiscard]] MX_HD inline std::uint32_t added(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint32_t sum;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(0x3F803F80), "r"(b));
  return sum;
#else
  return halves_of(a, b, [](std::uint32_t x, std::uint32_t y) {
    const unpacked one = decode<formats::bfloat16>(x), other = decode<formats::bfloat16>(y);
    const int distance = other.exponent - one.exponent;
    const std::uint64_t sum =
        distance >= 0
            ? (other.significand << 32) + shift_right_sticky(one.significand << 32, distance)
            : (other.significand << 32) + (one.significand << (32 - distance));
    return nearest_bfloat16(unpacked::positive(sum, other.exponent - 32));
  });
#endif
}

/// Two binary32 numbers truncated to bfloat16 with the last bit set if any truncated bit was set:
/// round to odd. A second rounding to at most 6 significand bits, or a comparison with numbers of
/// at most 7, has the same outcome as on the binary32 number; NaN stays NaN, Inf stays Inf, no
/// finite number becomes Inf.
[[nodiscard]] MX_HD inline std::uint32_t rounded_to_odd(std::uint32_t first,
                                                        std::uint32_t second) noexcept {
#if defined(__CUDA_ARCH__)
  const std::uint32_t kept = __byte_perm(first, second, 0x7632);
  const std::uint32_t cut = __byte_perm(first, second, 0x5410);
#else
  const std::uint32_t kept = first >> 16 | (second & 0xFFFF0000);
  const std::uint32_t cut = (first & 0xFFFF) | second << 16;
#endif
  // Bit 15 of a half is set if one of its bits is: the sum of 1 to 0x7FFF and 0x7FFF has it set.
  const std::uint32_t any = ((cut & magnitudes) + magnitudes) | cut;
  return kept | (any >> 15 & 0x00010001);
}

/// The binary32 number of a binary16 code, exactly; a NaN may have any code.
[[nodiscard]] MX_HD inline float widened_binary16(std::uint32_t code) noexcept {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(static_cast<unsigned short>(code)));
  return wide;
#else
  return to_binary32(decode<formats::binary16>(code));
#endif
}

/// Two numbers rounded once to nearest even, Inf beyond the range; not for NaN.
[[nodiscard]] MX_HD inline std::uint32_t bfloat16_pair(float first, float second) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
#else
  return nearest_bfloat16(unpack(first)) | nearest_bfloat16(unpack(second)) << 16;
#endif
}
[[nodiscard]] MX_HD inline std::uint32_t binary16_pair(float first, float second) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
#else
  const auto nearest = [](float x) {
    return encode<formats::binary16>(unpack(x), rounding::ties_to_even, overflow::to_infinity);
  };
  return nearest(first) | nearest(second) << 16;
#endif
}

}  // namespace mx::kernels::pairs
