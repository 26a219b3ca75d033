// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_product.cpp: regions of D by the kernels of dot/step_kernels.h, tile by
// tile. Equals mx::dot for every element, checked by tests/unit/dot/step_words_test.cpp and
// tests/cross/dot_cross_test.cpp. Floor: six operations on vectors for as many products as a vector
// has lanes.
#include "dot/step_product.h"

#include <algorithm>

#include "dot/step_tile.h"

namespace mx {
namespace {

template <class Lines>
void fill_all(Lines& lines, gemm_threads threads) {
  for_each(lines.groups(), threads, [&](std::int64_t group) { lines.fill(group); });
}

}  // namespace

step_right::step_right(const step_kernels& of, const step_rule& by, const dot_model& model,
                       const gemm_operand& b, std::int64_t n, std::int64_t k)
    : kernels(of), rule(by), lines(step_lines::side::right, of, by, model, b, n, k) {
  fill_all(lines, gemm_threads::all);
}

step_product::step_product(const core_product& by_core, const step_right& right,
                           gemm_threads threads)
    : by_core_(by_core),
      right_(right),
      left_(step_lines::side::left, right.kernels, right.rule, by_core.model(), by_core.a(),
            by_core.shape().m, by_core.shape().k) {
  fill_all(left_, threads);
}

/// Odd steps of a tile by the core.
class step_product::core_steps final : public odd_steps {
 public:
  core_steps(const step_product& of, const gemm_region& tile, std::int64_t first, step_tile& sums)
      : of_(of), tile_(tile), first_(first), sums_(sums) {}

  float operator()(int row, int column, int unit, float sum) override {
    const std::int64_t i = tile_.row + row, j = tile_.column + column;
    if (j >= tile_.end_column || (sums_.irregular(row) >> column & 1) != 0) return 0;
    const step_rule& rule = of_.right_.rule;
    if (!rule.is_chain()) {
      sums_.mark(row, 1U << column);
      return 0;
    }
    count_steps_by_core(1);
    const format& result = of_.by_core_.model().sum.result;
    const std::uint32_t code = of_.by_core_.element(i, j, first_ + std::int64_t{unit} * rule.unit,
                                                    rule.unit, step_code(result, sum));
    return sums_.continued(result, row, column, code);
  }

 private:
  const step_product& of_;
  const gemm_region& tile_;
  std::int64_t first_;
  step_tile& sums_;
};

void step_product::add_tile(const gemm_region& tile, std::int64_t first, std::int64_t count,
                            std::uint32_t* sums, std::int64_t stride) const {
  const step_rule& rule = right_.rule;
  const format& result = by_core_.model().sum.result;
  const auto rows = static_cast<int>(tile.rows()), columns = static_cast<int>(tile.columns());
  const std::int64_t strip = tile.row / left_.width(), panel = tile.column / right_.lines.width();
  step_tile values(right_.kernels.columns);
  for (int i = 0; i < rows; ++i) {
    values.take(result, i, columns, sums + i * stride);
    values.mark(i, right_.lines.irregular_lines(panel));
    if (left_.is_irregular(tile.row + i)) values.mark(i, ~0U);
  }
  core_steps odd(*this, tile, first, values);
  right_.kernels.add(rule, left_.slice(strip, first), right_.lines.slice(panel, first), rows,
                     static_cast<int>((count + rule.unit - 1) / rule.unit), {values.values(), odd});
  for (int i = 0; i < rows; ++i) {
    std::uint32_t* row = sums + i * stride;
    std::uint32_t starts[step_kernels::most_columns];
    std::copy_n(row, columns, starts);
    values.give(result, i, columns, row);
    for (int j = 0; values.irregular(i) != 0 && j < columns; ++j) {
      if ((values.irregular(i) >> j & 1) == 0) continue;
      row[j] = by_core_.element(tile.row + i, tile.column + j, first, count, starts[j]);
      count_steps_by_core((count + rule.unit - 1) / rule.unit);
    }
  }
}

void step_product::add(const gemm_region& region, std::int64_t first, std::int64_t count,
                       std::uint32_t* sums) const {
  const int unit = right_.rule.unit;
  if (!by_core_.is_of_steps(first, count, unit)) return by_core_.add(region, first, count, sums);
  const std::int64_t height = left_.width(), width = right_.lines.width();
  for (std::int64_t column = region.column; column < region.end_column; column += width) {
    for (std::int64_t row = region.row; row < region.end_row; row += height) {
      const gemm_region tile{row, std::min(row + height, region.end_row), column,
                             std::min(column + width, region.end_column)};
      add_tile(tile, first, count,
               sums + (row - region.row) * region.columns() + column - region.column,
               region.columns());
    }
  }
}

}  // namespace mx
