// SPDX-License-Identifier: Apache-2.0
// golden/reference/tensor_quantizer.cpp: whole tensors: blocks along the last axis or as tiles of
// the last two, and the scale above them.
#include "golden/reference/tensor_quantizer.h"

#include <algorithm>
#include <stdexcept>

namespace golden {
namespace {

// The elements of a block, where they lie in the tensor; none for those beyond an edge.
using places = std::vector<std::optional<std::size_t>>;

places places_of(tensor_shape shape, block_shape block, std::size_t matrix, std::size_t first_row,
                 std::size_t first_column) {
  places list;
  for (std::size_t row = first_row; row < first_row + block.rows; ++row) {
    for (std::size_t column = first_column; column < first_column + block.columns; ++column) {
      const bool inside = row < shape.rows && column < shape.columns;
      const std::size_t place = (matrix * shape.rows + row) * shape.columns + column;
      list.push_back(inside ? std::optional(place) : std::nullopt);
    }
  }
  return list;
}

// Of every block, in the order of the scales.
std::vector<places> all_places(tensor_shape shape, block_shape block) {
  std::vector<places> all;
  for (std::size_t matrix = 0; matrix < shape.matrices; ++matrix) {
    for (std::size_t row = 0; row < shape.rows; row += block.rows) {
      for (std::size_t column = 0; column < shape.columns; column += block.columns) {
        all.push_back(places_of(shape, block, matrix, row, column));
      }
    }
  }
  return all;
}

std::vector<float> gathered(const std::vector<float>& x, const places& block) {
  std::vector<float> elements;
  for (const auto& place : block) elements.push_back(place ? x[*place] : 0.0F);
  return elements;
}

template <class Number>
void scatter(const std::vector<Number>& elements, const places& block, std::vector<Number>& all) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i]) all[*block[i]] = elements[i];
  }
}

std::vector<float> row_around(const std::vector<float>& x, tensor_shape shape,
                              const places& block) {
  const std::size_t first = block.front().value() / shape.columns * shape.columns;
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(shape.columns)};
}

float scale_above(const std::vector<float>& x, tensor_shape shape, const places& block,
                  const tensor_quantization& q) {
  if (q.scaling == tensor_scaling::none) return 1;
  const bool by_row = q.scaling == tensor_scaling::row;
  return tensor_scale(by_row ? row_around(x, shape, block) : x, *q.of_blocks.element, q.bound);
}

void check(const std::vector<float>& x, tensor_shape shape, const tensor_quantization& q) {
  const bool tiles = q.block.rows != 1;
  if (x.size() != shape.size() || q.block.rows == 0 || q.block.columns == 0 ||
      (tiles && q.scaling == tensor_scaling::row)) {
    throw std::invalid_argument("golden::quantize_tensor: shapes that do not fit");
  }
}

}  // namespace

float tensor_scale(const std::vector<float>& x, const number_format& element,
                   const rational& bound) {
  rational amax = 0;
  for (const float value : x) {
    if (is_finite(value)) amax = std::max(amax, value_of(value).magnitude);
  }
  const rational exact = amax / (element.largest() * bound);
  const float scale = float_of(round_to_binary32(exact, zero_sign::positive));
  return value_of(scale).magnitude == 0 ? 1.0F : scale;
}

quantized_tensor quantize_tensor(const std::vector<float>& x, tensor_shape shape,
                                 const tensor_quantization& q) {
  check(x, shape, q);
  quantized_tensor result{shape, q.block, {}, {}};
  for (const places& block : all_places(shape, q.block)) {
    const float above = scale_above(x, shape, block, q);
    const std::uint64_t first_index = result.blocks.size() * block.size();
    result.tensor_scales.push_back(bits_of(above));
    result.blocks.push_back(
        quantize_block(gathered(x, block), q.of_blocks, value_of(above).magnitude, first_index));
  }
  return result;
}

std::vector<std::uint32_t> codes_of(const quantized_tensor& tensor) {
  std::vector<std::uint32_t> codes(tensor.shape.size());
  const std::vector<places> blocks = all_places(tensor.shape, tensor.block);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    scatter(tensor.blocks[b].codes, blocks[b], codes);
  }
  return codes;
}

std::vector<float> dequantize_tensor(const quantized_tensor& tensor, const number_format& element) {
  std::vector<float> values(tensor.shape.size());
  const std::vector<places> blocks = all_places(tensor.shape, tensor.block);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const rational above = value_of(float_of(tensor.tensor_scales[b])).magnitude;
    scatter(dequantize_block(tensor.blocks[b], element, above), blocks[b], values);
  }
  return values;
}

}  // namespace golden
