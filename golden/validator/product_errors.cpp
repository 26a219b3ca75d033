// SPDX-License-Identifier: Apache-2.0
// golden/validator/product_errors.cpp: the elements of a kernel's D against the proven bound of a
// class.
#include "golden/validator/product_errors.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "golden/validator/exact_figure.h"
#include "mx/element.h"

namespace golden::validator {
namespace {

constexpr std::int64_t tile_lines = 32;

/// An element beyond its bound, before it is text.
///   special  D is Inf or NaN and ought not to be, or the other way round
struct breach {
  std::int64_t row = 0, column = 0;
  std::uint32_t found = 0;
  bool special = false;
  mx::wide_fixed error, exact;
  int shift = 0;
  error_ratio ratio;

  [[nodiscard]] bool precedes(const breach& other) const {
    return std::tie(row, column) < std::tie(other.row, other.column);
  }
  [[nodiscard]] bool is_worse_than(const breach& other) const {
    if (special != other.special) return special;
    const bool worse = !special && ratio.is_worse_than(other.ratio);
    const bool better = !special && other.ratio.is_worse_than(ratio);
    return worse || (!better && precedes(other));
  }
};

/// What a part of D says.
struct tally {
  std::uint64_t exceeded = 0, without_bound = 0;
  std::optional<breach> first, worst;

  void add(const breach& b) {
    if (!first || b.precedes(*first)) first = b;
    if (!worst || b.is_worse_than(*worst)) worst = b;
  }
  void add(const tally& other) {
    exceeded += other.exceeded;
    without_bound += other.without_bound;
    if (other.first) add(*other.first);
    if (other.worst) add(*other.worst);
  }
};

/// Judges elements.
class element_judge {
 public:
  element_judge(const mx::gemm_plan& plan, std::int64_t k) : plan_(plan), k_(k) {
    const mx::unpacked alpha = mx::unpack(plan.alpha);
    if (alpha.kind != mx::kind::finite) return;
    const int zeros = __builtin_ctzll(alpha.significand);
    factor_ = static_cast<std::uint32_t>(alpha.significand >> zeros);
    shift_ = alpha.exponent + zeros;
    negative_ = alpha.negative;
  }

  /// Adds what element `at` says.
  void judge(const product_terms& terms, const mx::unpacked& c, breach at, tally& all) const {
    mx::operand_kinds kinds = terms.kinds;
    kinds.see_special(c);
    const auto bound = kinds.is_special() ? std::nullopt : bound_of(plan_, k_, terms, c);
    const mx::unpacked d = mx::decode(plan_.output, at.found);
    if (kinds.is_special() && has_special(kinds, c)) {
      at.special = !agrees(kinds.special(), d, at.found);
      if (at.special) count(at, all);
      return;
    }
    const bool overflowed =
        bound && bound->overflows == element_bound::range::may_overflow && is_extreme(d, at.found);
    if (!bound || overflowed) {
      ++all.without_bound;
      return;
    }
    at.special = d.is_special();
    if (at.special || is_beyond(terms, c, d, bound->error, at)) count(at, all);
  }

 private:
  static void count(const breach& at, tally& all) {
    ++all.exceeded;
    all.add(at);
  }

  /// Whether NaN and Inf among the operands settle what D is. An Inf of one sign may meet an overflow of
  /// the other, a zero alpha, or a C in the epilogue; a NaN stays one.
  [[nodiscard]] bool has_special(const mx::operand_kinds& kinds, const mx::unpacked& c) const {
    if (mx::unpack(plan_.alpha).is_special()) return false;
    const bool late = plan_.c == mx::c_entry::epilogue && c.kind == mx::kind::infinite;
    if (kinds.nan || late) return kinds.nan;
    return plan_.alpha != 0 || kinds.special().kind == mx::kind::nan;
  }

  [[nodiscard]] bool saturates() const {
    return !mx::is_sum(plan_) && plan_.out_rounding == mx::rounding::toward_zero;
  }
  [[nodiscard]] bool is_largest(std::uint32_t code) const {
    return (code & plan_.output.magnitude_mask()) == plan_.output.max_code();
  }
  /// What an overflow may leave.
  [[nodiscard]] bool is_extreme(const mx::unpacked& d, std::uint32_t code) const {
    return d.is_special() || (saturates() && is_largest(code));
  }

  /// Whether D is what NaN or Inf among the operands make it; NaN also where an overflow may have met
  /// the Inf.
  [[nodiscard]] bool agrees(const mx::unpacked& sum, const mx::unpacked& d,
                            std::uint32_t code) const {
    if (sum.kind == mx::kind::nan) return d.kind == mx::kind::nan;
    const bool same_sign = d.negative == (sum.negative != negative_);
    if (d.kind == mx::kind::infinite) return same_sign;
    return d.kind == mx::kind::nan || (saturates() && is_largest(code) && same_sign);
  }

  /// Whether |d - exact| exceeds the bound; with alpha = factor * 2^shift, in units of 2^shift:
  /// d and C are multiples of 2^-149 below 2^128, alpha's shift lies in [-149, 127], and a sum is below
  /// 2^575 with a factor below 2^24: everything has a place in [2^-576, 2^703).
  [[nodiscard]] bool is_beyond(const product_terms& terms, const mx::unpacked& c,
                               const mx::unpacked& d, const upper_bound& bound, breach& at) const {
    const bool first = plan_.c == mx::c_entry::first_step;
    mx::wide_fixed positive = terms.positive, negative = terms.negative;
    if (first) add_to(c.negative ? negative : positive, magnitude(c));
    if (negative_) std::swap(positive, negative);
    positive = multiplied(positive, factor_);
    negative = multiplied(negative, factor_);
    at.exact = difference(positive, negative);
    if (!first) add_to(at.exact, c.scaled_by_power_of_two(-shift_));
    mx::wide_fixed found;
    add_to(found, d.scaled_by_power_of_two(-shift_));
    at.error = difference(found, at.exact);
    at.shift = shift_;
    const mx::unpacked error = at.error.value();
    at.ratio = {error.scaled_by_power_of_two(shift_), bound};
    return exceeds(error, shift_, bound);
  }

  [[nodiscard]] static mx::unpacked magnitude(mx::unpacked x) {
    x.negative = false;
    return x;
  }
  /// x - y
  [[nodiscard]] static mx::wide_fixed difference(mx::wide_fixed x, const mx::wide_fixed& y) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < mx::wide_fixed::limbs; ++i) {
      const std::uint64_t less = x.limb[i] - y.limb[i];
      const std::uint64_t rest = less - borrow;
      borrow = (x.limb[i] < y.limb[i] ? 1U : 0U) | (less < borrow ? 1U : 0U);
      x.limb[i] = rest;
    }
    return x;
  }

  const mx::gemm_plan& plan_;
  std::int64_t k_;
  std::uint32_t factor_ = 0;  ///< of a zero alpha
  int shift_ = 0;
  bool negative_ = false;
};

/// A tile of D and what is read for it.
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
  bound_breach told{b.row, b.column, b.found, {}, {}, {}, 0};
  if (b.special) return told;
  told.exact = exact_text(b.exact, b.shift);
  told.error = exact_text(b.error, b.shift);
  if (told.error.starts_with('-')) told.error.erase(0, 1);
  told.bound = exact_text(b.ratio.bound);
  told.times = b.ratio.whole_times();
  return told;
}

}  // namespace

product_errors errors_of(const mx::gemm_plan& plan, const product_operands& with,
                         const product_words& words, const mx::elements_done& done) {
  const std::int64_t across = (with.shape.n + tile_lines - 1) / tile_lines;
  const std::int64_t down = (with.shape.m + tile_lines - 1) / tile_lines;
  const element_judge judge(plan, with.shape.k);
  std::vector<tally> tallies(static_cast<std::size_t>(down * across));
  tbb::parallel_for(std::size_t{0}, tallies.size(), [&](std::size_t i) {
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
