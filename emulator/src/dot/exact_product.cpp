// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/exact_product.cpp: elements of D = A B + C that are exact sums.
#include "dot/exact_product.h"

#include <algorithm>

#include "mx/tensor/bulk.h"
#include "mx/tensor/parallel.h"

namespace mx {
namespace {

/// Elements of K at a time: the unpacked operands of a task stay below 4 MiB.
constexpr std::int64_t chunk = 1024;

/// Bits of the formats in which sums are stored.
int sum_bits(const accumulation& sum) {
  const int bits = std::min(sum.result.fraction_bits, sum.output.fraction_bits) + 1;
  return sum.late.dot_bits == 0 ? bits : std::min(bits, sum.late.sum_bits + 1);
}

/// Bits of a step's window below its largest exponent.
int window_bits(const accumulation& sum) {
  if (sum.alignment == alignment::exact) return 1 << 20;
  if (sum.late.dot_bits == 0) return sum.fraction_bits;
  return std::min({sum.fraction_bits, sum.late.addend_bits, sum.late.dot_bits});
}

/// Lower bound of the exponent at which a window begins.
int least_exponent(const accumulation& sum) {
  const int least = sum.result.emin();
  return sum.zeros == zero_term::ignored ? least : std::max(least, sum.zero_exponent);
}

}  // namespace

bool is_worth_looking(const gemm_shape& shape) {
  return shape.m * shape.n >= 4 * (shape.m + shape.n);
}

exact_product::exact_product(const core_product& by_core, const exact_right& right)
    : by_core_(by_core),
      left_(right.numbers_of_a(), by_core.a(), by_core.shape().m, by_core.shape().k),
      right_(right.lines()) {
  const accumulation& sum = by_core.model().sum;
  bits_ = std::min(sum_bits(sum), formats::binary32.fraction_bits + 1);
  window_ = window_bits(sum);
  least_exponent_ = least_exponent(sum);
  lowest_unit_ = std::max(sum.result.emin(), sum.output.emin());
  highest_ = std::min({sum.result.emax(), sum.output.emax(), formats::binary32.emax()});
}

bool exact_product::is_exact(const exact_line& a, const exact_line& b,
                             const unpacked& start) const {
  if (!a.is_number || !b.is_number || start.is_special()) return false;
  const int unit = a.unit + b.unit;
  if (unit < lowest_unit_) return false;
  // Below 2^24 * 2^54.
  const auto of = [](std::uint64_t x, std::uint64_t y) { return static_cast<wide_integer>(x) * y; };
  wide_integer all = std::min(of(a.largest, b.sum), of(a.sum, b.largest));
  if (!start.is_zero()) {
    const int above = start.floor_log2() - unit;
    if (above < 0 || above >= bits_) return false;
    const int distance = start.exponent - unit;
    const std::uint64_t cut = distance < 0 ? start.significand >> -distance : start.significand;
    if (distance < 0 && cut << -distance != start.significand) return false;
    all += distance < 0 ? cut : cut << distance;
  }
  if (all >> bits_ != 0) return false;
  const int top = unit + bit_width(static_cast<std::uint64_t>(all)) - 1;
  const int exponent = std::max({top, a.exponent + b.exponent, least_exponent_});
  return top <= highest_ && exponent - window_ <= unit;
}

bool exact_product::is_useful() const {
  for (std::int64_t i = 0; i < by_core_.shape().m; ++i) {
    for (std::int64_t j = 0; j < by_core_.shape().n; ++j) {
      if (is_exact(left_[i], right_[j], {})) return true;
    }
  }
  return false;
}

std::vector<float> exact_product::products(const gemm_region& region, std::int64_t first,
                                           std::int64_t count) const {
  const std::int64_t rows = region.rows(), columns = region.columns();
  const std::int64_t grain = std::max(by_core_.model().block, 1);
  const std::int64_t step = std::max(std::min(chunk, count) / grain, std::int64_t{1}) * grain;
  std::vector<float> sums(static_cast<std::size_t>(rows * columns)), part(sums.size());
  std::vector<float> a(static_cast<std::size_t>(rows * step)), line(static_cast<std::size_t>(step));
  for (std::int64_t k = first; k < first + count; k += step) {
    const std::int64_t length = std::min(step, first + count - k);
    packed_matrix b(static_cast<int>(length), static_cast<int>(columns));
    for (std::int64_t j = 0; j < columns; ++j) {
      right_.copy(region.column + j, k, length, line.data());
      b.set_columns_transposed(static_cast<int>(j), 1, line.data(), length);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      left_.copy(region.row + i, k, length, a.data() + i * length);
    }
    mx::multiply(static_cast<int>(rows), a.data(), length, b, part.data(), columns);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  }
  return sums;
}

void exact_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                        std::uint32_t* sums) const {
  const format& result = by_core_.model().sum.result;
  const std::vector<float> exact = products(region, first, count);
  const std::int64_t columns = region.columns();
  for_each_in_parallel(region.rows(), [&](std::int64_t row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t i = region.row + row, j = region.column + column;
      std::uint32_t& sum = sums[row * columns + column];
      const unpacked start = decode(result, sum);
      if (is_exact(left_[i], right_[j], start)) {
        const float all =
            exact[static_cast<std::size_t>(row * columns + column)] + to_binary32(start);
        if (all != 0) {  // the sign of a zero is the model's
          sum = encode(result, unpack(all), rounding::ties_to_even, overflow::to_infinity);
          continue;
        }
      }
      sum = by_core_.element(i, j, first, count, sum);
    }
  });
}

}  // namespace mx
