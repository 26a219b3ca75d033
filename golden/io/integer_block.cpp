// SPDX-License-Identifier: Apache-2.0
// golden/io/integer_block.cpp: blocks of 32 small integers with an F16 factor, of GGUF files.
#include "golden/io/integer_block.h"

#include <cmath>
#include <limits>

#include "golden/io/half_numbers.h"

namespace golden::io {
namespace {

constexpr std::size_t elements = 32, half = elements / 2;

/// The affine function of a block: every code c stands for factor * (c - zero) + offset.
struct block_function {
  float factor;
  int zero;
  float offset;

  [[nodiscard]] float operator()(int code) const {
    const float product = factor * static_cast<float>(code - zero);
    const float sum = product + offset;
    return std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN() : sum;
  }
};

float half_at(const std::uint8_t* bytes) {
  return from_float16(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8));
}

void put_halves(const std::uint8_t* codes, const block_function& f, float* out) {
  for (std::size_t j = 0; j < half; ++j) {
    out[j] = f(codes[j] & 15);
    out[j + half] = f(codes[j] >> 4);
  }
}

void put_bytes(const std::uint8_t* codes, const block_function& f, float* out) {
  for (std::size_t j = 0; j < elements; ++j) out[j] = f(static_cast<std::int8_t>(codes[j]));
}

void put_block(dtype type, const std::uint8_t* block, float* out) {
  const float factor = half_at(block);
  // -0 is the offset that keeps the sign of a product of zero.
  switch (type) {
    case dtype::q4_0_blocks:
      return put_halves(block + 2, {factor, 8, -0.0F}, out);
    case dtype::q4_1_blocks:
      return put_halves(block + 4, {factor, 0, half_at(block + 2)}, out);
    default:
      return put_bytes(block + 2, {factor, 0, -0.0F}, out);
  }
}

}  // namespace

bool is_integer_block(dtype type) {
  return type == dtype::q4_0_blocks || type == dtype::q4_1_blocks || type == dtype::q8_0_blocks;
}

std::vector<float> numbers_of_blocks(dtype type, byte_view blocks) {
  const std::size_t size = bits_of(type) / 8;
  std::vector<float> numbers(blocks.size() / size * elements);
  for (std::size_t i = 0; i < numbers.size() / elements; ++i) {
    put_block(type, blocks.data() + i * size, numbers.data() + i * elements);
  }
  return numbers;
}

}  // namespace golden::io
