// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_words.h: blocks for a quantizer in hardware, made where its decisions fall.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mx/corrected_quantizer.h"

namespace rtl {

constexpr int block_size = mx::mxfp4::size;

/// What becomes of elements that only rounding makes zero.
enum class deadzone : std::uint8_t { flush, keep };

/// What a quantizer is given with a block.
struct quantizer_word {
  const char* kind = "";
  std::array<float, block_size> x{};
  mx::scale_rule rule = mx::scale_rule::floor;
  mx::rounding rounding = mx::rounding::ties_to_even;
  mx::random_source random = {};
  std::uint64_t number = 0;  ///< of the block in its tensor, for random bits
  std::uint32_t fraction = 0;
  rtl::deadzone deadzone = rtl::deadzone::flush;
};

struct quantized_block {
  std::array<std::uint8_t, block_size> codes{};
  std::uint32_t scale = 0;
  bool special = false;
  std::uint32_t kept = 0;  ///< bit i: element i is to be kept
  friend bool operator==(const quantized_block&, const quantized_block&) = default;
};

/// What a quantizer is made for.
struct quantizer_kind {
  mx::format in = mx::formats::binary32;
  mx::format scale = mx::formats::e8m0;
  int random_bits = 8;
};

/// The core's block.
[[nodiscard]] quantized_block expected_block(const quantizer_kind& made,
                                             const quantizer_word& word);

/// Words, `count` of each kind. They depend on what the quantizer is made for, and on the count.
[[nodiscard]] std::vector<quantizer_word> quantizer_words(const quantizer_kind& made, int count);

}  // namespace rtl
