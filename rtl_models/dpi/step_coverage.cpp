// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/step_coverage.cpp: coverage of the decisions in a step of a dot product.
#include "rtl_models/dpi/step_coverage.h"

#include <algorithm>

#include "mx/dot/alignment.h"
#include "mx/dot/product.h"

namespace hardware {
namespace {

using labels = std::vector<std::string>;

const labels& distance_labels() {
  static const labels names{"0", "1", "between", "F-1", "F", "F+1", ">F+1"};
  return names;
}
const labels& loss_labels() {
  static const labels names{"kept", "cut", "lost"};
  return names;
}
const labels& cancel_labels() {
  static const labels names{"none", "1", "2", "3_to_11", "12_to_23", "24_and_more", "to_zero"};
  return names;
}
const labels& carry_labels() {
  static const labels names{"none", "1", "2_and_more"};
  return names;
}

/// The first four are the same in both lists.
const labels& truncation_labels() {
  static const labels names{"exact", "below_half", "half", "above_half"};
  return names;
}
const labels& nearest_labels() {
  static const labels names{"exact",      "below_half", "tie_kept",
                            "above_half", "tie_raised", "into_next_binade"};
  return names;
}
constexpr int round_exact = 0, round_below = 1, round_half = 2, round_above = 3, round_raised = 4,
              round_next_binade = 5;

enum result_label {
  normal,
  subnormal = 2,
  overflow = 4,
  infinity = 6,
  underflow = 8,
  zero_of_zeros = 10,
  zero_cancelled = 12,
  nan,
  zero_lost
};
labels result_labels(const mx::accumulation& how) {
  labels all =
      crossed({"normal", "subnormal", "overflow", "infinity", "underflow", "zero_of_zeros"},
              {"positive", "negative"});
  all.insert(all.end(), {"zero_cancelled", "nan"});
  if (how.alignment == mx::alignment::window) all.emplace_back("zero_lost");
  return all;
}

int distance_label(int distance, int window) {
  if (distance <= 1) return distance;
  if (distance < window - 1) return 2;
  return std::min(3 + distance - (window - 1), 6);
}

/// Visits products, then C.
template <class Visit>
void for_each_term(const mx::step_record& step, const Visit& visit) {
  for (int i = 0; i < step.count; ++i) visit(step.terms[i]);
  visit(step.addend);
}

template <class Predicate>
bool any_term(const mx::step_record& step, const Predicate& predicate) {
  bool any = false;
  for_each_term(step, [&](const mx::term_record& term) { any = any || predicate(term); });
  return any;
}

/// Bits of the sum above the largest aligned term; negative if it cancelled.
int growth(const mx::step_record& step) {
  int largest = mx::no_exponent;
  for_each_term(step, [&](const mx::term_record& term) {
    if (!term.aligned.is_zero()) largest = std::max(largest, term.aligned.floor_log2());
  });
  return step.sum.floor_log2() - largest;
}

int cancel_label(int depth) {
  if (depth <= 0) return 0;
  if (depth <= 2) return depth;
  return depth < 12 ? 3 : (depth < 24 ? 4 : 5);
}
constexpr int cancelled_to_zero = 6;

/// Exponent of the last bit of a result of this magnitude.
int last_bit(const mx::format& out, const mx::unpacked& sum) {
  return std::max(sum.floor_log2(), out.emin()) - out.fraction_bits;
}

/// The discarded part compared with half of the last bit; a tie is round_half.
int discarded_label(const mx::unpacked& discarded, int last) {
  if (discarded.is_zero()) return round_exact;
  const int order = mx::compare_magnitudes(discarded, mx::unpacked::positive(1, last - 1));
  return order < 0 ? round_below : (order > 0 ? round_above : round_half);
}

}  // namespace

step_coverage::step_coverage(const mx::dot_model& model, coverage_bins& bins) : model_(model) {
  if (has_window()) {
    const std::string term = model.sum.group > 1 ? "group" : "product";
    const labels alignments = crossed(distance_labels(), loss_labels());
    align_terms_ = bins.add_point("align." + term, alignments);
    align_c_ = bins.add_point("align.c", alignments);
    labels holders{"c", "zeros", "several"};
    for (int i = 0; i < terms(); ++i) holders.push_back(term + "_" + std::to_string(i));
    if (model.sum.group > 1) holders.emplace_back("cancelled_group");
    largest_ = bins.add_point("largest", holders);
  }
  cancel_ = bins.add_point("cancel", cancel_labels());
  carry_ = bins.add_point("carry", carry_labels());
  round_ = bins.add_point("round", is_to_nearest() ? nearest_labels() : truncation_labels());
  result_ = bins.add_point("result", result_labels(model.sum));
}

void step_coverage::sample(const mx::step_record& step, coverage_bins& bins) const {
  sample_result(step, bins);
  if (step.sum.is_special()) return;
  if (has_window()) {
    sample_alignment(step, bins);
    sample_largest(step, bins);
  }
  sample_leading_bits(step, bins);
  if (!step.sum.is_zero() && step.why != mx::loss::overflowed) sample_rounding(step, bins);
}

bool step_coverage::has_window() const {
  const mx::accumulation& how = model_.sum;
  return how.alignment == mx::alignment::window && how.late.dot_bits == 0 &&
         how.parity == mx::parity::together;
}

bool step_coverage::is_to_nearest() const {
  return model_.sum.rounding == mx::rounding::ties_to_even;
}

/// Number of terms of a step that a record stores.
int step_coverage::terms() const {
  const int products = model_.sum.fused > 0 ? model_.sum.fused : mx::step_record::max_terms;
  return std::min(products / model_.sum.group, mx::step_record::max_terms);
}

void step_coverage::sample_alignment(const mx::step_record& step, coverage_bins& bins) const {
  const int largest = step.largest_exponent;
  for (int i = 0; i < step.count; ++i) {
    if (step.terms[i].exact.is_zero()) continue;
    bins.hit(align_terms_ + alignment_label(step.terms[i], largest));
  }
  if (!step.addend.exact.is_zero()) bins.hit(align_c_ + alignment_label(step.addend, largest));
}

int step_coverage::alignment_label(const mx::term_record& term, int largest) const {
  const int distance = distance_label(largest - term.exponent, model_.sum.fraction_bits);
  const int loss = term.lost.is_zero() ? 0 : (term.aligned.is_zero() ? 2 : 1);
  return distance * static_cast<int>(loss_labels().size()) + loss;
}

/// A zero group without a zero product: it is read at its scales' exponent.
bool step_coverage::is_cancelled(const mx::term_record& term) const {
  return model_.sum.group > 1 && term.exact.is_zero() &&
         term.exponent != model_.sum.zero_exponent && term.exponent != mx::no_exponent;
}

void step_coverage::sample_largest(const mx::step_record& step, coverage_bins& bins) const {
  constexpr int of_c = 0, of_zeros = 1, of_several = 2, of_terms = 3;
  const int of_cancelled = of_terms + terms();
  int holders = 0, holder = of_zeros;
  const auto see = [&](const mx::term_record& term, int label) {
    if (term.exponent != step.largest_exponent) return;
    if (!term.exact.is_zero()) {
      holder = label;
      ++holders;
    } else if (holders == 0 && is_cancelled(term)) {
      holder = of_cancelled;
    }
  };
  for (int i = 0; i < step.count; ++i) see(step.terms[i], of_terms + i);
  see(step.addend, of_c);
  bins.hit(largest_ + (holders > 1 ? of_several : holder));
}

void step_coverage::sample_leading_bits(const mx::step_record& step, coverage_bins& bins) const {
  if (!any_term(step, [](const mx::term_record& term) { return !term.aligned.is_zero(); })) return;
  if (step.sum.is_zero()) {
    bins.hit(cancel_ + cancelled_to_zero);
    return;
  }
  const int above = growth(step);
  bins.hit(cancel_ + cancel_label(-above));
  bins.hit(carry_ + std::clamp(above, 0, 2));
}

void step_coverage::sample_rounding(const mx::step_record& step, coverage_bins& bins) const {
  const int last = last_bit(model_.sum.output, step.sum);
  const int label = discarded_label(step.discarded, last);
  if (!is_to_nearest()) {
    bins.hit(round_ + label);
    return;
  }
  // A tie goes to the even significand: up if the one below is odd.
  const bool raised = label == round_half && (mx::cut_magnitude(step.sum, last) & 1) != 0;
  bins.hit(round_ + (raised ? round_raised : label));
  const mx::unpacked result = mx::decode(model_.sum.result, step.result);
  if (!result.is_zero() && result.floor_log2() > step.sum.floor_log2()) {
    bins.hit(round_ + round_next_binade);
  }
}

void step_coverage::sample_result(const mx::step_record& step, coverage_bins& bins) const {
  bins.hit(result_ + result_label_of(step));
}

int step_coverage::result_label_of(const mx::step_record& step) const {
  const mx::format& f = model_.sum.result;
  const mx::unpacked value = mx::decode(f, step.result);
  // The sum's sign if the result is zero: in some models no zero result is negative.
  const bool negative = value.is_zero() ? step.sum.negative : mx::is_negative(f, step.result);
  const int sign = negative ? 1 : 0;
  if (value.kind == mx::kind::nan) return nan;
  if (step.sum.kind == mx::kind::infinite) return infinity + sign;
  if (value.kind == mx::kind::infinite) return overflow + sign;
  if (step.sum.is_zero()) return zero_label(step) + (zero_label(step) == zero_of_zeros ? sign : 0);
  if (value.is_zero()) return underflow + sign;
  return (value.floor_log2() < f.emin() ? subnormal : normal) + sign;
}

int step_coverage::zero_label(const mx::step_record& step) const {
  const auto is_aligned = [](const mx::term_record& term) { return !term.aligned.is_zero(); };
  const auto is_nonzero = [](const mx::term_record& term) { return !term.exact.is_zero(); };
  if (any_term(step, is_aligned)) return zero_cancelled;
  if (any_term(step, is_nonzero)) return zero_lost;
  const auto cancelled = [this](const mx::term_record& term) { return is_cancelled(term); };
  return any_term(step, cancelled) ? zero_cancelled : zero_of_zeros;
}

}  // namespace hardware
