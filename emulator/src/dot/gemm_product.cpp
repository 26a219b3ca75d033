// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_product.cpp: elements of D = A B + C by vector kernels.
#include "dot/gemm_product.h"

#include <algorithm>
#include <cstring>

namespace mx {
namespace {

bool is_e2m1(const format& f, const gemm_operand& operand) {
  return f == formats::e2m1 &&
         (operand.storage == code_storage::pairs || operand.storage == code_storage::bytes);
}

}  // namespace

int growth_over(std::int64_t k) {
  return 6 + static_cast<int>(bit_width(static_cast<std::uint64_t>(k)));
}

const gemm_kernels* kernels_of(const dot_model& model, const gemm_operand& a, const gemm_operand& b,
                               dot_instruction dot) {
  if (!is_e2m1(model.a, a) || !is_e2m1(model.b, b)) return nullptr;
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

vector_product::vector_product(const gemm_kernels& kernels, const core_product& by_core)
    : kernels_(kernels),
      by_core_(by_core),
      scales_(gemm_scales_of(by_core.model().scale)),
      left_(gemm_lines::side::left, kernels, scales_, by_core.a(), by_core.shape().m,
            by_core.shape().k),
      right_(gemm_lines::side::right, kernels, scales_, by_core.b(), by_core.shape().n,
             by_core.shape().k),
      growth_(growth_over(by_core.shape().k)) {
  tbb::parallel_for(std::int64_t{0}, left_.groups(), [&](std::int64_t g) { left_.fill(g); });
  tbb::parallel_for(std::int64_t{0}, right_.groups(), [&](std::int64_t g) { right_.fill(g); });
}

bool vector_product::is_near(std::int64_t strip, std::int64_t panel) const {
  return kernels_.near != nullptr &&
         are_near(left_.bounds_of(strip), right_.bounds_of(panel), growth_);
}

void vector_product::tile(const gemm_tile_place& at, const gemm_slice& a, const gemm_slice& b,
                          std::int64_t units, const gemm_sums& sums) const {
  if (kernels_.sequential != nullptr) {
    return kernels_.sequential(a, b, static_cast<int>(units), sums);
  }
  const int steps = static_cast<int>(units / kernels_.units_a_step);
  if (sums.start == starting::at_zero && is_near(at.strip, at.panel)) {
    return kernels_.near(a, b, steps, sums);
  }
  kernels_.fused(a, b, steps, sums,
                 by_core_.steps_of(at.strip * left_.width(), at.panel * right_.width(),
                                   at.unit / kernels_.units_a_step));
}

void vector_product::chunk(const gemm_region& region, std::int64_t unit, std::int64_t units,
                           const gemm_sums& sums) const {
  const std::int64_t first_strip = region.row / left_.width();
  const std::int64_t first_panel = region.column / right_.width();
  const std::int64_t strips = (region.rows() + left_.width() - 1) / left_.width();
  const std::int64_t panels = (region.columns() + right_.width() - 1) / right_.width();
  const gemm_slice a = left_.slice(first_strip, unit), b = right_.slice(first_panel, unit);
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const gemm_slice of_panel = right_.slice_after(b, panel);
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      float* values = sums.values + strip * left_.width() * sums.stride + panel * right_.width();
      tile({first_strip + strip, first_panel + panel, unit}, left_.slice_after(a, strip), of_panel,
           units, {values, sums.stride, sums.start});
    }
  }
}

bool vector_product::is_regular(const gemm_region& region, const std::uint32_t* c) const {
  for (std::int64_t i = region.row; i < region.end_row; ++i) {
    if (left_.is_irregular(i)) return false;
  }
  for (std::int64_t j = region.column; j < region.end_column; ++j) {
    if (right_.is_irregular(j)) return false;
  }
  return std::none_of(c, c + region.rows() * region.columns(), is_irregular_start);
}

void vector_product::chunks(const gemm_region& region, std::int64_t first, std::int64_t last,
                            const gemm_sums& sums) const {
  const std::int64_t most = left_.chunk_units();
  for (std::int64_t unit = first; unit < last;) {
    const std::int64_t units = std::min(most - unit % most, last - unit);
    chunk(region, unit, units, sums);
    unit += units;
  }
}

void vector_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                         std::uint32_t* sums) const {
  const std::int64_t grain = static_cast<std::int64_t>(kernels_.unit) * kernels_.units_a_step;
  const bool ends = first + count == by_core_.shape().k;
  if (first % grain != 0 || (count % grain != 0 && !ends)) {
    return by_core_.add(region, first, count, sums);
  }
  const std::int64_t rows = (region.rows() + left_.width() - 1) / left_.width() * left_.width();
  const std::int64_t columns =
      (region.columns() + right_.width() - 1) / right_.width() * right_.width();
  const line_aligned<float> values(static_cast<std::size_t>(rows * columns));
  std::fill_n(values.at(0), rows * columns, 0.0F);
  const auto row_of = [&](std::int64_t row) {
    return values.at(static_cast<std::size_t>(row * columns));
  };
  const std::int64_t width = region.columns(), all = region.rows() * width;
  const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(float);
  for (std::int64_t row = 0; row < region.rows(); ++row) {
    std::memcpy(row_of(row), sums + row * width, bytes);
  }
  const bool zero = std::all_of(sums, sums + all, [](std::uint32_t c) { return c == 0; });
  const std::int64_t last = (first + count + grain - 1) / grain * kernels_.units_a_step;
  chunks(region, first / kernels_.unit, last,
         {values.at(0), columns, zero ? starting::at_zero : starting::anywhere});
  const bool regular = is_regular(region, sums);
  for (std::int64_t row = 0; row < region.rows(); ++row) {
    if (regular) {
      std::memcpy(sums + row * width, row_of(row), bytes);
      continue;
    }
    for (std::int64_t column = 0; column < width; ++column) {
      const std::int64_t i = region.row + row, j = region.column + column;
      std::uint32_t& sum = sums[row * width + column];
      const bool by_core =
          is_irregular_start(sum) || left_.is_irregular(i) || right_.is_irregular(j);
      sum = by_core ? by_core_.element(i, j, first, count, sum) : bits_of(row_of(row)[column]);
    }
  }
}

}  // namespace mx
