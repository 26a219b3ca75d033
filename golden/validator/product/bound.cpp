// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/bound.cpp: how far an element of a product may be from the exact one.
#include "bound.h"

#include <algorithm>

#include "mx/number/element.h"

namespace golden::validator {
namespace {

/// Relative error of rounding to a format.
upper_bound relative(const mx::format& f, mx::rounding how) {
  return upper_bound::power_of_two(how == mx::rounding::toward_zero ? -f.fraction_bits
                                                                    : -f.fraction_bits - 1);
}

upper_bound count(std::uint64_t n) { return {n, 0}; }
upper_bound one() { return {1, 0}; }

/// One unit in the last place of subnormals: an upper bound of the loss of any rounding among them,
/// including the cut of a late stage, 2^(emin - sum_bits).
upper_bound subnormal_unit(const mx::format& f) {
  return upper_bound::power_of_two(f.emin() - f.fraction_bits);
}

/// G of X; no value for X above 16.
std::optional<upper_bound> growth(const upper_bound& x) {
  if (x.is_zero()) return x;
  if (x <= one()) return x + x * x;
  if (!(x <= count(16))) return {};
  std::uint64_t whole = 2;
  while (!(x <= count(whole))) ++whole;
  return upper_bound::power_of_two(static_cast<int>((3 * whole + 1) / 2));
}

upper_bound largest_number(const mx::format& f) {
  return {f.max_significand(), f.emax() - f.fraction_bits};
}

/// Running bounds of an element: of its error, and of its magnitude.
struct reach {
  upper_bound error, magnitude;
  bool overflows = false;

  void expect_in(const mx::format& f) {
    overflows = overflows || !(magnitude <= largest_number(f));
  }
  /// One rounding of a value within `magnitude`.
  void round(const upper_bound& rho, const upper_bound& absolute) {
    const upper_bound lost = rho * magnitude + absolute;
    error = error + lost;
    magnitude = magnitude + lost;
  }
};

/// The sum of the terms and C under a model.
class sum_bound {
 public:
  sum_bound(const mx::gemm_plan& plan, std::int64_t k, const product_terms& terms,
            const mx::unpacked& c)
      : how_(plan.model.sum), terms_(terms), counts_(counts_of(plan, k)) {
    total_ = upper_bound::of(terms.positive.value()) + upper_bound::of(terms.negative.value()) +
             upper_bound::of(c);
  }

  [[nodiscard]] std::optional<reach> result() const {
    const upper_bound additions =
        count(counts_.add_depth) * relative(how_.result, mx::rounding::ties_to_even);
    const upper_bound steps = count(counts_.step_depth) * step_rho();
    const std::optional<upper_bound> g = growth(steps + additions);
    const std::optional<upper_bound> g_most = growth(steps_grow() ? steps + additions : additions);
    if (!g || !g_most) return {};
    int exponent = lowest_window();
    // Each turn raises E to the floor of a logarithm; if that never settles, there is no bound.
    for (int turn = 0; turn < 64; ++turn) {
      const upper_bound most = (one() + *g_most) * (total_ + growing(exponent));
      const int needed = most.is_zero() ? exponent : std::max(exponent, most.floor_log2());
      if (needed == exponent) {
        return settled(*g * total_ + (one() + *g) * (cut(exponent) + rounded()), most);
      }
      exponent = needed;
    }
    return {};
  }

 private:
  [[nodiscard]] reach settled(const upper_bound& error, const upper_bound& most) const {
    reach r{error, most};
    r.expect_in(how_.output);
    r.expect_in(how_.result);
    return r;
  }

  [[nodiscard]] bool is_late() const { return how_.late.dot_bits != 0; }

  /// A late stage cuts sum_bits below the binade, before the rounding.
  [[nodiscard]] upper_bound step_rho() const {
    const upper_bound rho = relative(how_.output, how_.rounding);
    return is_late() ? rho + upper_bound::power_of_two(-how_.late.sum_bits) : rho;
  }

  /// E before intermediates are known.
  [[nodiscard]] int lowest_window() const {
    int exponent = std::max(terms_.largest_exponent, how_.result.emin());
    if (how_.zeros != mx::zero_term::ignored) exponent = std::max(exponent, how_.zero_exponent);
    return exponent;
  }

  [[nodiscard]] int window_bits() const {
    if (!is_late()) return how_.fraction_bits;
    return std::min({how_.fraction_bits, how_.late.addend_bits, how_.late.dot_bits});
  }

  /// Cuts in all windows: of terms, in each step of C (also where C is dropped as far below), of a
  /// sticky bit, of the products' sum where it meets a late C, and of the sums of both parities.
  [[nodiscard]] std::uint64_t cuts(int exponent) const {
    if (how_.alignment == mx::alignment::exact) return 0;
    const bool terms = terms_.lowest_unit < exponent - window_bits();
    const std::uint64_t each = 1 + (how_.lost == mx::lost_bits::sticky ? 1U : 0U) +
                               (is_late() ? 1U : 0U) +
                               (how_.parity == mx::parity::even_and_odd ? 2U : 0U);
    return (terms ? static_cast<std::uint64_t>(terms_.count) : 0) + each * counts_.steps;
  }

  /// Whether the rounding of a step, or a cut, may increase a magnitude.
  [[nodiscard]] bool steps_grow() const { return how_.rounding != mx::rounding::toward_zero; }
  [[nodiscard]] bool cuts_grow() const {
    return how_.cut != mx::cut::toward_zero || how_.lost != mx::lost_bits::dropped || is_late();
  }

  /// The part of H due to cuts.
  [[nodiscard]] upper_bound cut(int exponent) const {
    return count(cuts(exponent)) * upper_bound::power_of_two(exponent - window_bits());
  }

  /// The part of H due to subnormals, and to C where it is flushed.
  [[nodiscard]] upper_bound rounded() const {
    const bool flushes = how_.results == mx::subnormals::flushed;
    const upper_bound least = upper_bound::power_of_two(how_.result.emin());
    upper_bound lost = count(counts_.steps) * (flushes ? least : subnormal_unit(how_.output));
    if (flushes) lost = lost + count(counts_.additions) * least;
    return how_.inputs == mx::subnormals::flushed ? lost + least : lost;
  }

  /// H'
  [[nodiscard]] upper_bound growing(int exponent) const {
    const upper_bound lost = steps_grow() ? rounded() : upper_bound{};
    return cuts_grow() ? lost + cut(exponent) : lost;
  }

  const mx::accumulation& how_;
  const product_terms& terms_;
  operation_counts counts_;
  upper_bound total_;
};

/// The steps after the sum (mx/dot/gemm.h, finished): alpha, C, the output.
void finish(const mx::gemm_plan& p, const mx::unpacked& c, reach& r) {
  using mx::formats::binary32;
  if (mx::is_sum(p)) return;
  const upper_bound nearest32 = relative(binary32, mx::rounding::ties_to_even);
  if (p.alpha != 1) {
    const upper_bound alpha = upper_bound::of(mx::unpack(p.alpha));
    r.error = alpha * r.error;
    r.magnitude = alpha * r.magnitude;
    r.round(nearest32, subnormal_unit(binary32));
    r.expect_in(binary32);
  }
  if (p.c_entry == mx::c_entry::epilogue) {
    r.magnitude = r.magnitude + upper_bound::of(c);
    r.round(nearest32, {});  // sums of FP32 numbers are exact among subnormals
    r.expect_in(binary32);
  }
  if (p.output == binary32) return;
  r.round(relative(p.output, p.output_rounding), subnormal_unit(p.output));
  r.expect_in(p.output);
}

}  // namespace

std::optional<element_bound> bound_of(const mx::gemm_plan& plan, std::int64_t k,
                                      const product_terms& terms, const mx::unpacked& c) {
  if (mx::unpack(plan.alpha).is_special()) return {};
  const bool first = plan.c_entry == mx::c_entry::first_step;
  std::optional<reach> r = sum_bound(plan, k, terms, first ? c : mx::unpacked{}).result();
  if (!r) return {};
  finish(plan, c, *r);
  return element_bound{
      r->error, r->overflows ? element_bound::range::may_overflow : element_bound::range::finite};
}

}  // namespace golden::validator
