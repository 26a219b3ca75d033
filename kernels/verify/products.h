// SPDX-License-Identifier: Apache-2.0
// kernels/verify/products.h: products of blocks that kernels are tested on.
#pragma once
#include <cstdint>
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "mx/kernels/gemm.h"
#include "mx/number/philox.h"

namespace mx::kernels {

/// Distribution of scales.
///   near      exponents of scales within two of each other
///   spread    within 24, so that alignment cuts
///   far       any, including NaN and both ends of the range
///   falling   near, 2^20 in even steps of 64 and 2^0 in odd ones; of UE4M3 the largest and the
///             smallest normal ones
///   ragged    as falling, but spread in even steps; of UE4M3 small ones, subnormal and zero in odd
///             ones
///   uneven    within 9: too far for a warp's fast steps, near enough for an element's
enum class scales { near, spread, far, falling, ragged, uneven };

/// Distribution of C: none; as large as the sums; far larger or smaller, including zeros of both
/// signs, Inf and NaN.
enum class addends { none, near, far };

/// A factor of a product in memory.
struct lines_of_codes {
  code_storage storage;
  std::int64_t line_bytes;
  std::vector<std::uint8_t> codes, scales;

  [[nodiscard]] gemm_operand operand() const {
    return {codes.data(), storage, line_bytes, scales.empty() ? nullptr : scales.data()};
  }
};

inline std::uint32_t drawn(std::uint64_t seed, std::uint64_t i) {
  return philox(seed, {{static_cast<std::uint32_t>(i), 0, 0, 7}}).word[0];
}

///   block  of the line
inline std::uint8_t drawn_ue4m3_scale(scales kind, std::int64_t block, std::uint32_t word) {
  const bool is_odd_step = block / 4 % 2 == 1;
  switch (kind) {
    case scales::near:
      return static_cast<std::uint8_t>(0x38 + word % 9);
    case scales::far:
      return static_cast<std::uint8_t>(word);
    case scales::falling:
      return static_cast<std::uint8_t>((is_odd_step ? 0x08 : 0x76) + word % 8);
    case scales::ragged:
      if (is_odd_step) return static_cast<std::uint8_t>(word % 0x0A);
      break;
    case scales::spread:
    case scales::uneven:
      break;
  }
  return static_cast<std::uint8_t>(0x08 + word % 0x70);
}

///   block  of the line
inline std::uint8_t drawn_scale(const dot_model& model, scales kind, std::int64_t block,
                                std::uint32_t word) {
  if (model.scale != format{formats::e8m0}) return drawn_ue4m3_scale(kind, block, word);
  if (kind == scales::near) return static_cast<std::uint8_t>(126 + word % 3);
  if (kind == scales::spread) return static_cast<std::uint8_t>(115 + word % 24);
  if (kind == scales::uneven) return static_cast<std::uint8_t>(122 + word % 10);
  if (kind == scales::falling || kind == scales::ragged) {
    if (block / 2 % 2 == 1) return static_cast<std::uint8_t>(126 + word % 2);
    return static_cast<std::uint8_t>(kind == scales::falling ? 147 + word % 2 : 140 + word % 24);
  }
  constexpr std::uint8_t ends[] = {0, 1, 2, 127, 231, 232, 253, 254};
  if (word % 997 == 0) return 255;
  return word % 4 == 0 ? ends[word >> 8 & 7] : static_cast<std::uint8_t>(word >> 16 & 0xFF) % 255;
}

/// Lines of E2M1 codes. One line in eight is zeros, one -0; half of the blocks of another are zeros
/// under the smallest scale, as quantization produces them.
inline lines_of_codes drawn_lines(const dot_model& model, code_storage storage, std::int64_t lines,
                                  std::int64_t k, scales kind, std::uint64_t seed) {
  const std::int64_t packed = storage == code_storage::pairs ? 2 : 1, blocks = k / model.block;
  const std::int64_t line_bytes = (k / packed + 15) / 16 * 16;
  lines_of_codes made{storage, line_bytes, {}, {}};
  made.codes.resize(static_cast<std::size_t>(lines * line_bytes), 0xFF);
  made.scales.resize(static_cast<std::size_t>(lines * blocks));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < k; ++i) {
      const auto place = static_cast<std::uint64_t>(line * k + i);
      const bool zero_block = line % 8 == 5 && i / model.block % 2 == 0;
      std::uint32_t code = drawn(seed, place) & 15;
      if (line % 8 == 3 || zero_block) code = 0;
      if (line % 8 == 6) code = 8;
      std::uint8_t& byte = made.codes[static_cast<std::size_t>(line * line_bytes + i / packed)];
      if (packed == 1) byte = static_cast<std::uint8_t>(code);
      if (packed == 2 && i % 2 == 0) byte = static_cast<std::uint8_t>(code);
      if (packed == 2 && i % 2 == 1) byte = static_cast<std::uint8_t>(byte | code << 4);
    }
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto place = static_cast<std::size_t>(line * blocks + block);
      made.scales[place] = line % 8 == 5 && block % 2 == 0
                               ? 0
                               : drawn_scale(model, kind, block, drawn(seed + 1, place));
    }
  }
  return made;
}

inline std::vector<std::uint32_t> drawn_addends(addends kind, std::int64_t count,
                                                std::uint64_t seed) {
  std::vector<std::uint32_t> made;
  for (std::int64_t i = 0; kind != addends::none && i < count; ++i) {
    const std::uint32_t word = drawn(seed, static_cast<std::uint64_t>(i));
    constexpr std::uint32_t some[] = {0,          0x80000000, 0x7F800000, 0xFF800000,
                                      0x7FC00001, 1,          0x80000001, 0x7F7FFFFF};
    std::uint32_t bits = (word & 0x80000000) | (120 + word % 16) << 23 | (word >> 5 & 0x7FFFFF);
    if (kind == addends::far && word % 3 == 0) bits = some[word >> 8 & 7];
    if (kind == addends::far && word % 3 == 1) bits = word * 2654435761U;
    made.push_back(bits);
  }
  return made;
}

}  // namespace mx::kernels
