// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/record_test.cpp: mx/dot/record.h: the record given to an observer adds up to the result.
#include <random>
#include <vector>

#include "catch.h"
#include "golden/reference/rational.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace {

using golden::rational;
using codes = std::vector<std::uint32_t>;

rational value_of(const mx::unpacked& x) {
  if (x.is_zero()) return 0;
  const rational magnitude = rational(x.significand) * golden::power_of_two(x.exponent);
  return x.negative ? rational(-magnitude) : magnitude;
}

struct word {
  codes a, b, scale_a, scale_b;
  std::uint32_t c;
};

word random_word(const mx::dot_model& m, std::mt19937& random) {
  word w;
  const auto code = [&random](const mx::format& f) {
    return static_cast<std::uint32_t>(random() % (f.max_code() + 1));
  };
  for (int i = 0; i < 64; ++i) {
    w.a.push_back((code(m.a) | (random() % 2 == 0 ? m.a.sign_mask() : 0)) << m.unread_bits);
    w.b.push_back(code(m.b) << m.unread_bits);
  }
  for (int i = 0; i < 64; ++i) {
    w.scale_a.push_back(m.scale == mx::formats::e8m0 ? 110 + random() % 30 : code(m.scale));
    w.scale_b.push_back(m.scale == mx::formats::e8m0 ? 110 + random() % 30 : code(m.scale));
  }
  w.c = code(m.sum.result);
  return w;
}

mx::step_observer observed(const mx::dot_model& m, const word& w, int k, int step) {
  mx::step_observer observer;
  observer.wanted = step;
  const mx::dot_operand<std::uint32_t, std::uint32_t> a{{w.a.data()}, {w.scale_a.data()}};
  const mx::dot_operand<std::uint32_t, std::uint32_t> b{{w.b.data()}, {w.scale_b.data()}};
  const std::uint32_t result = mx::dot_observed(m, a, b, k, w.c, observer);
  CHECK(result == mx::dot(m, a, b, k, w.c));
  return observer;
}

/// Aligned terms and their truncated parts add up to the exact terms.
void check_term(const mx::term_record& t) {
  CHECK(value_of(t.aligned) + value_of(t.lost) == value_of(t.exact));
  CHECK((t.why == mx::loss::nothing) == t.lost.is_zero());
  CHECK((t.why == mx::loss::outside_window) == (!t.lost.is_zero() && t.aligned.is_zero()));
}

TEST_CASE("records_of_windows_add_up_to_the_sum_and_the_result") {
  std::mt19937 random(3);
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.sum.alignment == mx::alignment::exact || m.sum.late.dot_bits != 0 ||
        m.sum.addend == mx::addend::after_span || m.sum.lost == mx::lost_bits::sticky) {
      continue;
    }
    for (int i = 0; i < 10; ++i) {
      const word w = random_word(m, random);
      const mx::step_record r = observed(m, w, m.sum.fused, 0).record;
      CAPTURE(entry.name, i);
      if (r.why == mx::loss::special) continue;
      CHECK(r.count == m.sum.fused / m.sum.group);
      CHECK(r.window_unit == r.largest_exponent - m.sum.fraction_bits);
      rational sum = value_of(r.addend.aligned);
      check_term(r.addend);
      for (int t = 0; t < r.count; ++t) {
        check_term(r.terms[t]);
        CHECK(r.terms[t].exponent <= r.largest_exponent);
        sum += value_of(r.terms[t].aligned);
      }
      CHECK(sum == value_of(r.sum));
      if (m.sum.rounding != mx::rounding::toward_zero || r.why == mx::loss::overflowed) continue;
      CHECK(value_of(r.sum) - value_of(r.discarded) ==
            value_of(mx::decode(m.sum.result, r.result)));
      CHECK((r.why == mx::loss::rounded) == !r.discarded.is_zero());
    }
  }
}

TEST_CASE("every_step_can_be_seen_and_the_last_one_gives_the_result") {
  std::mt19937 random(4);
  const mx::dot_model& m = mx::model_named("ampere.mma.f16.f32")->model;
  const word w = random_word(m, random);
  CHECK(observed(m, w, 64, 0).steps == 8);
  for (int step = 0; step < 8; ++step) {
    const mx::step_record r = observed(m, w, 64, step).record;
    CHECK(r.first_k == 8 * step);
    CHECK(r.result == mx::dot(m, w.a.data(), w.b.data(), 8 * step + 8, w.c));
  }
}

TEST_CASE("a_step_of_more_terms_than_a_record_holds_keeps_the_first_of_them") {
  const mx::dot_model m =
      mx::with_scales(mx::model_named("exact.rne")->model, mx::formats::e8m0, 0);
  const codes ones(100, 2);
  const mx::dot_operand<std::uint32_t> a{{ones.data()}};
  mx::step_observer observer;
  CHECK(mx::float_of(mx::dot_observed(m, a, a, 100, 0, observer)) == 100.0F);
  CHECK(observer.record.count == mx::step_record::max_terms);
  CHECK(value_of(observer.record.sum) == 100);
}

/// The record of the only step over 16-bit operands.
mx::step_record record_of(std::string_view name, const codes& a, const codes& b, std::uint32_t c) {
  mx::step_observer observer;
  const mx::dot_operand<std::uint32_t> x{{a.data()}}, y{{b.data()}};
  (void)mx::dot_observed(mx::model_named(name)->model, x, y, static_cast<int>(a.size()), c,
                         observer);
  return observer.record;
}

TEST_CASE("a_record_says_why_a_result_is_not_its_sum") {
  const auto why = [](std::string_view name, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return record_of(name, {a}, {b}, c).why;
  };
  CHECK(why("hopper.mma.f16.f32", 0x3C00, 0x3C00, 0) == mx::loss::nothing);
  CHECK(why("hopper.mma.f16.f32", 0x3C00, 0x3C00, 0x33800000) == mx::loss::rounded);
  CHECK(why("hopper.mma.f16.f16", 0x7BFF, 0x7BFF, 0) == mx::loss::overflowed);
  CHECK(why("hopper.mma.f16.f16", 0x7C00, 0x3C00, 0) == mx::loss::special);
  mx::dot_model m = mx::model_named("hopper.mma.bf16.f32")->model;
  m.sum.results = mx::subnormals::flushed;
  mx::step_observer observer;
  const codes tiny(1, (127 - 64) << 7);
  const mx::dot_operand<std::uint32_t> x{{tiny.data()}};
  CHECK(mx::dot_observed(m, x, x, 1, 0, observer) == 0);
  CHECK(observer.record.why == mx::loss::flushed);
}

TEST_CASE("a_far_addend_and_what_late_stages_cut_are_told") {
  // CDNA3 in FP8: -1 at an even k, C = 2^-60.
  const mx::step_record far = record_of("cdna3.mfma.e5m2fnuz.f32", {0xC0}, {0x40}, 0x21800000);
  CHECK(far.addend.why == mx::loss::far_addend);
  CHECK(value_of(far.addend.lost) == golden::power_of_two(-60));
  CHECK(far.addend.aligned.is_zero());
  CHECK(far.count == 16);
  CHECK(value_of(far.terms[0].exact) == -1);
  // FP16: products 2^-24 under C = 2^10 lose their bits below 2^-22.
  const mx::step_record late = record_of("cdna3.mfma.f16.f32", {0x0001}, {0x3C00}, 0x44800000);
  CHECK(value_of(late.late[0]) == golden::power_of_two(-24));
  CHECK(late.late[1].is_zero());
  CHECK(late.addend.why == mx::loss::nothing);
  CHECK(late.count == 8);
  CHECK(value_of(late.terms[0].exact) == golden::power_of_two(-24));
}

}  // namespace
