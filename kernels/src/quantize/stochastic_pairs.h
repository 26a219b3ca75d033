// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/stochastic_pairs.h: codes of E2M1 with up to 8 random bits an element, two
// elements at a time, without a branch. Equals mx::element_code with a stochastic rounder
// (tests/kernels/quantize/stochastic_pairs_test.cpp).
// The device's single instructions, the fused multiplication rounded toward zero and the byte
// permutation, have not run on hardware.
#pragma once
#include "bfloat16_pairs.h"
#include "mx/number/random_bits.h"

namespace mx::kernels {

/// Selects four bytes of eight, those of `low` first, by the four lowest digits of `selector`.
[[nodiscard]] MX_HD inline std::uint32_t permuted_bytes(std::uint32_t low, std::uint32_t high,
                                                        std::uint32_t selector) noexcept {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t bytes = low | std::uint64_t{high} << 32;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t from = selector >> (4 * i) & 7;
    result |= static_cast<std::uint32_t>(bytes >> (8 * from) & 0xFF) << (8 * i);
  }
  return result;
#endif
}

/// floor(512 |x| / scale), in the low 16 bits; the bits above are unspecified.
///   reciprocal  a power of two: of the scale; |x| * reciprocal below 2^7
[[nodiscard]] MX_HD inline std::uint32_t cut_to_512ths(float x, float reciprocal) noexcept {
#if defined(__CUDA_ARCH__)
  // The spacing of numbers in the binade of 2^14 is 2^-9.
  return __float_as_uint(__fmaf_rz(fabsf(x), reciprocal, 0x1p14F));
#else
  const unpacked factor = unpack(reciprocal);
  return static_cast<std::uint32_t>(cut_magnitude(mx::multiplied(unpack(x), factor), -9));
#endif
}

/// Distribution of a word's random bytes to four elements.
///   kept           of the random bytes, in both halves: the bits above the lowest 8 - bits
///   first, second  selectors for elements 0 and 1, and 2 and 3: a byte at the bottom of each half
struct random_dealing {
  std::uint32_t kept = 0, first = 0, second = 0;
};

/// Derived by evaluating the core's bit positions.
///   from.bits  1 to 8
[[nodiscard]] constexpr random_dealing random_dealing_of(const random_source& from) noexcept {
  const auto selector = [&from](int element) {
    constexpr std::uint32_t zero_bytes = 0x4040;
    const auto low = static_cast<std::uint32_t>(lowest_random_bit(from, element) / 8);
    const auto high = static_cast<std::uint32_t>(lowest_random_bit(from, element + 1) / 8);
    return zero_bytes | low | high << 8;
  };
  const std::uint32_t lost = (1U << (8 - from.bits)) - 1;
  return {pairs::both(0xFFFF - lost), selector(0), selector(2)};
}

/// The codes of two elements, in bits 3:0 and 19:16.
///   random  a byte for each, at the bottom of each half
///
/// Between values of E2M1 the code grows linearly: with u = |x| / scale it is
/// min(2 u, u + 2, u / 2 + 4), with a fraction. 256 times it, truncated to an integer, plus the
/// random byte: the code is the part above the lower eight bits. Fewer random bits are the upper
/// ones of both. |x| is below 12 scale under every power-of-two rule: 512 u < 2^13, the sum < 2^12.
[[nodiscard]] MX_HD inline std::uint32_t stochastic_codes_of(float first, float second,
                                                             float reciprocal, std::uint32_t random,
                                                             std::uint32_t kept) noexcept {
  const std::uint32_t u =
      permuted_bytes(cut_to_512ths(first, reciprocal), cut_to_512ths(second, reciprocal), 0x5410);
  const std::uint32_t from_two = (u >> 1 & pairs::both(0x0FFF)) + pairs::both(2 * 256);
  const std::uint32_t from_four = (u >> 2 & pairs::both(0x07FF)) + pairs::both(4 * 256);
  const std::uint32_t place = pairs::smaller(u, pairs::smaller(from_two, from_four));
  // Bits below the random bits never carry.
  const std::uint32_t sum = place + (random & kept);
  const std::uint32_t magnitudes = pairs::smaller(sum, pairs::both(7 * 256)) >> 8;
  const std::uint32_t signs =
      permuted_bytes(bits_of(first), bits_of(second), 0x7632) >> 12 & pairs::both(8);
  return (magnitudes & pairs::both(7)) | signs;
}

}  // namespace mx::kernels
