// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/prepare_test.cpp: the prepared form of a product's factor, above all the
// bounds of its scales, which decide whether a step is fast.
#include "gemm/prepare.h"

#include <array>
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

/// Lines of MXFP4 and gemm_prepare's output for them.
struct prepared_panels {
  kernels::lines_of_codes from;
  gemm_request request;
  std::vector<quad_word> workspace;
  prepared_lines made;

  explicit prepared_panels(scales kind, gemm_side side = gemm_side::row)
      : from(kernels::drawn_lines(sequential_mxfp4, code_storage::pairs, lines, k, kind, 9)) {
    from.scales[12] = 255;
    request.plan.model = sequential_mxfp4;
    request.shape = {lines, lines, k};
    request.a = request.b = from.operand();
    workspace.resize(static_cast<std::size_t>(gemm_workspace_bytes(request) / 16));
    request.workspace = workspace.data();
    const mma_arguments all = mma_arguments_of(request);
    const prepare_arguments to =
        side == gemm_side::row ? prepare_rows_of(all) : prepare_columns_of(all);
    made = to.to;
    const auto blocks = static_cast<std::uint64_t>(prepare_blocks(made));
    kernels_test::run_grid(
        {blocks, prepare_threads, 0}, [&](const kernels_test::host_thread& self) {
          gemm_prepare<sequential_mxfp4, panel_layout<sequential_mxfp4>>(self, to);
        });
  }

  [[nodiscard]] const mma_panel<sequential_mxfp4>& panel(std::int64_t step) const {
    return *panel_of<sequential_mxfp4>(made, 0, step);
  }
  [[nodiscard]] float factor(std::int64_t block, int place) const {
    return float_of(panel(block / 2).factors[block % 2][place / 4].word[place % 4]);
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
    const prepared_panels rows(kind);
    REQUIRE(rows.counts(2, 2));  // the NaN among the scales
    REQUIRE(rows.made.lines == 128);
    REQUIRE(rows.made.steps == 3);
    for (std::int64_t step = 0; step < 3; ++step) {
      for (std::int64_t line = 0; line < 128; line += 32) {
        CAPTURE(int(kind), step, line);
        CHECK(rows.panel(step).bounds[line / 32] == rows.expected_bounds(step, line));
      }
    }
  }
}

TEST_CASE("factors_lie_as_threads_read_them_and_those_of_padding_and_zeros_are_zero") {
  // A thread's rows of two fragments, and its columns, are adjacent.
  const auto row = [](int line) {
    return line / 32 * 32 + line % 8 * 4 + line % 32 / 16 * 2 + line % 16 / 8;
  };
  const auto column = [](int line) {
    return line / 16 * 16 + line % 8 / 2 * 4 + line % 16 / 8 * 2 + line % 2;
  };
  const prepared_panels rows(scales::near), columns(scales::near, gemm_side::column);
  for (std::int64_t block = 0; block < 6; ++block) {
    for (int line = 0; line < 128; ++line) {
      CAPTURE(block, line);
      const bool is_there = line < lines && block < k / 32 && rows.counts(line, block);
      const float found = rows.factor(block, row(line));
      const float other = columns.factor(block, column(line));
      if (is_there && rows.scale(line, block) == 255) {
        CHECK((found != found && other != other));
      } else if (is_there) {
        CHECK(found == power_of_two(rows.scale(line, block) - 127 + 23));
        CHECK(other == power_of_two(rows.scale(line, block) - 127 - 2));
      } else {
        CHECK(bits_of(found) == 0);
        CHECK(bits_of(other) == (block < k / 32 ? 0 : 0x80000000));  // keeps a sum of -0
      }
    }
  }
}

TEST_CASE("codes_lie_in_the_order_of_fragments_and_padding_is_zero") {
  for (const gemm_side side : {gemm_side::row, gemm_side::column}) {
    const prepared_panels panels(scales::near, side);
    for (std::int64_t line = 0; line < 128; ++line) {
      for (std::int64_t i = 0; i < 192; ++i) {
        const std::int64_t first = line % 16 / 8, second = i % 32 / 16;
        const std::int64_t word = side == gemm_side::row ? first + second * 2 : first * 2 + second;
        const quad_word& quad =
            panels.panel(i / 64).codes[line / 16][i % 64 / 32][line % 8 * 4 + i % 16 / 4];
        const auto* bytes = reinterpret_cast<const std::int8_t*>(&quad.word[word]);
        const std::uint8_t pair =
            line < lines && i < k
                ? panels.from.codes[static_cast<std::size_t>(line * panels.from.line_bytes + i / 2)]
                : 0;
        const auto expected = integer_of(formats::e2m1, i % 2 == 0 ? pair & 15U : pair >> 4U);
        REQUIRE(bytes[i % 4] == expected);
      }
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
  kernels_test::run_grid({static_cast<std::uint64_t>(prepare_blocks(to.to)), prepare_threads, 0},
                         [&](const kernels_test::host_thread& self) {
                           gemm_prepare<fused_nvfp4, panel_layout<fused_nvfp4>>(self, to);
                         });
  const mma_panel<fused_nvfp4>& panel = *panel_of<fused_nvfp4>(to.to, 0, 0);
  const auto factor = [&](int block) { return float_of(panel.factors[block][0].word[0]); };
  CHECK(factor(0) == 0.0F);
  CHECK(factor(1) == 0x3p14F);  // 3 * 2^-9 * 2^23
  CHECK(fp32::is_nan(factor(2)));
  CHECK(factor(3) == 448.0F * 0x1p23F);
  CHECK(panel.bounds[0] == (0x03U | 0x7EU << 8));
  for (int lane = 0; lane < 4; ++lane) {  // 16 of k a word, lines 0 and 8
    const auto word = [&](int half, int i) { return panel.codes[0][half][lane].word[i]; };
    CHECK(word(0, 0) == 0);
    CHECK(word(0, 1) == 0);
    CHECK(word(0, 2) == 0x0CF40CF4U);
    CHECK(word(1, 0) == 0x0CF40CF4U);
    CHECK(word(1, 2) == 0x0CF40CF4U);
  }
}
