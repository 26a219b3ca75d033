// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/fake_quantize_test.cpp: fake quantization in place and out of place give
// the same values and write nothing beyond; the values themselves are in the table of cases.
#include <string>
#include <vector>

#include "catch.h"
#include "matrices.h"
#include "tests/kernels/grid/host_launch.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

/// The kernel that ran both times.
std::string kernel_that_agrees_in_place(const quantization& how, const matrix& x) {
  const kernels::matrix_shape shape{static_cast<std::int64_t>(x.rows),
                                    static_cast<std::int64_t>(x.columns)};
  const float tensor_scale = 0.0123F;
  std::vector<std::uint8_t> beside(x.bytes.size() + 16, 0xEE), own = x.bytes;
  const kernels_test::host_answer answer = kernels_test::fake_quantize(
      {{how}, x.type, shape, x.bytes.data(), &tensor_scale, beside.data()});
  CHECK(kernels::sentence_of(answer.status) == "launched");
  CHECK(kernels_test::fake_quantize({{how}, x.type, shape, own.data(), &tensor_scale, own.data()})
            .kernels == answer.kernels);
  CHECK(std::vector<std::uint8_t>(beside.end() - 16, beside.end()) ==
        std::vector<std::uint8_t>(16, 0xEE));
  beside.resize(own.size());
  CHECK(own == beside);
  return answer.kernels;
}

}  // namespace

TEST_CASE("fake_quantization_in_place_gives_what_it_gives_beside") {
  const quantization nearest{block_formats::mxfp4, scale_rule::floor};
  const quantization drawn{block_formats::mxfp4, scale_rule::rceil, rounding::stochastic, {5, 4}};
  const quantization nvfp4{block_formats::nvfp4, scale_rule::ideal};
  for (const number_type type : {number_type::fp32, number_type::fp16, number_type::bf16}) {
    CAPTURE(int(type));
    for (const std::uint64_t rows : {1, 7, 130}) {
      const matrix x = adversarial_matrix(type, rows, 64, rows);
      CHECK(kernel_that_agrees_in_place(nearest, x) == "rows");
      CHECK(kernel_that_agrees_in_place(drawn, x) == "wide rows");
      CHECK(kernel_that_agrees_in_place(nvfp4, x) == "blocks");
    }
  }
}
