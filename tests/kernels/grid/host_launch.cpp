// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/host_launch.cpp: launches in the grid on the CPU.
#include "host_launch.h"

#include "decompose/choice.h"
#include "grid.h"
#include "quantize/choice.h"
#include "quantize/dequantize_choice.h"
#include "quantize/rotate_choice.h"
#include "requests.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using mx::number_type;

/// Runs at least `work` threads, in blocks.
template <class Body>
void run(std::uint64_t work, int threads, const Body& body) {
  const auto size = static_cast<std::uint64_t>(threads);
  run_grid({(work + size - 1) / size, threads, 0}, body);
}

void run_blocks(const blocks_arguments& to) {
  run(to.place.lines * to.place.blocks_a_line, block_threads,
      [&](const host_thread& self) { quantize_blocks(self, to); });
}

void run_rectangles(const blocks_arguments& to) {
  run_grid({to.place.lines * to.place.blocks_a_line, rectangle_threads,
            static_cast<std::size_t>(rectangle_bytes(to.how.format))},
           [&](const host_thread& self) { quantize_rectangles(self, to); });
}

void run_rectangles(const fake_blocks_arguments& to) {
  run_grid({rectangles_of(to), rectangle_threads,
            static_cast<std::size_t>(rectangle_bytes(to.how.format))},
           [&](const host_thread& self) { fake_quantize_rectangles(self, to); });
}

void run_rectangles(const decompose_arguments& to) {
  run_grid({to.shares, rectangle_threads,
            static_cast<std::size_t>(decompose_rectangle_bytes(to.how.format))},
           [&](const host_thread& self) { decompose_rectangles(self, to); });
}

void run_block_tiles(const block_tiles_arguments& to) {
  const auto bytes = static_cast<std::size_t>(tile_bytes_of(to.of_rows.how.format.size()));
  run_grid({static_cast<std::uint64_t>(tiles_of(to)), block_threads, bytes},
           [&](const host_thread& self) { quantize_block_tiles(self, to); });
}

template <class Policy>
void run_shares(const decompose_arguments& to) {
  constexpr std::uint64_t here = Policy::threads / share_threads;
  run_grid({(to.shares + here - 1) / here, Policy::threads, decompose_bytes<Policy>()},
           [&](const host_thread& self) { decompose_shares<Policy>(self, to); });
}

template <class Kernel>
void run_kernel(const decompose_arguments& to) {
  constexpr std::uint64_t here = Kernel::shares;
  run_grid({(to.shares + here - 1) / here, Kernel::threads, Kernel::bytes},
           [&](const host_thread& self) { Kernel::run(self, to); });
}

template <number_type Type>
void run_mxfp4(const decompose_arguments& to) {
  if (clipping_of(to.step) == clipping::never) {
    run_kernel<decompose_mxfp4<Type, clipping::never>>(to);
  } else {
    run_kernel<decompose_mxfp4<Type, clipping::possible>>(to);
  }
}

/// Calls a function with the type as a constant.
template <class Function>
void with_type(number_type type, const Function& function) {
  switch (type) {
    case number_type::fp32:
      return function.template operator()<number_type::fp32>();
    case number_type::fp16:
      return function.template operator()<number_type::fp16>();
    case number_type::bf16:
      return function.template operator()<number_type::bf16>();
  }
}

template <class Change, class Coder>
void run_wide(const quantize_request& r, const Change& change, const Coder& coder) {
  const row_pieces to = row_pieces_of(r);
  with_type(r.input, [&]<number_type Type>() {
    run((to.pieces + 1) / 2, wide_threads,
        [&](const host_thread& self) { quantize_wide_rows<Type>(self, to, change, coder); });
  });
}

template <class Coder>
void run_wide_tiles(const quantize_request& r, const Coder& coder) {
  const tiled_matrix to = tiled_matrix_of(r);
  with_type(r.input, [&]<number_type Type>() {
    constexpr std::size_t bytes = wide_tile_memory<Type>::quads * sizeof(tile_quad);
    run_grid({static_cast<std::uint64_t>(tiles_of(to)), wide_threads, bytes},
             [&](const host_thread& self) { quantize_wide_tiles<Type>(self, to, coder); });
  });
}

}  // namespace

host_answer quantize(const quantize_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.shape.rows * r.shape.columns == 0) return {answer, {}};
  if (takes_rows_kernel(r)) {
    const mxfp4_rows_arguments to = rows_arguments_of(r);
    with_type(r.input, [&]<number_type Type>() {
      run((to.pieces + 1) / 2, mxfp4_rows_threads,
          [&](const host_thread& self) { quantize_mxfp4_rows<Type>(self, to); });
    });
    return {{}, "rows"};
  }
  if (with_wide_coder(r, [&](const auto& coder) { run_wide(r, unchanged{}, coder); })) {
    return {{}, "wide rows"};
  }
  if (with_tile_coder(r, [&](const auto& coder) { run_wide_tiles(r, coder); })) {
    return {{}, "wide tiles"};
  }
  if (takes_tiles_kernel(r)) {
    const mxfp4_tiles_arguments to = tiles_arguments_of(r);
    with_type(r.input, [&]<number_type Type>() {
      run_grid({static_cast<std::uint64_t>(tiles_of(to)), tile_threads, tile_bytes},
               [&](const host_thread& self) { quantize_mxfp4_tiles<Type>(self, to); });
    });
    return {{}, "tiles"};
  }
  if (is_of_rectangles(r.how.format())) {
    if (r.rows.codes != nullptr) run_rectangles(row_blocks_of(r));
    if (r.columns.codes != nullptr) run_rectangles(column_blocks_of(r));
    return {{}, "blocks of rows"};
  }
  if (r.columns.codes != nullptr) {
    run_block_tiles(block_tiles_of(r));
    return {{}, "blocks of tiles"};
  }
  run_blocks(row_blocks_of(r));
  return {{}, "blocks"};
}

host_answer dequantize(const dequantize_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.shape.rows * r.shape.columns == 0) return {answer, {}};
  if (takes_rows_kernel(r)) {
    const dequantize_rows_arguments to = rows_arguments_of(r);
    with_type(r.output, [&]<number_type Type>() {
      run(to.pieces, mxfp4_rows_threads,
          [&](const host_thread& self) { dequantize_mxfp4_rows<Type>(self, to); });
    });
    return {{}, "rows"};
  }
  const dequantize_arguments to = elements_of(r);
  run(to.lines * to.length, element_threads,
      [&](const host_thread& self) { dequantize_blocks(self, to); });
  return {{}, "blocks"};
}

host_answer fake_quantize(const fake_quantize_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.shape.rows * r.shape.columns == 0) return {answer, {}};
  if (takes_rows_kernel(r)) {
    const fake_quantize_rows_arguments to = rows_arguments_of(r);
    with_type(r.type, [&]<number_type Type>() {
      run(to.pieces, mxfp4_rows_threads,
          [&](const host_thread& self) { fake_quantize_mxfp4_rows<Type>(self, to); });
    });
    return {{}, "rows"};
  }
  if (takes_wide_rows_kernel(r)) {
    const fake_quantize_rows_arguments to = rows_arguments_of(r);
    const stochastic_mxfp4 coder = stochastic_coder_of(r.how.rules);
    with_type(r.type, [&]<number_type Type>() {
      run((to.pieces + 1) / 2, wide_threads,
          [&](const host_thread& self) { fake_quantize_wide_rows<Type>(self, to, coder); });
    });
    return {{}, "wide rows"};
  }
  const fake_blocks_arguments to = blocks_of(r);
  if (is_of_rectangles(r.how.format())) {
    run_rectangles(to);
    return {{}, "blocks of rows"};
  }
  run(to.from.lines * to.blocks_a_line, block_threads,
      [&](const host_thread& self) { fake_quantize_blocks(self, to); });
  return {{}, "blocks"};
}

host_answer rotate_quantize(const rotate_quantize_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done() || r.to.shape.rows * r.to.shape.columns == 0) return {answer, {}};
  if (r.by().size == 0) return quantize(unrotated(r));
  const bool is_wide = with_rotated_coder(
      r.to, [&](const auto& coder) { run_wide(r.to, rotated_by(r.by()), coder); });
  if (is_wide) return {{}, "rotated rows"};
  const rotated_blocks_arguments to = rotated_blocks_of(r);
  run(to.to.from.lines * to.to.from.length / to.span, block_threads,
      [&](const host_thread& self) { rotate_blocks(self, to); });
  return {{}, "rotated blocks"};
}

void add_shares(const decompose_request& r) {
  static_cast<void>(each_level(r, [](const sum_arguments& level, std::int64_t blocks) {
    run_grid(
        {static_cast<std::uint64_t>(blocks), sum_threads, sum_threads * sizeof(mx::error_energy)},
        [&](const host_thread& self) { mx::kernels::add_shares(self, level); });
    return mx::kernels::status{};
  }));
}

host_answer decompose(const decompose_request& r) {
  const mx::kernels::status answer = checked(r);
  if (!answer.is_done()) return {answer, {}};
  std::string kernels;
  const bool is_empty = r.shape.rows * r.shape.columns == 0;
  if (!is_empty && is_of_rectangles(r.how.format())) {
    run_rectangles(arguments_of(r));
    kernels = "blocks of rows";
  } else if (!is_empty && takes_plain_kernel(r)) {
    with_type(r.input, [&]<number_type Type>() { run_mxfp4<Type>(arguments_of(r)); });
    kernels = "plain";
  } else if (!is_empty) {
    run_shares<decompose_core>(arguments_of(r));
    kernels = "core";
  }
  if (r.sum == nullptr) return {{}, kernels};
  add_shares(r);
  return {{}, kernels + (kernels.empty() ? "sum" : ", sum")};
}

}  // namespace kernels_test
