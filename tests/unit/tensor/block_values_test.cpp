// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/block_values_test.cpp: mx/tensor/blocks.h. The values of all codes under all
// scales against the core, bit for bit, on every instruction set of this machine.
#include <cstring>
#include <random>
#include <vector>

#include "blocked_tensor_by_core.h"
#include "bulk_against_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/blocks.h"

namespace {

using mx::block_format;
using mx::blocked_shape;
using mx::code_packing;
using mx::number_type;
using tests::bytes;

/// As scales: Inf, NaN, negative numbers, minus zero.
constexpr std::uint32_t unusual_fp32[] = {0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00000,
                                          0x80000000, 0x80000001, 0xBFC90FDB, 0xFF7FFFFF};

/// Every code under every scale byte, or under random ones that include `unusual_fp32`.
tests::coded_tensor every_code(const mx::blocked_sizes& sizes, std::mt19937& random) {
  tests::coded_tensor coded{bytes(sizes.code_bytes), bytes(sizes.scale_bytes()), 0};
  for (std::size_t i = 0; i < coded.codes.size(); ++i) {
    coded.codes[i] = static_cast<std::uint8_t>(i);
  }
  const bool counts = sizes.bytes_a_scale == 1;
  for (std::size_t i = 0; i < coded.scales.size(); ++i) {
    coded.scales[i] = static_cast<std::uint8_t>(counts ? i : random());
  }
  if (sizes.bytes_a_scale == sizeof(float)) {
    std::memcpy(coded.scales.data() + 8, unusual_fp32, sizeof unusual_fp32);
  }
  return coded;
}

void compare_every_code(const block_format& f, float tensor_scale, std::mt19937& random) {
  const blocked_shape shape{.length = 256 * 256};
  const mx::blocked_sizes sizes = mx::sizes_of(f, shape, code_packing::packed);
  const tests::coded_tensor coded = every_code(sizes, random);
  const std::vector<float> tensor_scales(sizes.tensor_scales, tensor_scale);
  const std::vector<float> expected =
      tests::dequantized_by_core(f, coded, shape, code_packing::packed, tensor_scales);
  INFO(tests::described({f}, number_type::fp32, shape, code_packing::packed)
       << ", " << tensor_scale);
  test::on_all_instruction_sets([&] {
    std::vector<float> values(shape.elements());
    mx::dequantize_tensor(f, {coded.codes.data(), coded.scales.data(), tensor_scales.data()}, shape,
                          values.data());
    CHECK(tests::same_bits(values, expected));
  });
}

TEST_CASE("every_code_under_every_scale_byte_has_the_value_that_the_core_gives_it") {
  std::mt19937 random(6000);
  for (const mx::format& element : tests::element_formats) {
    for (const mx::format& scale : {mx::formats::e8m0, mx::formats::ue4m3, mx::formats::ue5m3,
                                    mx::formats::binary32, mx::formats::e8m(7)}) {
      block_format f{element, scale, 1, 256};
      compare_every_code(f, 1.0F, random);
      if (scale.fraction_bits > 8) continue;
      f.tensor = mx::tensor_scaling::per_tensor;
      compare_every_code(f, 0x1.8765p-7F, random);
      for (const std::uint32_t bits : unusual_fp32) {
        compare_every_code(f, mx::float_of(bits), random);
      }
    }
  }
}

}  // namespace
