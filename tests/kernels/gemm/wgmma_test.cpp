// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/wgmma_test.cpp: the prepared form of a product's factor for wgmma, and the
// order in which tiles are computed.
#include "gemm/wgmma.h"

#include <set>
#include <vector>

#include "catch.h"
#include "gemm/wgmma_choice.h"
#include "products.h"
#include "tests/kernels/grid/grid.h"

using namespace mx;
using namespace mx::kernels;
using kernels::scales;

namespace {

constexpr std::int64_t lines = 70, k = 160;

/// Lines and gemm_prepare's output for them as pieces.
template <dot_model M>
struct prepared_pieces {
  lines_of_codes from;
  gemm_request request;
  std::vector<quad_word> workspace;
  prepared_lines made;

  explicit prepared_pieces(gemm_side side)
      : from(drawn_lines(M, code_storage::pairs, lines, k, scales::near, 9)) {
    request.plan.model = M;
    request.shape = {lines, lines, k};
    request.a = request.b = from.operand();
    request.kernel = gemm_kernel::wgmma;
    workspace.resize(static_cast<std::size_t>(gemm_workspace_bytes(request) / 16));
    request.workspace = workspace.data();
    const wgmma_arguments all = wgmma_arguments_of(request);
    const prepare_arguments to =
        side == gemm_side::row ? prepare_rows_of(all) : prepare_columns_of(all);
    made = to.to;
    kernels_test::run_grid({static_cast<std::uint64_t>(prepare_blocks(made)), prepare_threads, 0},
                           [&](const kernels_test::host_thread& self) {
                             gemm_prepare<M, core_matrix_layout<M, byte_products>>(self, to);
                           });
  }

  [[nodiscard]] int expected_code(std::int64_t line, std::int64_t i) const {
    if (line >= lines || i >= k) return 0;
    const std::uint8_t pair = from.codes[static_cast<std::size_t>(line * from.line_bytes + i / 2)];
    return integer_of(formats::e2m1, i % 2 == 0 ? pair & 15U : pair >> 4U);
  }
  [[nodiscard]] std::uint32_t expected_bounds(std::int64_t first, std::int64_t step) const {
    code_bounds bounds;
    for (std::int64_t line = first; line < first + 32 && line < lines; ++line) {
      for (std::int64_t i = step * 64; i < step * 64 + 64; ++i) {
        if (expected_code(line, i) == 0) continue;
        const auto at = static_cast<std::size_t>(line * (k / M.block) + i / M.block);
        bounds = bounds.with({from.scales[at], from.scales[at]});
      }
    }
    return word_of(bounds);
  }
  static constexpr std::int64_t words_of_piece = 1024 + gemm_step / M.block * 64 + 32;
  /// Bits of the factor at a place of the memory of pieces.
  [[nodiscard]] std::uint32_t word(std::int64_t line, std::int64_t block, int place) const {
    constexpr std::int64_t blocks = gemm_step / M.block;
    const std::int64_t piece = line / 64 * made.steps + block / blocks;
    return made.codes[piece * words_of_piece + 1024 + block % blocks * 64 + place];
  }
};

template <dot_model M>
void expect_factors(gemm_side side, int (*place_of)(int line)) {
  const prepared_pieces<M> pieces(side);
  const std::int64_t blocks = k / M.block;
  for (std::int64_t block = 0; block < pieces.made.steps * (gemm_step / M.block); ++block) {
    for (std::int64_t line = 0; line < pieces.made.lines; ++line) {
      CAPTURE(line, block);
      const std::uint32_t found = pieces.word(line, block, place_of(static_cast<int>(line % 64)));
      if (block >= blocks) {
        CHECK(found == (side == gemm_side::column ? 0x80000000 : 0));
      } else if (line >= lines) {
        CHECK(found == 0);
      } else {
        const std::uint32_t code =
            pieces.from.scales[static_cast<std::size_t>(line * blocks + block)];
        const bool is_there = found != 0;
        CHECK((!is_there || found == bits_of(factor_of_scale<M.scale>(side, code))));
        CHECK((is_there || line % 8 == 3 || line % 8 == 5 || line % 8 == 6));
      }
    }
  }
}

}  // namespace

TEST_CASE("codes_lie_in_core_matrices_and_padding_is_zero") {
  const prepared_pieces<sequential_mxfp4> pieces(gemm_side::row);
  REQUIRE(pieces.made.lines == 128);
  REQUIRE(pieces.made.steps == 4);
  const auto* bytes = reinterpret_cast<const std::int8_t*>(pieces.made.codes);
  for (std::int64_t line = 0; line < 128; ++line) {
    for (std::int64_t i = 0; i < 256; ++i) {
      // 16 of k of 64 lines, then the next 16; a piece is 4096 bytes, two factors a line, and
      // bounds.
      const std::int64_t at = (line / 64 * 4 + i / 64) * (4096 + 512 + 128) + i % 64 / 16 * 1024 +
                              line % 64 * 16 + i % 16;
      REQUIRE(bytes[at] == pieces.expected_code(line, i));
    }
  }
}

TEST_CASE("factors_lie_as_threads_read_them") {
  // Rows g and g + 8 are neighbours; so are columns 2t, 2t + 1, 8 + 2t and 9 + 2t.
  const auto row = [](int line) { return line / 16 * 16 + line % 8 * 2 + line % 16 / 8; };
  const auto column = [](int line) {
    return line / 16 * 16 + line % 8 / 2 * 4 + line % 16 / 8 * 2 + line % 2;
  };
  expect_factors<sequential_mxfp4>(gemm_side::row, row);
  expect_factors<sequential_mxfp4>(gemm_side::column, column);
  expect_factors<sequential_nvfp4>(gemm_side::row, row);
  expect_factors<sequential_nvfp4>(gemm_side::column, column);
}

TEST_CASE("pieces_have_the_bounds_of_their_halves") {
  prepared_pieces<fused_mxfp4> pieces(gemm_side::row);
  const auto bounds = [&](std::int64_t line, std::int64_t step) {
    const std::int64_t piece = line / 64 * 4 + step;
    return pieces.made.codes[piece * pieces.words_of_piece + 1024 + 128 + line % 64 / 32];
  };
  for (std::int64_t line = 0; line < 128; line += 32) {
    for (std::int64_t step = 0; step < 4; ++step) {
      CHECK(bounds(line, step) == pieces.expected_bounds(line, step));
    }
  }
}

TEST_CASE("blocks_take_each_tile_once_and_8_rows_of_tiles_together") {
  wgmma_arguments to;
  for (const int down : {1, 7, 8, 9, 23}) {
    for (const int across : {1, 3, 10}) {
      to.a.lines = down * wgmma_rows;
      to.b.lines = across * wgmma_columns;
      std::set<std::pair<std::int64_t, std::int64_t>> taken;
      for (int block = 0; block < down * across; ++block) {
        const place_of_d at = to.tile_at(static_cast<std::uint64_t>(block));
        CHECK((at.row % wgmma_rows == 0 && at.column % wgmma_columns == 0));
        CHECK((at.row >= 0 && at.row < to.a.lines && at.column >= 0 && at.column < to.b.lines));
        CHECK((block >= 8 * across || at.row < 8 * wgmma_rows));
        taken.insert({at.row, at.column});
      }
      CHECK(taken.size() == static_cast<std::size_t>(down * across));
    }
  }
}
