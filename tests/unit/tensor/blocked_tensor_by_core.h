// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/blocked_tensor_by_core.h: whole tensors by the core, one block and element at a
// time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mx/tensor/blocks.h"

namespace tests {

using bytes = std::vector<std::uint8_t>;

struct coded_tensor {
  bytes codes, scales;
  std::uint64_t special_blocks = 0;
};

inline float value_at(mx::number_type type, const bytes& x, std::uint64_t index) {
  std::uint32_t bits = 0;
  const std::uint64_t size = mx::bytes_of(type);
  std::memcpy(&bits, x.data() + index * size, size);
  switch (type) {
    case mx::number_type::fp32:
      break;
    case mx::number_type::bf16:
      return mx::float_of(bits << 16);
    case mx::number_type::fp16:
      return mx::to_binary32(mx::decode(mx::formats::binary16, bits));
  }
  return mx::float_of(bits);
}

/// Calls work(number, place) for each element of each block, including padding, in the order of the
/// scales and of the block. place: row and position along the axis, then outer and inner.
struct element_place {
  std::uint64_t outer, row, position, inner;
};
template <class Work>
void for_each_place(const mx::block_format& f, const mx::blocked_shape& s, const Work& work) {
  const auto rows = static_cast<std::uint64_t>(f.rows);
  const auto columns = static_cast<std::uint64_t>(f.columns);
  std::uint64_t number = 0;
  for (std::uint64_t o = 0; o < s.outer; ++o) {
    for (std::uint64_t r = 0; r < s.rows; r += rows) {
      for (std::uint64_t a = 0; a < s.length; a += columns) {
        for (std::uint64_t i = 0; i < s.inner; ++i, ++number) {
          for (std::uint64_t k = 0; k < rows * columns; ++k) {
            work(number, k, element_place{o, r + k / columns, a + k % columns, i});
          }
        }
      }
    }
  }
}

inline bool is_inside(const element_place& p, const mx::blocked_shape& s) {
  return p.row < s.rows && p.position < s.length;
}
inline std::uint64_t index_of(const element_place& p, const mx::blocked_shape& s) {
  return ((p.outer * s.rows + p.row) * s.length + p.position) * s.inner + p.inner;
}

/// Position of a code: a byte, and the lowest of its bits.
struct code_at {
  std::uint64_t byte;
  int shift;
};
inline code_at code_place(const mx::block_format& f, const element_place& p,
                          const mx::blocked_shape& s, mx::code_packing packing) {
  const bool halved = packing == mx::code_packing::packed && f.element.width() == 4;
  const std::uint64_t along = mx::sizes_of(f, s, packing).code_bytes_along;
  const std::uint64_t byte = halved ? p.position / 2 : p.position;
  return {((p.outer * s.rows + p.row) * along + byte) * s.inner + p.inner,
          halved && p.position % 2 != 0 ? 4 : 0};
}

inline mx::unpacked tensor_scale(const mx::block_format& f, const element_place& p,
                                 const mx::blocked_shape& s, const std::vector<float>& scales) {
  if (scales.empty()) return mx::no_tensor_scale;
  const bool by_row = f.tensor == mx::tensor_scaling::per_row;
  return mx::unpack(scales[by_row ? (p.outer * s.rows + p.row) * s.inner + p.inner : 0]);
}

inline coded_tensor quantized_by_core(const mx::quantization& q, mx::number_type type,
                                      const bytes& x, const mx::blocked_shape& s,
                                      mx::code_packing packing,
                                      const std::vector<float>& tensor_scales) {
  const mx::blocked_sizes sizes = mx::sizes_of(q.format, s, packing);
  const auto size = static_cast<std::uint64_t>(q.format.size());
  std::vector<float> block(size);
  std::vector<element_place> places(size);
  bytes codes(size);
  coded_tensor result{bytes(sizes.code_bytes), bytes(sizes.scale_bytes()), 0};
  for_each_place(q.format, s, [&](std::uint64_t number, std::uint64_t k, const element_place& p) {
    places[k] = p;
    block[k] = is_inside(p, s) ? value_at(type, x, index_of(p, s)) : 0.0F;
    if (k + 1 != size) return;
    const mx::chosen_scale scale = mx::quantize_block(
        q, block.data(), tensor_scale(q.format, places[0], s, tensor_scales), number, codes.data());
    result.special_blocks += scale.special ? 1 : 0;
    for (std::uint64_t byte = 0; byte < sizes.bytes_a_scale; ++byte) {
      result.scales[number * sizes.bytes_a_scale + byte] =
          static_cast<std::uint8_t>(scale.code >> (8 * byte));
    }
    for (std::uint64_t j = 0; j < size; ++j) {
      if (places[j].row >= s.rows) continue;
      const code_at at = code_place(q.format, places[j], s, packing);
      result.codes[at.byte] =
          static_cast<std::uint8_t>(result.codes[at.byte] | codes[j] << at.shift);
    }
  });
  return result;
}

inline std::vector<float> dequantized_by_core(const mx::block_format& f, const coded_tensor& coded,
                                              const mx::blocked_shape& s, mx::code_packing packing,
                                              const std::vector<float>& tensor_scales) {
  const mx::blocked_sizes sizes = mx::sizes_of(f, s, packing);
  std::vector<float> values(s.elements());
  for_each_place(f, s, [&](std::uint64_t number, std::uint64_t, const element_place& p) {
    if (!is_inside(p, s)) return;
    std::uint32_t scale = 0;
    for (std::uint64_t byte = 0; byte < sizes.bytes_a_scale; ++byte) {
      scale |= std::uint32_t{coded.scales[number * sizes.bytes_a_scale + byte]} << (8 * byte);
    }
    const code_at at = code_place(f, p, s, packing);
    values[index_of(p, s)] = mx::dequantize_element(f, coded.codes[at.byte] >> at.shift, scale,
                                                    tensor_scale(f, p, s, tensor_scales));
  });
  return values;
}

}  // namespace tests
