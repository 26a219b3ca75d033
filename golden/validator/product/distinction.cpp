// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/distinction.cpp: data that distinguish two models of dot products.
#include "distinction.h"

#include <algorithm>

namespace golden::validator {
namespace {

bool is_exact(const mx::dot_model& m) { return m.sum.alignment == mx::alignment::exact; }

/// Bits below the largest exponent that both keep.
int common_window(const mx::dot_model& x, const mx::dot_model& y) {
  if (is_exact(x)) return y.sum.fraction_bits;
  if (is_exact(y)) return x.sum.fraction_bits;
  return std::min(x.sum.fraction_bits, y.sum.fraction_bits);
}

std::string window_data(const mx::dot_model& x, const mx::dot_model& y) {
  return "terms of one step whose exponents differ by more than " +
         std::to_string(common_window(x, y)) + " bits";
}

bool has_same_steps(const mx::accumulation& x, const mx::accumulation& y) {
  return x.fused == y.fused && x.order == y.order && x.span == y.span && x.joining == y.joining;
}

bool has_same_cuts(const mx::accumulation& x, const mx::accumulation& y) {
  const bool exact = x.alignment == mx::alignment::exact;
  if (x.alignment != y.alignment) return false;
  return exact || (x.fraction_bits == y.fraction_bits && x.cut == y.cut && x.lost == y.lost &&
                   x.parity == y.parity && x.late == y.late && x.group == y.group);
}

bool has_zero_exponent(const mx::accumulation& how) {
  return how.alignment == mx::alignment::window && how.zeros != mx::zero_term::ignored;
}

bool has_same_zeros(const mx::accumulation& x, const mx::accumulation& y) {
  if (!has_zero_exponent(x) && !has_zero_exponent(y)) return true;
  return x.alignment == y.alignment && x.zeros == y.zeros && x.zero_exponent == y.zero_exponent;
}

/// The larger exponent of zeros, of the models that define one.
int zero_exponent(const mx::accumulation& x, const mx::accumulation& y) {
  if (!has_zero_exponent(x)) return y.zero_exponent;
  if (!has_zero_exponent(y)) return x.zero_exponent;
  return std::max(x.zero_exponent, y.zero_exponent);
}

}  // namespace

std::vector<std::string> telling_data(const mx::dot_model& x, const mx::dot_model& y) {
  std::vector<std::string> data;
  const mx::accumulation &a = x.sum, &b = y.sum;
  const auto tell = [&data](bool same, const std::string& what) {
    if (!same) data.push_back(what);
  };
  tell(has_same_cuts(a, b), window_data(x, y));
  tell(has_same_steps(a, b),
       "sums of more than 24 bits, which are rounded after other products of K");
  tell(a.rounding == b.rounding && a.output == b.output && a.result == b.result,
       "sums that their format cannot hold, which round to different sides or lengths");
  tell(a.addend == b.addend, "a C with bits far below the products, or far above");
  tell(x.unread_bits == y.unread_bits && x.a == y.a && x.b == y.b,
       "elements that the formats of their operands hold differently");
  tell(x.block == y.block && x.scale == y.scale && a.scales == b.scales,
       "scales that differ from block to block, up to where an element times its scale is no FP32 "
       "number");
  tell(a.inputs == b.inputs && a.results == b.results, "subnormal operands and results");
  tell(has_same_zeros(a, b),
       "zeros among tiny products: all below 2^" + std::to_string(zero_exponent(a, b)));
  tell(a.zero_result == b.zero_result, "-0 alone, and negative sums that round to zero");
  tell(a.factors == b.factors, "subnormal elements beside a far larger sum");
  tell(a.large == b.large, "products of 2^128 and more");
  tell(a.nan_code == b.nan_code, "a NaN");
  return data;
}

}  // namespace golden::validator
