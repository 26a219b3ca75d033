// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/element_judge.cpp: one element of a kernel's D against the bound of a
// class.
#include "element_judge.h"

#include "mx/number/element.h"

namespace golden::validator {
namespace {

void count(const breach& at, tally& all) {
  ++all.exceeded;
  all.add(at);
}

mx::unpacked magnitude(mx::unpacked x) {
  x.negative = false;
  return x;
}

/// x - y
mx::wide_fixed difference_of(mx::wide_fixed x, const mx::wide_fixed& y) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < mx::wide_fixed::limbs; ++i) {
    const std::uint64_t less = x.limb[i] - y.limb[i];
    const std::uint64_t rest = less - borrow;
    borrow = (x.limb[i] < y.limb[i] ? 1U : 0U) | (less < borrow ? 1U : 0U);
    x.limb[i] = rest;
  }
  return x;
}

}  // namespace

element_judge::element_judge(const mx::gemm_plan& plan, std::int64_t k) : plan_(plan), k_(k) {
  const mx::unpacked alpha = mx::unpack(plan.alpha);
  if (alpha.kind != mx::kind::finite) return;
  const int zeros = __builtin_ctzll(alpha.significand);
  factor_ = static_cast<std::uint32_t>(alpha.significand >> zeros);
  shift_ = alpha.exponent + zeros;
  negative_ = alpha.negative;
}

void element_judge::judge(const product_terms& terms, const mx::unpacked& c, breach at,
                          tally& all) const {
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

/// Whether NaN and Inf among the operands determine D. An Inf of one sign may meet an overflow of
/// the other, a zero alpha, or a C in the epilogue; a NaN stays NaN.
bool element_judge::has_special(const mx::operand_kinds& kinds, const mx::unpacked& c) const {
  if (mx::unpack(plan_.alpha).is_special()) return false;
  const bool late = plan_.c_entry == mx::c_entry::epilogue && c.kind == mx::kind::infinite;
  if (kinds.nan || late) return kinds.nan;
  return plan_.alpha != 0 || kinds.special().kind == mx::kind::nan;
}

bool element_judge::saturates() const {
  return !mx::is_sum(plan_) && plan_.output_rounding == mx::rounding::toward_zero;
}
bool element_judge::is_largest(std::uint32_t code) const {
  return (code & plan_.output.magnitude_mask()) == plan_.output.max_code();
}
/// Whether d is a possible result of an overflow.
bool element_judge::is_extreme(const mx::unpacked& d, std::uint32_t code) const {
  return d.is_special() || (saturates() && is_largest(code));
}

/// Whether D is the NaN or Inf that the operands require; NaN also where an overflow may have met
/// the Inf.
bool element_judge::agrees(const mx::unpacked& sum, const mx::unpacked& d,
                           std::uint32_t code) const {
  if (sum.kind == mx::kind::nan) return d.kind == mx::kind::nan;
  const bool same_sign = d.negative == (sum.negative != negative_);
  if (d.kind == mx::kind::infinite) return same_sign;
  return d.kind == mx::kind::nan || (saturates() && is_largest(code) && same_sign);
}

/// Whether |d - exact| exceeds the bound; with alpha = factor * 2^shift, in units of 2^shift:
/// d and C are multiples of 2^-149 below 2^128, alpha's shift lies in [-149, 127], and a sum is
/// below 2^575 with a factor below 2^24: everything fits in [2^-576, 2^703).
bool element_judge::is_beyond(const product_terms& terms, const mx::unpacked& c,
                              const mx::unpacked& d, const upper_bound& bound, breach& at) const {
  const bool first = plan_.c_entry == mx::c_entry::first_step;
  mx::wide_fixed positive = terms.positive, negative = terms.negative;
  if (first) add_to(c.negative ? negative : positive, magnitude(c));
  if (negative_) std::swap(positive, negative);
  positive = multiplied(positive, factor_);
  negative = multiplied(negative, factor_);
  at.exact = difference_of(positive, negative);
  if (!first) add_to(at.exact, c.scaled_by_power_of_two(-shift_));
  mx::wide_fixed found;
  add_to(found, d.scaled_by_power_of_two(-shift_));
  at.error = difference_of(found, at.exact);
  at.shift = shift_;
  const mx::unpacked error = at.error.value();
  at.ratio = {error.scaled_by_power_of_two(shift_), bound};
  return exceeds(error, shift_, bound);
}

}  // namespace golden::validator
