// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/matrix_factor.cpp: checks scales and stores lines in matrices.
#include "dot/matrix_factor.h"

#include <algorithm>

#include "mx/dot/product.h"
#include "mx/number/bits.h"
#include "mx/tensor/parallel.h"

namespace mx {
namespace {

/// Upper halves of binary32: the numbers have no lower bits. Zero for irregular scales.
scaled_codes scaled_codes_of(const gemm_scale_table& scales) {
  scaled_codes table{};
  for (std::size_t scale = 0; scale < scales.size(); ++scale) {
    if (scales[scale].use != scale_use::regular) continue;
    for (std::uint32_t code = 0; code < 32; ++code) {
      const float element = to_binary32(factor_of(formats::e2m1, code % 16).value);
      const std::uint32_t bits = bits_of(element * scales[scale].value);
      table[scale][code] = static_cast<std::uint16_t>(bits >> 16);
    }
  }
  return table;
}

}  // namespace

matrix_tables::matrix_tables(const format& scale)
    : scales(gemm_scales_of(scale)), codes(scaled_codes_of(scales)) {}

matrix_factor::matrix_factor(const matrix_kernels& kernels, const matrix_tables& tables,
                             const gemm_operand& source, std::int64_t lines, std::int64_t k)
    : unit_(kernels.unit),
      tables_(tables),
      codes_(source, lines, k),
      scales_(source.scales),
      lines_(lines),
      blocks_((k + unit_ - 1) / unit_),
      bounds_(static_cast<std::size_t>((lines + pair_lines - 1) / pair_lines)),
      irregular_(bounds_.size()) {
  for_each_in_parallel(bounds_.size(),
                       [&](std::size_t pair) { look_through(static_cast<std::int64_t>(pair)); });
  regular_ = std::all_of(irregular_.begin(), irregular_.end(), [](auto i) { return i == 0; });
}

void matrix_factor::look_through(std::int64_t pair) {
  const std::int64_t end = std::min(lines_, (pair + 1) * pair_lines);
  for (std::int64_t line = pair * pair_lines; line < end; ++line) {
    look_through_line(line, bounds_[static_cast<std::size_t>(pair)]);
  }
}

void matrix_factor::look_through_line(std::int64_t line, scale_bounds& bounds) {
  for (std::int64_t i = 0; i < blocks_; ++i) {
    const scale_use use = tables_.scales[scales_[line * blocks_ + i]].use;
    if (use == scale_use::nan || (use == scale_use::far && !is_zero(line, i))) {
      irregular_[static_cast<std::size_t>(line / pair_lines)] = 1;
    }
  }
  const std::int64_t steps = (blocks_ * unit_ + step_elements - 1) / step_elements;
  for (std::int64_t step = 0; step < steps; ++step) {
    const scale_bounds of_step = bounds_of_step(line, step);
    bounds.add_step(of_step.highest, of_step.lowest);
  }
}

/// Blocks of zeros are included: the assumed range is never too small.
scale_bounds matrix_factor::bounds_of_step(std::int64_t line, std::int64_t step) const {
  scale_bounds bounds;
  const std::int64_t blocks = step_elements / unit_;
  for (std::int64_t i = step * blocks; i < std::min((step + 1) * blocks, blocks_); ++i) {
    const gemm_scale& scale = tables_.scales[scales_[line * blocks_ + i]];
    if (scale.use != scale_use::regular) continue;
    bounds.highest = std::max(bounds.highest, scale.exponent);
    bounds.lowest = std::min(bounds.lowest, scale.exponent);
  }
  return bounds;
}

void matrix_factor::place_exponents(std::int64_t line, std::int64_t first, int slabs,
                                    std::int32_t* exponents, std::uint32_t* none) const {
  std::fill_n(none, slabs, 0U);
  for (int slab = 0; slab < slabs; ++slab) {
    const std::int64_t block = first / matrix::depth + slab;
    const std::int64_t other = block ^ 1;
    for (int i = 0; i < pair_lines; ++i) {
      const gemm_scale& own = scale_of(line + i, block);
      const bool regular = own.use == scale_use::regular;
      const gemm_scale& used = regular ? own : scale_of(line + i, other);
      const int exponent = used.use == scale_use::regular ? used.exponent : 0;
      exponents[slab * pair_lines + i] = exponent * (1 << matrix_exponents::places);
      if (!regular) none[slab] |= 1U << i;
    }
  }
}

const gemm_scale& matrix_factor::scale_of(std::int64_t line, std::int64_t block) const {
  if (line >= lines_ || block >= blocks_) return no_scale;
  return tables_.scales[scales_[line * blocks_ + block]];
}

bool matrix_factor::is_zero(std::int64_t line, std::int64_t block) const {
  std::uint8_t space[32];
  const std::uint8_t* codes = codes_.at(line, block * unit_, unit_, space);
  const bool packed = codes_.packing() == code_packing::packed;
  const int bytes = packed ? unit_ / 2 : unit_;
  const int size = packed ? 0x77 : 0x07;
  return std::all_of(codes, codes + bytes, [&](std::uint8_t code) { return (code & size) == 0; });
}

void matrix_factor::place(place_function in_order, std::int64_t line, std::int64_t first, int slabs,
                          std::uint16_t* to) const {
  std::uint8_t space[matrix::lines][matrix_lines::most_slabs * matrix::depth];
  matrix_lines from{};
  from.packing = codes_.packing();
  from.slabs = slabs;
  for (std::int64_t i = 0; i < matrix::lines; ++i) {
    from.codes[i] = codes_.at(line + i, first, std::int64_t{slabs} * matrix::depth, space[i]);
    if (line + i >= lines_) continue;
    const std::int64_t block = first / unit_;
    const std::int64_t count =
        std::min<std::int64_t>(slabs * matrix::depth / unit_, blocks_ - block);
    std::copy_n(scales_ + (line + i) * blocks_ + block, std::max<std::int64_t>(count, 0),
                from.scales[i]);
  }
  in_order(from, tables_.codes, to);
}

}  // namespace mx
