// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_product.cpp: elements of D = A B + C by vector kernels.
#include "dot/gemm_product.h"

#include <algorithm>
#include <cstring>

namespace mx {

bool has_kernel_codes(const format& f, const gemm_operand& operand) {
  return f == formats::e2m1 &&
         (operand.storage == code_storage::pairs || operand.storage == code_storage::bytes);
}

int growth_over(std::int64_t k) {
  return 6 + static_cast<int>(bit_width(static_cast<std::uint64_t>(k)));
}

const gemm_kernels* kernels_of(const dot_model& model, const gemm_operand& b, dot_instruction dot) {
  if (model.a != formats::e2m1 || !has_kernel_codes(model.b, b)) return nullptr;
  if (model.block != 16 && model.block != 32) return nullptr;
  // Kernels for 32 elements assume power-of-two scales.
  const bool powers = model.scale == formats::e8m0;
  if (model.block == 32 && !powers) return nullptr;
  if (model.sum == model_named("fp32.sequential")->model.sum && model.scale.fraction_bits <= 5) {
    return gemm_kernels_for(gemm_rounding::sequential, model.block, dot);
  }
  const bool fused = model.sum == model_named("blackwell.mxf4")->model.sum;
  if (fused && model.scale.fraction_bits <= 3) {
    return gemm_kernels_for(gemm_rounding::fused, model.block, dot);
  }
  return nullptr;
}

vector_right::vector_right(const gemm_kernels& of, const dot_model& model, const gemm_operand& b,
                           std::int64_t n, std::int64_t k)
    : kernels(of),
      scales(gemm_scales_of(model.scale)),
      lines(gemm_lines::side::right, kernels, scales, b, n, k) {
  for_each(lines.groups(), gemm_threads::all, [&](std::int64_t group) { lines.fill(group); });
}

gemm_region vector_tiles::region_of(const gemm_tile_place& at) const {
  const std::int64_t row = at.strip * left_.width(), column = at.panel * right_.width();
  const gemm_shape& shape = by_core_.shape();
  return {row, std::min(row + left_.width(), shape.m), column,
          std::min(column + right_.width(), shape.n)};
}

void vector_tiles::add(const gemm_tile_place& at, std::int64_t first, std::int64_t last,
                       const gemm_sums& sums) const {
  const bool zero = left_.is_zero_group(at.strip) || right_.is_zero_group(at.panel);
  if (zero && sums.start == starting::at_zero) return;
  const bool may_be_near = kernels_.near != nullptr && sums.start == starting::at_zero;
  const float near = may_be_near ? largest_near(left_.bounds_of(at.strip),
                                                right_.bounds_of(at.panel), kernels_.unit)
                                 : 0;
  for (std::int64_t unit = first; unit < last;) {
    const gemm_slice a = left_.slice(at.strip, unit), b = right_.slice(at.panel, unit);
    const std::int64_t most = left_.chunk_units();
    const std::int64_t units = std::min(most - unit % most, last - unit);
    const int steps = static_cast<int>(units / kernels_.units_a_step);
    if (kernels_.sequential != nullptr) {
      kernels_.sequential(a, b, steps, sums);
    } else if (near == 0 || !kernels_.near(a, b, steps, near, sums)) {
      kernels_.fused(a, b, steps, sums);
    }
    unit += units;
  }
}

void vector_tiles::sum(const gemm_tile_place& at, const std::uint32_t* starts, std::int64_t stride,
                       std::uint32_t* sums) const {
  const gemm_region region = region_of(at);
  std::fill_n(sums, left_.width() * right_.width(), 0U);
  std::uint32_t any = 0, irregular = 0;
  for (std::int64_t i = 0; starts != nullptr && i < region.rows(); ++i) {
    for (std::int64_t j = 0; j < region.columns(); ++j) {
      const std::uint32_t start = starts[i * stride + j];
      sums[i * right_.width() + j] = start;
      any |= start, irregular |= is_irregular_start(start) ? 1 : 0;
    }
  }
  add(at, 0, left_.units(),
      {reinterpret_cast<float*>(sums), right_.width(),
       any == 0 ? starting::at_zero : starting::anywhere});
  if (irregular != 0 || !is_regular(at)) settle(region, starts, stride, sums);
}

/// By the core, element by element.
void vector_tiles::settle(const gemm_region& region, const std::uint32_t* starts,
                          std::int64_t stride, std::uint32_t* sums) const {
  for (std::int64_t i = 0; i < region.rows(); ++i) {
    for (std::int64_t j = 0; j < region.columns(); ++j) {
      const std::uint32_t start = starts != nullptr ? starts[i * stride + j] : 0;
      const std::int64_t row = region.row + i, column = region.column + j;
      if (is_regular(row, column, start)) continue;
      sums[i * right_.width() + j] = by_core_.element(row, column, 0, by_core_.shape().k, start);
    }
  }
}

vector_product::vector_product(const core_product& by_core, const vector_right& right,
                               gemm_threads threads)
    : by_core_(by_core),
      left_(gemm_lines::side::left, right.kernels, right.scales, by_core.a(), by_core.shape().m,
            by_core.shape().k),
      right_(right.lines),
      tiles_(right.kernels, by_core, left_, right_) {
  for_each(left_.groups(), threads, [&](std::int64_t group) { left_.fill(group); });
}

void vector_product::store(const gemm_region& region, const gemm_output& output) const {
  tiles_.visit(region, [&](const gemm_tile_place& at) {
    alignas(64) std::uint32_t sums[vector_tiles::most_sums];
    const gemm_region tile = tiles_.region_of(at);
    tiles_.sum(at, output.starts(tile.row, tile.column), by_core_.shape().n, sums);
    for (std::int64_t i = 0; i < tile.rows(); ++i) {
      output.store(tile.row + i, tile.column, tile.columns(), sums + i * right_.width());
    }
  });
}

void vector_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                         std::uint32_t* sums) const {
  const gemm_kernels& kernels = tiles_.kernels();
  const std::int64_t grain = static_cast<std::int64_t>(kernels.unit) * kernels.units_a_step;
  if (!by_core_.is_of_steps(first, count, grain)) return by_core_.add(region, first, count, sums);
  const std::int64_t rows = (region.rows() + left_.width() - 1) / left_.width() * left_.width();
  const std::int64_t columns =
      (region.columns() + right_.width() - 1) / right_.width() * right_.width();
  const line_aligned<float> values(static_cast<std::size_t>(rows * columns));
  std::fill_n(values.at(0), rows * columns, 0.0F);
  const auto row_of = [&](std::int64_t row) {
    return values.at(static_cast<std::size_t>(row * columns));
  };
  const std::int64_t width = region.columns(), all = region.rows() * width;
  for (std::int64_t row = 0; row < region.rows(); ++row) {
    std::memcpy(row_of(row), sums + row * width, static_cast<std::size_t>(width) * sizeof(float));
  }
  const bool zero = std::all_of(sums, sums + all, [](std::uint32_t c) { return c == 0; });
  const std::int64_t last = (first + count + grain - 1) / grain * kernels.units_a_step;
  const std::int64_t most = left_.chunk_units();
  for (std::int64_t unit = first / kernels.unit; unit < last;) {
    const std::int64_t next = std::min((unit / most + 1) * most, last);
    tiles_.visit(region, [&](const gemm_tile_place& at) {
      const gemm_region tile = tiles_.region_of(at);
      float* to = row_of(tile.row - region.row) + (tile.column - region.column);
      tiles_.add(at, unit, next, {to, columns, zero ? starting::at_zero : starting::anywhere});
    });
    unit = next;
  }
  for (std::int64_t row = 0; row < region.rows(); ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      const std::int64_t i = region.row + row, j = region.column + column;
      std::uint32_t& sum = sums[row * width + column];
      sum = tiles_.is_regular(i, j, sum) ? bits_of(row_of(row)[column])
                                         : by_core_.element(i, j, first, count, sum);
    }
  }
}

}  // namespace mx
