// SPDX-License-Identifier: Apache-2.0
// mx/dot/steps.h: a dot product as a sequence of steps: which products each takes, where scales and
// C enter, how the steps become one number.
// Source: arXiv 2511.10909 (chains of fused dot-product-adds, groups under scales, FTZ-AddMul's
// pairs). Open choices: D-034 (two steps for FP8), D-037 (K that is not a multiple of a step).
#pragma once
#include <cstddef>
#include <cstdint>

#include "mx/dot/step_sum.h"

namespace mx {

/// Codes at equal distances.
template <class Code>
struct strided {
  const Code* first = nullptr;
  std::ptrdiff_t stride = 1;

  [[nodiscard]] MX_HD constexpr std::uint32_t operator[](int i) const noexcept {
    return static_cast<std::uint32_t>(first[i * stride]);
  }
};

/// One vector: an element a code, and a scale for every block of the model.
///   scales  may be empty: all scales are 1
template <class Code, class Scale = std::uint8_t>
struct dot_operand {
  strided<Code> codes;
  strided<Scale> scales = {};
};

/// The addition of C, or of two partial sums: exact and rounded to nearest even.
[[nodiscard]] MX_HD constexpr accumulation addition_of(accumulation how) noexcept {
  how.alignment = alignment::exact;
  how.output = how.result;
  how.rounding = rounding::ties_to_even;
  return how;
}

/// The k of one product, or of those of a group: [first, last].
struct term_place {
  int first = 0, last = 0;

  friend constexpr bool operator==(const term_place&, const term_place&) = default;
};

/// The place of term number `term` among the `count` terms of a recorded step.
///   first_k  the record's; not no_products
///   returns  a place of K or more for a zero that fills the step
[[nodiscard]] constexpr term_place place_of(const accumulation& how, int first_k, int count,
                                            int term) noexcept {
  if (how.group > 1) {
    const int first = first_k + term * how.group;
    return {first, first + how.group - 1};
  }
  int i = term;
  if (how.parity == parity::even_and_odd) {
    const int even = (count + 1) / 2;  // they come first
    i = term < even ? 2 * term : 2 * (term - even) + 1;
  }
  if (how.order == step_order::pairs_of_four) {
    const int within = first_k % how.span;
    i += i / 2 * 2 + (within == 0 ? 0 : 2) - within;
  }
  return {first_k + i, first_k + i};
}

/// A dot product in progress.
///   A, B  dot_operand
template <class A, class B, class Observer>
class dot_steps {
 public:
  MX_HD constexpr dot_steps(const dot_model& model, const A& a, const B& b, int k,
                            Observer& observer) noexcept
      : model_(model), a_(a), b_(b), k_(k), size_(step_size()), observer_(observer) {}

  [[nodiscard]] MX_HD constexpr std::uint32_t plus(std::uint32_t c) const noexcept {
    if (k_ == 0) return without_products(c);
    std::uint32_t sum = entering(c);
    if (model_.sum.addend == addend::every_step) {
      for (int first = 0; first < k_; first += size_) sum = step(first, 0, true, sum);
      return sum;
    }
    const int span = model_.sum.span > 0 ? model_.sum.span : k_;
    for (int first = 0; first < k_; first += span) sum = added(sum, span_sum(first, span));
    return sum;
  }

 private:
  [[nodiscard]] MX_HD constexpr std::uint32_t without_products(std::uint32_t c) const noexcept {
    if (model_.sum.c_format == c_format::of_result) return c;
    return rounded_code(model_.sum, decode(format_of_c(model_.sum), c));
  }

  /// C, or the result of the steps before.
  [[nodiscard]] MX_HD constexpr factor addend_at(int k, std::uint32_t c) const noexcept {
    const bool is_c = k == 0 && model_.sum.addend == addend::every_step;
    return is_c ? factor_of(format_of_c(model_.sum), c) : factor_of(model_.sum.result, c);
  }

  /// Products a step adds at once.
  [[nodiscard]] MX_HD constexpr int step_size() const noexcept {
    if (model_.sum.fused == accumulation::all_of_k) return k_;
    if (model_.sum.fused == accumulation::one_block) return has_scales() ? model_.block : 1;
    return model_.sum.fused;
  }

  [[nodiscard]] MX_HD constexpr std::uint32_t entering(std::uint32_t c) const noexcept {
    const format f = format_of_c(model_.sum);
    const bool flushes = model_.sum.inputs == subnormals::flushed;
    return flushes && (c & f.magnitude_mask()) >> f.fraction_bits == 0 ? 0 : c;
  }

  /// The steps from `first` on without C.
  [[nodiscard]] MX_HD constexpr std::uint32_t span_sum(int first, int span) const noexcept {
    if (model_.sum.joining == joining::pairwise) return pairwise_sum(first, span);
    std::uint32_t sum = 0;
    for (int i = 0; i * size_ < span; ++i) sum = step(first, i, true, sum);
    return sum;
  }

  /// Adjacent results are added as soon as both exist: bit i of `done` is set while a sum of 2^i
  /// results is pending. The sums pending at the end are the odd ones that pass up.
  [[nodiscard]] MX_HD constexpr std::uint32_t pairwise_sum(int first, int span) const noexcept {
    std::uint32_t waiting[32] = {};
    int depth = 0;
    for (int done = 0; done * size_ < span; ++done) {
      std::uint32_t sum = step(first, done, false, 0);
      for (int bit = 0; (done >> bit & 1) != 0; ++bit) sum = added(waiting[--depth], sum);
      waiting[depth++] = sum;
    }
    std::uint32_t sum = waiting[--depth];
    while (depth > 0) sum = added(waiting[--depth], sum);
    return sum;
  }

  /// x + y, both codes of the result.
  [[nodiscard]] MX_HD constexpr std::uint32_t added(std::uint32_t x,
                                                    std::uint32_t y) const noexcept {
    const accumulation how = addition_of(model_.sum);
    step_sum<Observer> sum(how, observer_);
    if constexpr (Observer::active) observer_.begin(step_record::no_products);
    const factor term = factor_of(how.result, y);
    sum.see(term.value);
    sum.add(term.value, term.exponent);
    return sum.result_with(x);
  }

  /// Step number `number` of the span that begins at `first`.
  [[nodiscard]] MX_HD constexpr std::uint32_t step(int first, int number, bool with_c,
                                                   std::uint32_t c) const noexcept {
    step_sum<Observer> sum(model_.sum, observer_);
    if constexpr (Observer::active) observer_.begin(first + number * size_);
    if (model_.sum.group > 1) {
      add_groups(sum, first + number * size_);
    } else {
      add_products(sum, first, number);
    }
    return with_c ? sum.result_with(addend_at(first + number * size_, c)) : sum.result();
  }

  /// The k of product i of a step.
  [[nodiscard]] MX_HD constexpr int index_of(int first, int number, int i) const noexcept {
    if (model_.sum.order == step_order::ascending) return first + number * size_ + i;
    return first + (i / 2) * 4 + number * 2 + i % 2;
  }

  [[nodiscard]] MX_HD constexpr bool has_scales() const noexcept {
    return model_.block > 0 && a_.scales.first != nullptr && b_.scales.first != nullptr;
  }

  MX_HD constexpr void add_products(step_sum<Observer>& sum, int first, int number) const noexcept {
    const bool scaled = has_scales();
    factor scale_a = unit_factor(), scale_b = unit_factor();
    int block = -1;
    for (int i = 0; i < size_; ++i) {
      const int at = index_of(first, number, i);
      if (at >= k_) {
        if (model_.sum.tail == tail::zeros) add_zero(sum);
        continue;
      }
      if (scaled && at / model_.block != block) {
        block = at / model_.block;
        scale_a = scale_at(a_, block);
        scale_b = scale_at(b_, block);
      }
      add_product(sum, factor_of(model_, model_.a, a_.codes[at]),
                  factor_of(model_, model_.b, b_.codes[at]), scale_a, scale_b);
    }
  }

  MX_HD constexpr void add_product(step_sum<Observer>& sum, const factor& a, const factor& b,
                                   const factor& scale_a, const factor& scale_b) const noexcept {
    const factor bare = product_of(a, b);
    sum.see(bare.value);
    const factor scaled =
        model_.sum.scales == scale_position::on_operand && has_scales()
            ? product_of(dequantized_factor(a, scale_a), dequantized_factor(b, scale_b))
            : product_of(bare, product_of(scale_a, scale_b));
    sum.add(scaled.value, scaled.exponent);
  }

  /// Only FP32 scales have an Inf, which stems from an overflow elsewhere: NaN, as everywhere
  /// (D-040).
  template <class Operand>
  [[nodiscard]] MX_HD constexpr factor scale_at(const Operand& operand, int block) const noexcept {
    factor scale = factor_of(model_.scale, operand.scales[block]);
    if (scale.value.kind == kind::infinite) scale.value.kind = kind::nan;
    return scale;
  }

  MX_HD constexpr void add_zero(step_sum<Observer>& sum) const noexcept {
    sum.see({});
    sum.add({}, no_exponent);
  }

  MX_HD constexpr void add_groups(step_sum<Observer>& sum, int first) const noexcept {
    const int group = model_.sum.group;
    const integer_codes integers_a(model_.a), integers_b(model_.b);
    for (int at = first; at < first + size_; at += group) {
      if (at >= k_) {
        add_zero(sum);
        continue;
      }
      factor scale = unit_factor();
      if (has_scales()) {
        const int block = at / model_.block;
        scale = product_of(scale_at(a_, block), scale_at(b_, block));
      }
      add_group(sum, integers_a, integers_b, at, at + group < k_ ? at + group : k_, scale);
      if (at + group > k_) sum.see({});
    }
  }

  /// The exact sum of products from `at` to `end`, times their scales: a NaN scale makes zeros NaN
  /// too.
  MX_HD constexpr void add_group(step_sum<Observer>& sum, const integer_codes& integers_a,
                                 const integer_codes& integers_b, int at, int end,
                                 const factor& scale) const noexcept {
    std::int64_t dot = 0;
    bool all_zero = true;
    for (int i = at; i < end; ++i) {
      const std::uint32_t code_a = a_.codes[i], code_b = b_.codes[i];
      const std::int64_t product = integers_a[code_a] * integers_b[code_b];
      dot += product;
      if (product != 0) {
        all_zero = false;
      } else {
        sum.see_zero(is_negative(model_.a, code_a) != is_negative(model_.b, code_b));
      }
    }
    if (!all_zero) sum.see_nonzero();
    const int unit = integer_unit(model_.a) + integer_unit(model_.b);
    if (dot == 0 && !all_zero && scale.value.kind == kind::finite) {
      sum.add_cancelled_group(scale.exponent);
    } else {
      sum.add(product_of(unpacked_of(dot, unit), scale.value), scale.exponent);
    }
  }

  const dot_model& model_;
  const A& a_;
  const B& b_;
  int k_;
  int size_;
  Observer& observer_;
};

}  // namespace mx
