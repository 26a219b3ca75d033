// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/prepare_test.cpp: the prepared form of a product's factor, above all the
// bounds of its scales, which decide whether a step is fast.
#include "gemm/prepare.h"

#include <vector>

#include "catch.h"
#include "gemm/choice.h"
#include "products.h"
#include "tests/kernels/grid/grid.h"

using namespace mx;
using namespace mx::kernels;
using kernels::scales;

namespace {

constexpr std::int64_t lines = 70, k = 160;

/// Lines of MXFP4 and gemm_prepare's output for them as rows.
struct prepared_rows {
  kernels::lines_of_codes from;
  gemm_request request;
  std::vector<quad_word> workspace;
  prepared_lines made;

  explicit prepared_rows(scales kind)
      : from(kernels::drawn_lines(sequential_mxfp4, code_storage::pairs, lines, k, kind, 9)) {
    from.scales[12] = 255;
    request.plan.model = sequential_mxfp4;
    request.shape = {lines, 1, k};
    request.a = request.b = from.operand();
    workspace.resize(static_cast<std::size_t>(gemm_workspace_bytes(request) / 16));
    request.workspace = workspace.data();
    const prepare_arguments to = prepare_rows_of(mma_arguments_of(request));
    made = to.to;
    const auto blocks = static_cast<std::uint64_t>(prepare_blocks(made));
    kernels_test::run_grid(
        {blocks, prepare_threads, 0},
        [&](const kernels_test::host_thread& self) { gemm_prepare<sequential_mxfp4>(self, to); });
  }

  /// Whether a block has a nonzero code.
  [[nodiscard]] bool counts(std::int64_t line, std::int64_t block) const {
    bool any = false;
    for (std::int64_t byte = block * 16; byte < block * 16 + 16; ++byte) {
      any =
          any || (from.codes[static_cast<std::size_t>(line * from.line_bytes + byte)] & 0x77) != 0;
    }
    return any;
  }
  [[nodiscard]] int scale(std::int64_t line, std::int64_t block) const {
    return from.scales[static_cast<std::size_t>(line * (k / 32) + block)];
  }

  [[nodiscard]] std::uint32_t expected_bounds(std::int64_t step, std::int64_t first) const {
    code_bounds bounds;
    for (std::int64_t line = first; line < first + 32 && line < lines; ++line) {
      for (std::int64_t block = 2 * step; block < 2 * step + 2 && block < k / 32; ++block) {
        const int code = scale(line, block);
        if (counts(line, block) && code != 255) bounds = bounds.with({code, code});
      }
    }
    return static_cast<std::uint32_t>(bounds.low | bounds.high << 8);
  }
};

}  // namespace

TEST_CASE("bounds_are_those_of_blocks_that_are_neither_zero_nor_nan") {
  for (const scales kind : {scales::near, scales::spread, scales::far}) {
    const prepared_rows rows(kind);
    REQUIRE(rows.counts(2, 2));  // the NaN among the scales
    REQUIRE(rows.made.lines == 128);
    REQUIRE(rows.made.steps == 3);
    for (std::int64_t step = 0; step < 3; ++step) {
      for (std::int64_t line = 0; line < 128; line += 32) {
        CAPTURE(int(kind), step, line);
        CHECK(*rows.made.bounds_of(step, line) == rows.expected_bounds(step, line));
      }
    }
  }
}

TEST_CASE("factors_are_scales_times_2_to_the_23_and_0_of_padding_and_zeros") {
  const prepared_rows rows(scales::near);
  for (std::int64_t block = 0; block < 6; ++block) {
    for (std::int64_t line = 0; line < 128; ++line) {
      const bool is_there = line < lines && block < k / 32 && rows.counts(line, block);
      const float found = rows.made.factors_of(block)[line];
      if (is_there && rows.scale(line, block) == 255) {
        CHECK(found != found);
      } else {
        CHECK(found == (is_there ? power_of_two(rows.scale(line, block) - 127 + 23) : 0.0F));
      }
    }
  }
}

TEST_CASE("codes_lie_in_the_order_of_fragments_and_padding_is_zero") {
  const prepared_rows rows(scales::near);
  const auto* bytes = reinterpret_cast<const std::int8_t*>(rows.made.codes);
  for (std::int64_t line = 0; line < 128; ++line) {
    for (std::int64_t i = 0; i < 192; ++i) {
      const std::int64_t tile = (line / 16 * 3 + i / 64) * 1024 + i % 64 / 32 * 512;
      const std::int64_t lane = line % 8 * 4 + i % 16 / 4, word = line % 16 / 8 + i % 32 / 16 * 2;
      const bool is_there = line < lines && i < k;
      const std::uint8_t pair =
          is_there ? rows.from.codes[static_cast<std::size_t>(line * rows.from.line_bytes + i / 2)]
                   : 0;
      const auto expected = integer_of(formats::e2m1, i % 2 == 0 ? pair & 15U : pair >> 4U);
      REQUIRE(bytes[tile + lane * 16 + word * 4 + i % 4] == expected);
    }
  }
}

TEST_CASE("blocks_under_a_scale_of_zero_are_zeros_and_signs_of_ue4m3_are_not_read") {
  // Four blocks of 16 of a line: scale 0, a subnormal one with a sign, NaN, the largest.
  lines_of_codes from{
      code_storage::pairs, 32, std::vector<std::uint8_t>(32, 0x7F), {0x80, 0x83, 0x7F, 0x7E}};
  gemm_request request;
  request.plan.model = fused_nvfp4;
  request.shape = {1, 1, 64};
  request.a = request.b = from.operand();
  request.kernel = gemm_kernel::mma;
  std::vector<quad_word> workspace(static_cast<std::size_t>(gemm_workspace_bytes(request) / 16));
  request.workspace = workspace.data();
  const prepare_arguments to = prepare_rows_of(mma_arguments_of(request));
  kernels_test::run_grid(
      {static_cast<std::uint64_t>(prepare_blocks(to.to)), prepare_threads, 0},
      [&](const kernels_test::host_thread& self) { gemm_prepare<fused_nvfp4>(self, to); });
  CHECK(to.to.factors_of(0)[0] == 0.0F);
  CHECK(to.to.factors_of(1)[0] == 0x3p14F);  // 3 * 2^-9 * 2^23
  CHECK(fp32::is_nan(to.to.factors_of(2)[0]));
  CHECK(to.to.factors_of(3)[0] == 448.0F * 0x1p23F);
  CHECK(*to.to.bounds_of(0, 0) == (0x03U | 0x7EU << 8));
  for (int word = 0; word < 4; ++word) {
    const std::uint32_t* first =
        to.to.codes + word * 4;  // lanes 0 to 3: 16 of k a word, lines 0 and 8
    CHECK(first[0] == 0);
    CHECK(first[1] == 0);
    CHECK(first[2] == 0x0CF40CF4U);
    CHECK(first[128] == 0x0CF40CF4U);
    CHECK(first[130] == 0x0CF40CF4U);
  }
}
