// SPDX-License-Identifier: Apache-2.0
// tests/unit/bulk_block_values_test.cpp: mx/bulk_blocks.h. The values of all codes under all scales
// against the core, bit for bit, on every instruction set of this machine.
#include <random>
#include <vector>

#include "blocked_tensor_by_core.h"
#include "bulk_against_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/bulk_blocks.h"

namespace {

using mx::block_format;
using mx::blocked_shape;
using mx::code_packing;
using mx::number_type;
using tests::bytes;

TEST_CASE("every_code_under_every_scale_byte_has_the_value_that_the_core_gives_it") {
  std::mt19937 random(6000);
  for (const mx::format& element : tests::element_formats) {
    for (const mx::format& scale : {mx::formats::e8m0, mx::formats::ue4m3, mx::formats::ue5m3,
                                    mx::formats::binary32, mx::formats::e8m(7)}) {
      for (const bool above : {false, true}) {
        const block_format f{element,
                             scale,
                             1,
                             256,
                             mx::scale_precision::stored,
                             above && scale.fraction_bits <= 8 ? mx::tensor_scaling::per_tensor
                                                               : mx::tensor_scaling::none};
        const blocked_shape shape{.length = 256 * 256};
        const mx::blocked_sizes sizes = mx::sizes_of(f, shape, code_packing::packed);
        tests::coded_tensor coded{bytes(sizes.code_bytes), bytes(sizes.scale_bytes()), 0};
        for (std::size_t i = 0; i < coded.codes.size(); ++i) {
          coded.codes[i] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t i = 0; i < coded.scales.size(); ++i) {
          const bool counts = sizes.bytes_a_scale == 1;
          coded.scales[i] = static_cast<std::uint8_t>(counts ? i : random());
        }
        const std::vector<float> tensor_scales(sizes.tensor_scales, 0x1.8765p-7F);
        const std::vector<float> expected =
            tests::dequantized_by_core(f, coded, shape, code_packing::packed, tensor_scales);
        INFO(tests::described({f}, number_type::fp32, shape, code_packing::packed));
        test::on_all_instruction_sets([&] {
          std::vector<float> values(shape.elements());
          mx::dequantize_tensor(f, {coded.codes.data(), coded.scales.data(), tensor_scales.data()},
                                shape, values.data());
          CHECK(tests::same_bits(values, expected));
        });
      }
    }
  }
}

}  // namespace
