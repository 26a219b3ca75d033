// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/bulk_against_core.h: tensors of hard values, quantized and dequantized in bulk
// and by the core, and compared bit for bit.
#pragma once
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "blocked_tensor_by_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/block/names.h"
#include "mx/tensor/blocks.h"

namespace tests {

inline const std::vector<mx::format> element_formats = [] {
  std::vector<mx::format> formats;
  for (const auto& element : mx::element_format_table) formats.push_back(element.value);
  return formats;
}();

enum class values { normal, grid_ties, beside_ties, narrow, subnormal, any_pattern, zeros, large };
inline constexpr values all_values[] = {values::normal, values::grid_ties, values::beside_ties,
                                        values::narrow, values::subnormal, values::any_pattern,
                                        values::zeros,  values::large};

inline std::uint32_t draw(values kind, std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  const std::uint32_t sign = word & 0x80000000;
  const float tie = static_cast<float>(random() % 129) / 16;
  switch (kind) {
    case values::normal:
      return mx::bits_of(static_cast<float>(static_cast<std::int32_t>(word)) * 0x1p-29F);
    case values::grid_ties:
      return sign | mx::bits_of(tie);
    case values::beside_ties:
      return sign | (mx::bits_of(tie + 0.0625F) + static_cast<std::uint32_t>(random() % 3) - 1);
    case values::narrow:
      return sign | (0x3B000000 + (word & 0x07FFFFFF));
    case values::subnormal:
      return word & (random() % 2 == 0 ? 0x807FFFFF : 0x82FFFFFF);
    case values::any_pattern:
      return (word & 0x7F800000) == 0x7F800000 && random() % 16 != 0 ? sign : word;
    case values::zeros:
      return random() % 64 == 0 ? word & 0x8F800000 : sign;
    case values::large:
      return sign | (0x7D000000 + (word & 0x027FFFFF));
  }
  return 0;
}

/// A tensor in its number type; each block has its own kind of values.
inline bytes tensor_of(std::uint64_t elements, mx::number_type type, std::uint32_t seed) {
  std::mt19937 random(seed);
  bytes result(elements * mx::bytes_of(type));
  values kind = values::normal;
  for (std::uint64_t i = 0; i < elements; ++i) {
    if (i % 64 == 0) kind = all_values[random() % std::size(all_values)];
    std::uint32_t bits = draw(kind, random);
    if (type == mx::number_type::bf16) bits >>= 16;
    if (type == mx::number_type::fp16 && kind != values::any_pattern) {
      bits = mx::encode<mx::formats::binary16>(mx::unpack(mx::float_of(bits)),
                                               mx::rounding::ties_to_even, mx::overflow::saturate);
    }
    std::memcpy(result.data() + i * mx::bytes_of(type), &bits, mx::bytes_of(type));
  }
  return result;
}

inline std::string described(const mx::quantization& q, mx::number_type type,
                             const mx::blocked_shape& s, mx::code_packing packing) {
  const mx::block_format& f = q.format;
  const auto text = [](auto n) { return std::to_string(static_cast<long long>(n)); };
  return "element " + text(f.element.exponent_bits) + "/" + text(f.element.fraction_bits) + "/" +
         text(f.element.specials) + " scale " + text(f.scale.exponent_bits) + "/" +
         text(f.scale.fraction_bits) + " block " + text(f.rows) + "x" + text(f.columns) +
         " tensor " + text(f.tensor) + " precision " + text(f.precision) + " rule " + text(q.rule) +
         " rounding " + text(q.rounding) + " bits " + text(q.random.bits) + " type " + text(type) +
         " shape " + text(s.outer) + "," + text(s.rows) + "," + text(s.length) + "," +
         text(s.inner) + " packing " + text(packing);
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The index of the first byte after a guard byte that differs from the expected one.
inline std::size_t first_difference(const bytes& guarded, const bytes& expected) {
  const auto pair = std::mismatch(expected.begin(), expected.end(), guarded.begin() + 1);
  return static_cast<std::size_t>(pair.first - expected.begin());
}

/// Quantizes a tensor on every instruction set and compares codes, scales and counts; then
/// dequantizes it.
///   tensor_scales  as many as sizes_of requires
inline void compare_under(const mx::quantization& q, const mx::blocked_shape& shape, const bytes& x,
                          mx::number_type type, mx::code_packing packing,
                          const std::vector<float>& tensor_scales) {
  INFO(described(q, type, shape, packing));
  REQUIRE(mx::refusal_of(q) == mx::refusal::none);
  const mx::blocked_sizes sizes = mx::sizes_of(q.format, shape, packing);
  const coded_tensor expected = quantized_by_core(q, type, x, shape, packing, tensor_scales);
  const bool stored = q.format.precision == mx::scale_precision::stored;
  const std::vector<float> expected_values =
      stored ? dequantized_by_core(q.format, expected, shape, packing, tensor_scales)
             : std::vector<float>();
  bytes moved(x.size() + 1);
  std::copy(x.begin(), x.end(), moved.begin() + 1);
  test::on_all_instruction_sets([&] {
    // One byte more on both sides: nothing else may be written, and nothing is aligned; if the
    // tensor is moved, its numbers are not aligned either.
    bytes codes(sizes.code_bytes + 2, 0xA5), scales(sizes.scale_bytes() + 2, 0xA5);
    const std::uint64_t special =
        mx::quantize_tensor(q, type, x.data(), shape,
                            {codes.data() + 1, scales.data() + 1, tensor_scales.data(), packing});
    CHECK(special == expected.special_blocks);
    CHECK(first_difference(codes, expected.codes) == expected.codes.size());
    mx::quantize_tensor(q, type, moved.data() + 1, shape,
                        {codes.data() + 1, scales.data() + 1, tensor_scales.data(), packing});
    CHECK((codes.front() == 0xA5 && codes.back() == 0xA5 && scales.front() == 0xA5 &&
           scales.back() == 0xA5));
    CHECK(first_difference(codes, expected.codes) == expected.codes.size());
    CHECK(first_difference(scales, expected.scales) == expected.scales.size());
    if (!stored) return;
    std::vector<float> values(shape.elements());
    mx::dequantize_tensor(q.format,
                          {codes.data() + 1, scales.data() + 1, tensor_scales.data(), packing},
                          shape, values.data());
    CHECK(same_bits(values, expected_values));
  });
}

/// The same under the tensor scales that the format chooses.
inline void compare_tensor(const mx::quantization& q, const mx::blocked_shape& shape,
                           const bytes& x, mx::number_type type, mx::code_packing packing) {
  std::vector<float> chosen(mx::sizes_of(q.format, shape, packing).tensor_scales);
  mx::choose_tensor_scales(q.format, type, x.data(), shape, chosen.data());
  compare_under(q, shape, x, type, packing, chosen);
}

/// compare_tensor of hard values.
inline void compare(const mx::quantization& q, const mx::blocked_shape& shape, std::uint32_t seed,
                    mx::number_type type = mx::number_type::fp32,
                    mx::code_packing packing = mx::code_packing::packed) {
  compare_tensor(q, shape, tensor_of(shape.elements(), type, seed), type, packing);
}

}  // namespace tests
