// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/errors.cpp: the elements of a kernel's D against the proven bound of a
// class.
#include "errors.h"

#include <algorithm>
#include <vector>

#include "element_judge.h"
#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

constexpr std::int64_t tile_lines = 32;

/// A tile of D and the operand lines it needs.
class tile {
 public:
  tile(const mx::gemm_plan& plan, const product_operands& with, std::int64_t row,
       std::int64_t column)
      : plan_(plan), with_(with), row_(row), column_(column) {
    read(operand_side::a, with.a, row, std::min(row + tile_lines, with.shape.m), rows_);
    read(operand_side::b, with.b, column, std::min(column + tile_lines, with.shape.n), columns_);
  }

  [[nodiscard]] tally judged(const element_judge& judge, const product_words& words) const {
    tally all;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        breach at;
        at.row = row_ + static_cast<std::int64_t>(i);
        at.column = column_ + static_cast<std::int64_t>(j);
        const auto offset = static_cast<std::size_t>(at.row * with_.shape.n + at.column);
        at.found = words.d[offset];
        const mx::unpacked c =
            words.c.empty() ? mx::unpacked{} : mx::decode(plan_.model.sum.result, words.c[offset]);
        judge.judge(terms_of(plan_.model, rows_[i], columns_[j]), c, at, all);
      }
    }
    return all;
  }

  [[nodiscard]] std::uint64_t elements() const { return rows_.size() * columns_.size(); }

 private:
  void read(operand_side side, const mx::gemm_operand& from, std::int64_t first, std::int64_t last,
            std::vector<read_line>& lines) const {
    for (std::int64_t i = first; i < last; ++i) {
      lines.push_back(line_of(plan_.model, side, from, with_.shape.k, i));
    }
  }

  const mx::gemm_plan& plan_;
  const product_operands& with_;
  std::int64_t row_, column_;
  std::vector<read_line> rows_, columns_;
};

bound_breach in_words(const breach& b) {
  bound_breach made{b.row, b.column, b.found, {}, {}, {}, 0};
  if (b.special) return made;
  made.exact = exact_text(b.exact, b.shift);
  made.error = exact_text(b.error, b.shift);
  if (made.error.starts_with('-')) made.error.erase(0, 1);
  made.bound = exact_text(b.ratio.bound);
  made.times = b.ratio.whole_times();
  return made;
}

}  // namespace

product_errors errors_of(const mx::gemm_plan& plan, const product_operands& with,
                         const product_words& words, const mx::elements_done& done) {
  const std::int64_t across = (with.shape.n + tile_lines - 1) / tile_lines;
  const std::int64_t down = (with.shape.m + tile_lines - 1) / tile_lines;
  const element_judge judge(plan, with.shape.k);
  std::vector<tally> tallies(static_cast<std::size_t>(down * across));
  mx::for_each_in_parallel(tallies.size(), [&](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    const tile part(plan, with, at / across * tile_lines, at % across * tile_lines);
    tallies[i] = part.judged(judge, words);
    if (done) done(part.elements());
  });
  tally all;
  for (const tally& part : tallies) all.add(part);
  product_errors errors{static_cast<std::uint64_t>(with.shape.m * with.shape.n),
                        all.exceeded,
                        all.without_bound,
                        {},
                        {}};
  if (all.first) errors.first = in_words(*all.first);
  if (all.worst) errors.worst = in_words(*all.worst);
  return errors;
}

}  // namespace golden::validator
