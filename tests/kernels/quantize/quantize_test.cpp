// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/quantize_test.cpp: codes and scales of the kernels of wide rows against
// mx::quantize_tensor, for more shapes, seeds and tensor scales than the table of cases.
#include <cmath>
#include <string>
#include <vector>

#include "catch.h"
#include "matrices.h"
#include "quantize/block_tiles.h"
#include "tests/kernels/grid/host_launch.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

constexpr number_type types[] = {number_type::fp32, number_type::fp16, number_type::bf16};
constexpr scale_rule power_rules[] = {
    scale_rule::floor,  scale_rule::rceil,  scale_rule::ceil,          scale_rule::even,
    scale_rule::floor6, scale_rule::midmax, scale_rule::overflow_aware};
float some_tensor_scale = 0.0123F;

/// Replaces the tensor scale during its lifetime.
class given_tensor_scale {
 public:
  explicit given_tensor_scale(float scale) : before_(some_tensor_scale) {
    some_tensor_scale = scale;
  }
  ~given_tensor_scale() { some_tensor_scale = before_; }
  given_tensor_scale(const given_tensor_scale&) = delete;
  given_tensor_scale& operator=(const given_tensor_scale&) = delete;

 private:
  float before_;
};

struct coded {
  std::vector<std::uint8_t> codes, scales;
};

/// Memory for the lines of a matrix; unwritten bytes stay 0xEE.
coded space_for(const block_format& f, scale_layout layout, std::uint64_t lines,
                std::uint64_t length) {
  const kernels::coded_size size = kernels::size_of(f, layout, static_cast<std::int64_t>(lines),
                                                    static_cast<std::int64_t>(length));
  return {std::vector<std::uint8_t>(static_cast<std::size_t>(size.code_bytes), 0xEE),
          std::vector<std::uint8_t>(static_cast<std::size_t>(size.scale_bytes), 0xEE)};
}

/// The core's result for the rows of a matrix, with scales in a layout.
coded expected_of(const quantization& how, const matrix& x, scale_layout layout) {
  const blocked_shape shape{1, x.rows, x.columns, 1};
  const blocked_sizes sizes = sizes_of(how.format, shape, code_packing::packed);
  coded expected = space_for(how.format, layout, x.rows, x.columns);
  std::vector<std::uint8_t> scales(sizes.scale_bytes());
  quantize_tensor(how, x.type, x.bytes.data(), shape,
                  {expected.codes.data(), scales.data(), &some_tensor_scale, code_packing::packed});
  for (std::uint64_t block = 0; block < sizes.blocks; ++block) {
    const std::uint64_t to = offset(layout, x.rows, sizes.blocks_along, block / sizes.blocks_along,
                                    block % sizes.blocks_along);
    for (std::uint64_t b = 0; b < sizes.bytes_a_scale; ++b) {
      expected.scales[to * sizes.bytes_a_scale + b] = scales[block * sizes.bytes_a_scale + b];
    }
  }
  return expected;
}

enum class wanted : std::uint8_t { rows, columns, both };

/// Runs a request and compares every byte; returns the names of the kernels that ran.
std::string kernels_that_agree(const quantization& how, const matrix& x, scale_layout layout,
                               wanted results) {
  coded rows = space_for(how.format, layout, x.rows, x.columns);
  coded columns = space_for(how.format, layout, x.columns, x.rows);
  kernels::quantize_request request{
      {.rules = how, .layout = layout},
      x.type,
      {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)},
      x.bytes.data(),
      &some_tensor_scale,
      {},
      {}};
  if (results != wanted::columns) request.rows = {rows.codes.data(), rows.scales.data()};
  if (results != wanted::rows) request.columns = {columns.codes.data(), columns.scales.data()};
  const kernels_test::host_answer answer = kernels_test::quantize(request);
  REQUIRE(kernels::sentence_of(answer.status) == "launched");
  if (results != wanted::columns) {
    const coded expected = expected_of(how, x, layout);
    CHECK(rows.codes == expected.codes);
    CHECK(rows.scales == expected.scales);
  }
  if (results != wanted::rows) {
    const coded expected = expected_of(how, mx::kernels::transposed(x), layout);
    CHECK(columns.codes == expected.codes);
    CHECK(columns.scales == expected.scales);
  }
  return answer.kernels;
}

}  // namespace

TEST_CASE("random_bits_round_rows_as_the_core_has_them") {
  for (const number_type type : types) {
    for (int bits = 1; bits <= 8; ++bits) {
      for (const byte_map map : {byte_map::ptx, byte_map::te_soft}) {
        CAPTURE(int(type), bits, int(map));
        const scale_rule rule = power_rules[bits % 7];
        const quantization how{
            block_formats::mxfp4, rule, rounding::stochastic, {0x123456789ABCDEFULL, bits, map, 5}};
        // 100 blocks of 32, two pieces of 256 threads each, end within a warp.
        for (const auto& [rows, columns] : {std::pair{25U, 128U}, {3U, 96U}, {1U, 2048U}}) {
          const matrix x = adversarial_matrix(type, rows, columns, bits);
          CHECK(kernels_that_agree(how, x, scale_layout::blocked_128x4, wanted::rows) ==
                "wide rows");
        }
      }
    }
  }
}

TEST_CASE("nvfp4_rows_of_whole_blocks_are_compared_with_ties") {
  const quantization how{block_formats::nvfp4, scale_rule::ideal};
  for (const number_type type : types) {
    for (const auto& [rows, columns] : {std::pair{37U, 48U}, {3U, 1040U}, {130U, 64U}}) {
      CAPTURE(int(type), rows, columns);
      const matrix x = adversarial_matrix(type, rows, columns, columns);
      CHECK(kernels_that_agree(how, x, scale_layout::blocked_128x4, wanted::rows) == "wide rows");
    }
  }
}

TEST_CASE("nvfp4_rows_under_a_tensor_scale_close_to_the_ends_of_the_range_agree") {
  for (const float scale : {0x1.7p-130F, 0x1.7p-101F, 0x1p-100F, 0x1p100F, 0x1.2p117F}) {
    CAPTURE(scale);
    const given_tensor_scale given(scale);
    matrix x = adversarial_matrix(number_type::fp32, 5, 512, 6);
    for (std::uint64_t i = 0; i < x.elements(); ++i) {
      auto* value = reinterpret_cast<float*>(x.bytes.data()) + i;
      // Blocks up to 6 of every scale, 2^-8 to 2^8, and the tensor scale; some of zeros.
      const int block = static_cast<int>(i / 16 % 17) - 8;
      const std::uint32_t word = philox(17, {{static_cast<std::uint32_t>(i), 0, 0, 0}}).word[0];
      const float share = (word & 1) != 0 ? -uniform_of(word) : uniform_of(word);
      *value = block == 5 ? 0 : share * 6 * std::ldexp(scale, block);
    }
    CHECK(kernels_that_agree({block_formats::nvfp4, scale_rule::ideal}, x, scale_layout::linear,
                             wanted::rows) == "wide rows");
  }
}

TEST_CASE("columns_and_both_agree_in_tiles_of_exact_elements") {
  const quantization nvfp4{block_formats::nvfp4, scale_rule::ideal};
  for (const number_type type : types) {
    for (const auto& [rows, columns] :
         {std::pair{32U, 32U}, {64U, 64U}, {96U, 160U}, {160U, 96U}, {288U, 32U}}) {
      for (const byte_map map : {byte_map::ptx, byte_map::te_soft}) {
        const int bits = static_cast<int>(rows / 32 % 8) + 1;
        const quantization drawn{block_formats::mxfp4,
                                 power_rules[columns / 32],
                                 rounding::stochastic,
                                 {0x123456789ABCDEFULL, bits, map, 5}};
        CAPTURE(int(type), rows, columns, int(map));
        const matrix x = adversarial_matrix(type, rows, columns, rows);
        for (const wanted results : {wanted::columns, wanted::both}) {
          CHECK(kernels_that_agree(drawn, x, scale_layout::blocked_8x4, results) == "wide tiles");
        }
      }
    }
    for (const auto& [rows, columns] :
         {std::pair{16U, 16U}, {48U, 80U}, {128U, 64U}, {80U, 144U}}) {
      CAPTURE(int(type), rows, columns);
      const matrix x = adversarial_matrix(type, rows, columns, columns);
      for (const wanted results : {wanted::columns, wanted::both}) {
        CHECK(kernels_that_agree(nvfp4, x, scale_layout::blocked_128x4, results) == "wide tiles");
      }
    }
  }
}

TEST_CASE("columns_and_both_of_any_block_size_agree_in_tiles_by_the_core") {
  using enum rounding;
  // Sides of 64, 64, 60, 100, 128 and, without shared memory, 200 elements.
  for (const int size : {16, 32, 20, 100, 128, 200}) {
    const block_format f{formats::e4m3, formats::e8m0, 1, size};
    const quantization how{f, power_rules[size % 7], stochastic, {8, 7}};
    const auto side = static_cast<std::uint64_t>(kernels::tile_side_of(size));
    for (const auto& [rows, columns] :
         {std::pair{std::uint64_t{1}, side + 1}, {side, side}, {side + 3, 2 * side - 5}}) {
      const number_type type = types[rows % 3];
      CAPTURE(size, rows, columns, int(type));
      const matrix x = adversarial_matrix(type, rows, columns, rows);
      for (const wanted results : {wanted::columns, wanted::both}) {
        CHECK(kernels_that_agree(how, x, scale_layout::blocked_128x4, results) ==
              "blocks of tiles");
      }
    }
  }
}

TEST_CASE("more_than_8_random_bits_take_the_core") {
  const matrix x = adversarial_matrix(number_type::bf16, 4, 64, 9);
  for (const int bits : {9, 16, 17, 24}) {
    CAPTURE(bits);
    const quantization how{
        block_formats::mxfp4, scale_rule::rceil, rounding::stochastic, {11, bits}};
    CHECK(kernels_that_agree(how, x, scale_layout::linear, wanted::rows) == "blocks");
  }
}
