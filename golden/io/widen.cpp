// SPDX-License-Identifier: Apache-2.0
// golden/io/widen.cpp: the numbers of a tensor as FP32.
#include "golden/io/widen.h"

#include <bit>
#include <cstring>

#include "golden/io/half_numbers.h"
#include "golden/io/integer_block.h"

namespace golden::io {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor files are little-endian");

// Applies a function to every element; the data may be unaligned for its type.
template <class Stored, class Function>
std::vector<float> each(byte_view bytes, Function function) {
  std::vector<float> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = function(stored);
  }
  return values;
}

std::vector<float> copied(byte_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

[[noreturn]] void refuse_type(const tensor& numbers) {
  throw file_error(numbers.source, numbers.name,
                   "is " + std::string(name_of(numbers.type)) +
                       "; expected numbers of F32, F16, BF16, F64, Q4_0, Q4_1 or Q8_0");
}

}  // namespace

std::vector<float> to_float32(const tensor& numbers, narrowing mode) {
  expect_matching_bytes(numbers);
  if (is_integer_block(numbers.type)) return numbers_of_blocks(numbers.type, numbers.bytes);
  switch (numbers.type) {
    case dtype::f32:
      return copied(numbers.bytes);
    case dtype::f16:
      return each<std::uint16_t>(numbers.bytes, from_float16);
    case dtype::bf16:
      return each<std::uint16_t>(numbers.bytes, from_bfloat16);
    case dtype::f64:
      break;
    default:
      refuse_type(numbers);
  }
  if (mode == narrowing::refuse) {
    throw file_error(numbers.source, numbers.name,
                     "is F64, which FP32 may not hold exactly; expected F32, F16 or BF16");
  }
  return each<double>(numbers.bytes, [](double value) { return static_cast<float>(value); });
}

}  // namespace golden::io
