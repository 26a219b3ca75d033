// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/step_coverage.h: coverage of the decisions in a step of a dot product: alignment,
// the largest exponent, cancellation and carry of the sum, rounding, the result.
#pragma once
#include "mx/dot/accumulation.h"
#include "mx/dot/record.h"
#include "rtl_models/dpi/coverage_bins.h"

namespace hardware {

/// Points; a term is a group, or a product if there are no groups:
///   align    of a term and of C, unless zero: how far its exponent is below the largest one
///            {0, 1, between, F-1, F, F+1, >F+1} x {kept, cut, lost}: all, some, none of it added.
///            F is the number of bits of the window
///   largest  which nonzero term has the largest exponent: C, a term by number, several; or none of
///            them, but a group that cancelled to zero, or zeros alone
///   cancel   bits by which the sum's leading one is below that of the largest aligned term
///   carry    bits by which it is above
///   round    the bits below the result's last bit; nearest: and whether a tie was raised, and a
///            carry propagated into the next binade
///   result   kind and sign. A zero is one of zero terms, of terms that cancelled, of terms lost to
///            the window, or an underflow of the rounding
/// Some bins of `align` are unreachable: a loss if the term's last bit lies in the window (a
/// group of MXFP4 has two bits below its exponent, C has 23), any remainder of C beyond F.
/// `align` and `largest` exist for models with one window for all terms and C.
class step_coverage {
 public:
  step_coverage(const mx::dot_model& model, coverage_bins& bins);

  void sample(const mx::step_record& step, coverage_bins& bins) const;

 private:
  void sample_alignment(const mx::step_record& step, coverage_bins& bins) const;
  void sample_largest(const mx::step_record& step, coverage_bins& bins) const;
  void sample_leading_bits(const mx::step_record& step, coverage_bins& bins) const;
  void sample_rounding(const mx::step_record& step, coverage_bins& bins) const;
  void sample_result(const mx::step_record& step, coverage_bins& bins) const;

  [[nodiscard]] bool has_window() const;
  [[nodiscard]] bool is_to_nearest() const;
  [[nodiscard]] int terms() const;
  [[nodiscard]] int alignment_label(const mx::term_record& term, int largest) const;
  [[nodiscard]] bool is_cancelled(const mx::term_record& term) const;
  [[nodiscard]] int zero_label(const mx::step_record& step) const;
  [[nodiscard]] int result_label_of(const mx::step_record& step) const;

  mx::dot_model model_;
  int align_terms_ = 0, align_c_ = 0, largest_ = 0, cancel_, carry_, round_, result_;
};

}  // namespace hardware
