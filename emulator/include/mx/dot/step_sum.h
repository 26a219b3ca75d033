// SPDX-License-Identifier: Apache-2.0
// mx/dot/step_sum.h: one step of a dot product: its products and C become one number, rounded once.
// Source: arXiv 2511.10909 (the algorithms named in mx/dot/accumulation.h). Open choices: D-030
// (NaN, signs of zeros), D-045 (zero results), D-033 (overflow), D-035 (late addend).
#pragma once
#include "mx/dot/accumulator.h"
#include "mx/dot/alignment.h"
#include "mx/dot/product.h"

namespace mx {

/// The code of an exact or aligned sum.
///   sum     as encode takes it; a zero has the sign of its terms
[[nodiscard]] MX_HD constexpr std::uint32_t rounded_code(const accumulation& how,
                                                         const unpacked& sum) noexcept {
  if (sum.kind == kind::nan) return how.nan_code;
  const format& out = how.output;
  std::uint32_t code = encode(out, sum, how.rounding, overflow::to_infinity);
  const bool subnormal = (code & out.magnitude_mask()) >> out.fraction_bits == 0;
  if (how.results == subnormals::flushed && subnormal) code &= out.sign_mask();
  if (how.zero_result == zero_result::plus && (code & out.magnitude_mask()) == 0) return 0;
  return code << (how.result.width() - out.width());
}

/// sum with one more bit that is far below its last.
///   sum  finite, significand below 2^61
[[nodiscard]] MX_HD constexpr unpacked with_sticky_bit(const unpacked& sum) noexcept {
  const int room = 62 - bit_width(sum.significand);
  return unpacked::finite(sum.negative, (sum.significand << room) | 1, sum.exponent - room);
}

/// The bits of a sum below the last one of its result.
[[nodiscard]] MX_HD constexpr unpacked discarded_bits(const format& out,
                                                      const unpacked& sum) noexcept {
  if (sum.kind != kind::finite) return {};
  const int binade = larger_of(sum.floor_log2(), out.emin());
  const auto significand = with_sign(sum.negative, sum.significand);
  return unpacked_of(bits_below(significand, binade - out.fraction_bits - sum.exponent),
                     sum.exponent);
}

/// Collects the products of one step, then gives the code of their sum.
template <class Observer>
class step_sum {
 public:
  MX_HD constexpr step_sum(const accumulation& how, Observer& observer) noexcept
      : how_(how), observer_(observer) {}

  /// Products that are summed in a group decide about Inf, NaN and zeros one by one.
  MX_HD constexpr void see(const unpacked& product) noexcept { kinds_.see(product); }
  MX_HD constexpr void see_zero(bool negative) noexcept { kinds_.see_zero(negative); }
  MX_HD constexpr void see_nonzero() noexcept { kinds_.see_nonzero(); }

  /// One product, or the exact sum of a group.
  ///   exponent  by which it is aligned, where it is not zero
  MX_HD constexpr void add(const unpacked& exact, int exponent) noexcept {
    const unpacked value = with_large(how_.large, exact);
    kinds_.see_special(value);
    if (value.is_special()) return;
    if (how_.alignment == alignment::window) {
      push(term_of(how_, value, exponent));
      return;
    }
    exact_.add(value);
    if constexpr (Observer::active) observer_.term({value, value, {}, exponent, loss::nothing});
  }

  /// A group that is zero without a zero product in it is read at its scales' exponent.
  MX_HD constexpr void add_cancelled_group(int exponent) noexcept { push(zero_at(exponent)); }

  /// The code of the sum of products alone.
  [[nodiscard]] MX_HD constexpr std::uint32_t result() noexcept { return finish(nullptr); }

  /// The code of the sum with C.
  [[nodiscard]] MX_HD constexpr std::uint32_t result_with(std::uint32_t c) noexcept {
    return result_with(factor_of(how_.result, c));
  }
  [[nodiscard]] MX_HD constexpr std::uint32_t result_with(const factor& addend) noexcept {
    kinds_.see(addend.value);
    return finish(&addend);
  }

 private:
  MX_HD constexpr void push(const term& t) noexcept { terms_[count_++] = t; }

  [[nodiscard]] MX_HD constexpr std::uint32_t finish(const factor* addend) noexcept {
    const unpacked sum = kinds_.is_special() ? kinds_.special() : sum_with(addend);
    const std::uint32_t code = rounded_code(how_, sum);
    if constexpr (Observer::active) report(sum, code);
    return code;
  }

  [[nodiscard]] MX_HD constexpr unpacked sum_with(const factor* addend) noexcept {
    unpacked sum = how_.alignment == alignment::exact ? exact_with(addend)
                   : how_.late.dot_bits != 0          ? late_with(addend)
                                                      : window_with(addend);
    if (sum.is_zero()) sum.negative = kinds_.only_negative_zeros;
    return sum;
  }

  [[nodiscard]] MX_HD constexpr unpacked exact_with(const factor* addend) noexcept {
    if (addend == nullptr) return exact_.value();
    exact_.add(addend->value);
    if constexpr (Observer::active) {
      observer_.addend({addend->value, addend->value, {}, addend->exponent, loss::nothing});
    }
    return exact_.value();
  }

  [[nodiscard]] MX_HD constexpr unpacked window_with(const factor* addend) noexcept {
    const int products = count_;
    if (addend != nullptr) push(term_of(how_, addend->value, addend->exponent));
    const aligned_sum all = sum_in_window<Observer>(
        how_, terms_, 0, count_, 1,
        [&](int i, const term_record& record) { tell(i < products, record); });
    tell_window(all);
    const unpacked sum = unpacked_of(all.sum, all.unit);
    return all.lost && how_.lost == lost_bits::sticky && !sum.is_zero() ? with_sticky_bit(sum)
                                                                        : sum;
  }

  /// The products' sums of both parities, cut to the larger exponent's window.
  [[nodiscard]] MX_HD constexpr aligned_sum products_sum() noexcept {
    const auto record = [&](int, const term_record& r) { tell(true, r); };
    if (how_.parity == parity::together) {
      return sum_in_window<Observer>(how_, terms_, 0, count_, 1, record);
    }
    const aligned_sum even = sum_in_window<Observer>(how_, terms_, 0, count_, 2, record);
    const aligned_sum odd = sum_in_window<Observer>(how_, terms_, 1, count_, 2, record);
    const bool is_even_high = even.exponent >= odd.exponent;
    const aligned_sum &high = is_even_high ? even : odd, &low = is_even_high ? odd : even;
    return {high.sum + late_cut(0, low.sum, low.unit, high.unit), high.unit, high.exponent,
            even.lost || odd.lost};
  }

  /// x * 2^unit in units of 2^to, cut downward.
  ///   stage  its place in step_record::late
  [[nodiscard]] MX_HD constexpr std::int64_t late_cut(int stage, std::int64_t x, int unit,
                                                      int to) noexcept {
    const std::int64_t kept = shifted(x, to - unit, cut::down);
    if constexpr (Observer::active) observer_.late(stage, cut_off(x, unit, to - unit, kept));
    return kept;
  }

  [[nodiscard]] MX_HD constexpr unpacked late_with(const factor* addend) noexcept {
    const late_addend& late = how_.late;
    const aligned_sum dot = products_sum();
    tell_window(dot);
    const term c =
        addend == nullptr ? zero_at(no_exponent) : term_of(how_, addend->value, addend->exponent);
    const int exponent = larger_of(dot.exponent, c.exponent);
    const int unit = exponent - late.dot_bits;
    const std::int64_t sum =
        late_cut(1, dot.sum, dot.unit, unit) +
        shifted(late_term(c, exponent), late.addend_bits - late.dot_bits, cut::down);
    const unpacked both = unpacked_of(sum, unit);
    const int least = how_.result.emin();
    const int binade = both.is_zero() ? least : larger_of(both.floor_log2(), least);
    const int last = larger_of(binade - late.sum_bits, unit);
    return unpacked_of(late_cut(2, sum, unit, last), last);
  }

  /// C in units of 2^(exponent - addend_bits).
  [[nodiscard]] MX_HD constexpr std::int64_t late_term(const term& c, int exponent) noexcept {
    const int unit = exponent - how_.late.addend_bits;
    const bool far = c.exponent < unit - 1 && how_.late.far == far_addend::zero;
    const std::int64_t aligned = far ? 0 : shifted(c.significand, unit - c.unit, cut::down);
    if constexpr (Observer::active) {
      term_record record = record_of(c, aligned, unit);
      if (far && c.significand != 0) record.why = loss::far_addend;
      observer_.addend(record);
    }
    return aligned;
  }

  MX_HD constexpr void tell(bool is_product, const term_record& record) noexcept {
    if constexpr (Observer::active) is_product ? observer_.term(record) : observer_.addend(record);
  }

  /// Only a window below some term's exponent cuts anything.
  MX_HD constexpr void tell_window(const aligned_sum& sum) noexcept {
    if constexpr (Observer::active) {
      if (sum.exponent != no_exponent) observer_.window(sum.exponent, sum.unit);
    }
  }

  MX_HD constexpr void report(const unpacked& sum, std::uint32_t code) noexcept {
    const unpacked result = decode(how_.result, code);
    const unpacked discarded = discarded_bits(how_.output, sum);
    const bool flushed = how_.results == subnormals::flushed && result.is_zero() && !sum.is_zero();
    const loss why = sum.is_special()       ? loss::special
                     : result.is_special()  ? loss::overflowed
                     : flushed              ? loss::flushed
                     : !discarded.is_zero() ? loss::rounded
                                            : loss::nothing;
    observer_.end(sum, discarded, why, code);
  }

  const accumulation& how_;
  Observer& observer_;
  operand_kinds kinds_;
  exact_sum exact_;
  int count_ = 0;
  term terms_[step_record::max_terms + 1];
};

}  // namespace mx
