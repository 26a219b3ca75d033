// SPDX-License-Identifier: Apache-2.0
// mx/tensor/packing.h: how codes narrower than a byte share bytes: index maps, their inverses,
// pack, unpack.
// Source: of each order in nibble_order_table and six_bit_order_table.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "mx/number/config.h"

namespace mx {

/// Packing of 4-bit codes; wider codes are one a byte (but see six_bit_order).
///   packed    two a byte: codes 2j and 2j + 1 of the padded axis, the first in the low bits; if
///             the padded axis is odd its last byte holds one code
///   unpacked  one a byte
enum class code_packing : std::uint8_t { packed, unpacked };

/// How 6-bit codes are stored; dense is mx::six_bits.
enum class six_bit_order : std::uint8_t { one_a_byte, dense };

struct six_bit_order_entry {
  six_bit_order value;
  std::string_view name, sentence, source;
};

inline constexpr std::array six_bit_order_table{
    six_bit_order_entry{six_bit_order::one_a_byte, "one-a-byte", "in bits 5:0 of a byte of its own",
                        "torchao; ml_dtypes; CUDA, cuda_fp6.h"},
    six_bit_order_entry{
        six_bit_order::dense, "dense",
        "without gaps, code i in bits 6i to 6i + 5 of the bytes as one little-endian number",
        "AMD: ROCm rocRoller, DataTypes_FP6; FP6 constants of HIP's tests"}};

/// Which two 4-bit codes share a byte, and which of them has bits 3:0. The result of a PTX cvt to
/// e2m1x4 is low_first too, with its operands from the last to the first.
enum class nibble_order : std::uint8_t { low_first, high_first, split_half };

struct nibble_order_entry {
  nibble_order value;
  std::string_view name, sentence, source;
};

inline constexpr std::array nibble_order_table{
    nibble_order_entry{nibble_order::low_first, "low-first",
                       "codes 2i and 2i + 1 share byte i, code 2i in its low bits",
                       "CUDA, cuda_fp4.h; torchao, pack_uint4; ONNX, FLOAT4E2M1; gpt-oss"},
    nibble_order_entry{nibble_order::high_first, "high-first",
                       "codes 2i and 2i + 1 share byte i, code 2i in its high bits",
                       "PTX ISA, cvt to e2m1x2: the first operand has the high bits"},
    nibble_order_entry{
        nibble_order::split_half, "split-half",
        "in each block of K codes j and j + K/2 share a byte, code j in its low bits",
        "llama.cpp, ggml/src/ggml-common.h: block_mxfp4, block_nvfp4"}};

/// Position of a code: bits shift and above of a byte.
struct code_place {
  std::uint64_t byte;
  int shift;

  friend constexpr bool operator==(const code_place&, const code_place&) = default;
};

/// Pairing of 4-bit codes.
struct nibble_packing {
  nibble_order order = nibble_order::low_first;
  std::uint64_t block = 2;  ///< codes whose halves are paired: even, and 2 but for split_half

  /// Bytes of count codes; the last block is padded with codes 0.
  [[nodiscard]] MX_HD constexpr std::uint64_t bytes(std::uint64_t count) const noexcept {
    return (count / block + (count % block != 0 ? 1 : 0)) * (block / 2);
  }
  [[nodiscard]] MX_HD constexpr code_place place(std::uint64_t index) const noexcept {
    const std::uint64_t half = block / 2, within = index % block;
    const bool second = within >= half;
    return {index / block * half + within % half,
            second != (order == nibble_order::high_first) ? 4 : 0};
  }
  /// The inverse of place.
  [[nodiscard]] MX_HD constexpr std::uint64_t index(code_place at) const noexcept {
    const std::uint64_t half = block / 2;
    const bool second = (at.shift != 0) != (order == nibble_order::high_first);
    return at.byte / half * block + at.byte % half + (second ? half : 0);
  }
};

/// Functions, because device code cannot use constants of class type.
namespace nibble_packings {
[[nodiscard]] MX_HD constexpr nibble_packing low_first() noexcept {
  return {nibble_order::low_first, 2};
}
[[nodiscard]] MX_HD constexpr nibble_packing high_first() noexcept {
  return {nibble_order::high_first, 2};
}
/// K must be even and not 0.
[[nodiscard]] MX_HD constexpr nibble_packing split_half(std::uint64_t K) noexcept {
  return {nibble_order::split_half, K};
}
}  // namespace nibble_packings

/// Writes all packing.bytes(count) bytes. Bits 7:4 of a code are ignored.
MX_HD constexpr void pack_nibbles(const nibble_packing& packing, const std::uint8_t* codes,
                                  std::uint64_t count, std::uint8_t* bytes) noexcept {
  for (std::uint64_t i = 0; i < packing.bytes(count); ++i) bytes[i] = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const code_place at = packing.place(i);
    bytes[at.byte] = static_cast<std::uint8_t>(bytes[at.byte] | (codes[i] & 0xF) << at.shift);
  }
}

MX_HD constexpr void unpack_nibbles(const nibble_packing& packing, const std::uint8_t* bytes,
                                    std::uint64_t count, std::uint8_t* codes) noexcept {
  for (std::uint64_t i = 0; i < count; ++i) {
    const code_place at = packing.place(i);
    codes[i] = static_cast<std::uint8_t>(bytes[at.byte] >> at.shift & 0xF);
  }
}

/// AMD's packing of 6-bit codes without gaps: code i has bits 6i to 6i + 5 of the bytes as one
/// little-endian number, so that 32 codes fill 24 bytes. The functions take any count; the bits
/// above the last code are 0.
namespace six_bits {

/// range  count below 2^61
[[nodiscard]] MX_HD constexpr std::uint64_t bytes(std::uint64_t count) noexcept {
  return (count * 6 + 7) / 8;
}
/// Position of the lowest bit of a code; at a shift of 4 or 6 its high bits begin the next byte.
[[nodiscard]] MX_HD constexpr code_place place(std::uint64_t index) noexcept {
  return {index * 6 / 8, static_cast<int>(index * 6 % 8)};
}
/// The inverse of place.
[[nodiscard]] MX_HD constexpr std::uint64_t index(code_place at) noexcept {
  return (at.byte * 8 + static_cast<std::uint64_t>(at.shift)) / 6;
}

/// Writes all bytes(count) bytes. Bits 7:6 of a code are ignored.
MX_HD constexpr void pack(const std::uint8_t* codes, std::uint64_t count,
                          std::uint8_t* packed) noexcept {
  for (std::uint64_t i = 0; i < bytes(count); ++i) packed[i] = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const code_place at = place(i);
    const int two_bytes = (codes[i] & 0x3F) << at.shift;
    packed[at.byte] = static_cast<std::uint8_t>(packed[at.byte] | (two_bytes & 0xFF));
    if (at.shift > 2) packed[at.byte + 1] = static_cast<std::uint8_t>(two_bytes >> 8);
  }
}

MX_HD constexpr void unpack(const std::uint8_t* packed, std::uint64_t count,
                            std::uint8_t* codes) noexcept {
  for (std::uint64_t i = 0; i < count; ++i) {
    const code_place at = place(i);
    const int next = at.shift > 2 ? packed[at.byte + 1] : 0;
    codes[i] = static_cast<std::uint8_t>((packed[at.byte] | next << 8) >> at.shift & 0x3F);
  }
}

}  // namespace six_bits

static_assert(nibble_packings::low_first().place(3) == code_place{1, 4});
static_assert(nibble_packings::high_first().place(3) == code_place{1, 0});
static_assert(nibble_packings::split_half(32).place(17) == code_place{1, 4});
static_assert(nibble_packings::split_half(16).index({8, 4}) == 24);
static_assert(nibble_packings::low_first().bytes(5) == 3);
static_assert(six_bits::place(5) == code_place{3, 6} && six_bits::bytes(32) == 24);

}  // namespace mx
