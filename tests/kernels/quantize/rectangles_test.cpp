// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/rectangles_test.cpp: blocks of several rows against the core's whole
// tensors: codes and scales of rows and columns, values, energies.
#include <cstring>
#include <vector>

#include "catch.h"
#include "matrices.h"
#include "mx/tensor/energy.h"
#include "tests/kernels/grid/host_launch.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

constexpr float some_tensor_scale = 0.0123F;

/// The inputs: matrices whose borders lie inside blocks. Large blocks are of FP16, whose
/// adversarial matrices contain no Inf and no NaN.
struct rectangle_case {
  quantization how;
  number_type type;
  std::uint64_t rows, columns;
};

const rectangle_case cases[] = {
    {{block_formats::nvfp4_2d, scale_rule::ideal}, number_type::bf16, 40, 70},
    {{block_formats::nvfp4_2d, scale_rule::four_over_six_mse}, number_type::fp32, 33, 32},
    {{block_formats::nvfp4_2d, scale_rule::ideal, rounding::stochastic, {5, 8}},
     number_type::fp16,
     48,
     47},
    {{block_formats::fp8_128x128, scale_rule::ideal}, number_type::fp16, 129, 260},
    {{block_formats::fp8_128x128, scale_rule::ideal}, number_type::bf16, 5, 3},
    {{{formats::e2m1, formats::e8m0, 32, 32}, scale_rule::rceil, rounding::stochastic, {6, 13}},
     number_type::fp32,
     96,
     64},
    {{{formats::e2m1, formats::e8m0, 2, 6}, scale_rule::mse}, number_type::bf16, 17, 20},
    {{{formats::e4m3, formats::e8m0, 3, 5}, scale_rule::even}, number_type::fp32, 10, 33},
    {{{formats::int8, formats::e8m0, 8, 1}, scale_rule::floor}, number_type::fp16, 30, 7},
};

kernels::matrix_shape shape_of(const matrix& x) {
  return {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)};
}

struct coded {
  std::vector<std::uint8_t> codes, scales;
};

coded space_for(const block_format& f, const matrix& x) {
  const kernels::coded_size size =
      kernels::size_of(f, scale_layout::linear, shape_of(x).rows, shape_of(x).columns);
  return {std::vector<std::uint8_t>(static_cast<std::size_t>(size.code_bytes), 0xEE),
          std::vector<std::uint8_t>(static_cast<std::size_t>(size.scale_bytes), 0xEE)};
}

coded expected_of(const quantization& how, const matrix& x) {
  coded expected = space_for(how.format, x);
  const blocked_sizes sizes = sizes_of(how.format, {1, x.rows, x.columns, 1}, code_packing::packed);
  REQUIRE(expected.codes.size() == sizes.code_bytes);
  REQUIRE(expected.scales.size() == sizes.scale_bytes());
  quantize_tensor(how, x.type, x.bytes.data(), {1, x.rows, x.columns, 1},
                  {expected.codes.data(), expected.scales.data(), &some_tensor_scale});
  return expected;
}

matrix input_of(const rectangle_case& one) {
  return adversarial_matrix(one.type, one.rows, one.columns, one.rows);
}

}  // namespace

TEST_CASE("blocks_of_several_rows_take_the_codes_and_scales_of_the_core_along_rows_and_columns") {
  for (const rectangle_case& one : cases) {
    CAPTURE(one.how.format.rows, one.how.format.columns, one.rows, one.columns);
    const matrix x = input_of(one), turned = kernels::transposed(x);
    coded rows = space_for(one.how.format, x), columns = space_for(one.how.format, turned);
    const kernels_test::host_answer answer =
        kernels_test::quantize({{one.how},
                                one.type,
                                shape_of(x),
                                x.bytes.data(),
                                &some_tensor_scale,
                                {rows.codes.data(), rows.scales.data()},
                                {columns.codes.data(), columns.scales.data()}});
    REQUIRE(kernels::sentence_of(answer.status) == "launched");
    CHECK(answer.kernels == "blocks of rows");
    const coded expected = expected_of(one.how, x), other = expected_of(one.how, turned);
    CHECK(rows.codes == expected.codes);
    CHECK(rows.scales == expected.scales);
    CHECK(columns.codes == other.codes);
    CHECK(columns.scales == other.scales);
  }
}

TEST_CASE("scales_of_blocks_of_several_rows_lie_in_their_layout") {
  const rectangle_case& one = cases[0];
  const matrix x = input_of(one);
  const coded expected = expected_of(one.how, x);
  const scale_layout layout = scale_layout::blocked_8x4;
  const auto size = kernels::size_of(one.how.format, layout, shape_of(x).rows, shape_of(x).columns);
  REQUIRE(size.lines_of_blocks == 3);
  REQUIRE(size.blocks_a_line == 5);
  REQUIRE(size.scale_bytes == 64);
  coded found = space_for(one.how.format, x);
  found.scales.assign(64, 0xEE);
  static_cast<void>(kernels_test::quantize({{.rules = one.how, .layout = layout},
                                            one.type,
                                            shape_of(x),
                                            x.bytes.data(),
                                            &some_tensor_scale,
                                            {found.codes.data(), found.scales.data()},
                                            {}}));
  CHECK(found.codes == expected.codes);
  for (std::uint64_t b = 0; b < 15; ++b) {
    CHECK(found.scales[offset(layout, 3, 5, b / 5, b % 5)] == expected.scales[b]);
  }
}

TEST_CASE("values_of_blocks_of_several_rows_are_those_of_the_core") {
  for (const rectangle_case& one : cases) {
    CAPTURE(one.how.format.rows, one.how.format.columns, one.rows, one.columns);
    const matrix x = input_of(one);
    const coded from = expected_of(one.how, x);
    std::vector<float> expected(x.elements()), found(x.elements(), -7.0F);
    dequantize_tensor(one.how.format, {from.codes.data(), from.scales.data(), &some_tensor_scale},
                      {1, x.rows, x.columns, 1}, expected.data());
    static_cast<void>(kernels_test::dequantize({{one.how},
                                                shape_of(x),
                                                from.codes.data(),
                                                from.scales.data(),
                                                &some_tensor_scale,
                                                number_type::fp32,
                                                found.data()}));
    CHECK(std::memcmp(found.data(), expected.data(), 4 * found.size()) == 0);
    if (one.type != number_type::fp32) continue;
    std::vector<float> values(x.elements());  // in place
    std::memcpy(values.data(), x.bytes.data(), 4 * values.size());
    const auto answer = kernels_test::fake_quantize(
        {{one.how}, one.type, shape_of(x), values.data(), &some_tensor_scale, values.data()});
    CHECK(answer.kernels == "blocks of rows");
    CHECK(std::memcmp(values.data(), expected.data(), 4 * values.size()) == 0);
  }
}

TEST_CASE("energies_of_blocks_of_several_rows_are_those_of_the_core") {
  for (const rectangle_case& one : cases) {
    CAPTURE(one.how.format.rows, one.how.format.columns, one.rows, one.columns);
    const matrix x = input_of(one);
    std::vector<error_energy> shares(
        static_cast<std::size_t>(kernels::share_entries_of(one.how.format, shape_of(x))));
    error_energy sum;
    const auto answer = kernels_test::decompose({{one.how},
                                                 one.type,
                                                 shape_of(x),
                                                 x.bytes.data(),
                                                 &some_tensor_scale,
                                                 shares.data(),
                                                 &sum});
    CHECK(answer.kernels == "blocks of rows, sum");
    const error_energy expected = decompose_tensor(one.how, x.type, x.bytes.data(),
                                                   {1, x.rows, x.columns, 1}, &some_tensor_scale);
    CHECK(std::memcmp(&sum, &expected, sizeof sum) == 0);
  }
}

TEST_CASE("shares_of_blocks_of_several_rows_end_where_those_of_the_core_do") {
  const rectangle_case one{
      {block_formats::nvfp4_2d, scale_rule::ideal}, number_type::bf16, 47, 112};
  const matrix x = input_of(one);
  REQUIRE(kernels::shares_of(one.how.format, shape_of(x)) == 3);  // 21 blocks, 8 a share
  std::vector<error_energy> shares(3);
  static_cast<void>(kernels_test::decompose({{one.how},
                                             one.type,
                                             shape_of(x),
                                             x.bytes.data(),
                                             &some_tensor_scale,
                                             shares.data(),
                                             nullptr}));
  const error_energy expected = decompose_tensor(one.how, x.type, x.bytes.data(),
                                                 {1, x.rows, x.columns, 1}, &some_tensor_scale);
  const error_energy found = kernels::sum_of(shares.data(), 3);
  CHECK(std::memcmp(&found, &expected, sizeof found) == 0);
}
