// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/record_test.cpp: mx/dot/record.h: the record given to an observer adds up to the
// result.
#include <algorithm>
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

/// What the last of 62 bits may stand for, if it is set.
rational sticky_part(const mx::unpacked& x) {
  const bool sticky = mx::bit_width(x.significand) == 62 && (x.significand & 1) == 1;
  return sticky ? golden::power_of_two(x.exponent) : rational(0);
}

/// Aligned terms and what they lost add up to the exact terms.
void check_term(const mx::term_record& t) {
  const rational error = abs(value_of(t.aligned) + value_of(t.lost) - value_of(t.exact));
  CHECK((error == 0 || error < sticky_part(t.lost)));
  CHECK((t.why == mx::loss::nothing) == t.lost.is_zero());
  const bool whole = t.why == mx::loss::outside_window || t.why == mx::loss::far_addend;
  CHECK(whole == (!t.lost.is_zero() && t.aligned.is_zero()));
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

/// A word whose products of even and odd k, and C, lie up to 60 binades apart.
word apart(const mx::dot_model& m, std::mt19937& random) {
  word w = random_word(m, random);
  const std::size_t small = random() % 2;
  for (codes* line : {&w.a, &w.b}) {
    for (std::size_t i = 0; i < line->size(); ++i) {
      std::uint32_t& code = (*line)[i];
      if (mx::decode(m.a, code >> m.unread_bits).is_special()) code = 1U << m.unread_bits;
      if (i % 2 == small) code &= (m.a.sign_mask() | 3) << m.unread_bits;
    }
  }
  w.c = (random() & 0x807FFFFF) | static_cast<std::uint32_t>(97 + random() % 60) << 23;
  return w;
}

TEST_CASE("records_of_late_addends_add_up_to_the_sum_however_they_are_cut") {
  std::mt19937 random(5);
  int cut = 0, parities = 0;
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.sum.late.dot_bits == 0) continue;
    for (int i = 0; i < 400; ++i) {
      const mx::step_record r = observed(m, apart(m, random), m.sum.fused, 0).record;
      CAPTURE(entry.name, i);
      if (r.why == mx::loss::special) continue;  // a product above 2^128
      check_term(r.addend);
      rational sum = value_of(r.addend.aligned), sticky = 0;
      for (const mx::unpacked& late : r.late) {
        sum -= value_of(late);
        sticky += sticky_part(late);
      }
      int largest = mx::no_exponent;
      for (int t = 0; t < r.count; ++t) {
        check_term(r.terms[t]);
        largest = std::max(largest, r.terms[t].exponent);
        sum += value_of(r.terms[t].aligned);
      }
      const rational error = abs(sum - value_of(r.sum));
      CHECK((error == 0 || error < sticky));
      CHECK(r.largest_exponent == largest);
      cut += r.addend.aligned.negative && !r.addend.lost.is_zero() ? 1 : 0;
      parities += r.late[0].is_zero() ? 0 : 1;
    }
  }
  CHECK(cut > 100);
  CHECK(parities > 100);
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
  CHECK(value_of(late.late[1]) == golden::power_of_two(-24));
  CHECK((late.late[0].is_zero() && late.late[2].is_zero()));
  CHECK(late.addend.why == mx::loss::nothing);
  CHECK(late.count == 8);
  CHECK(value_of(late.terms[0].exact) == golden::power_of_two(-24));
}

TEST_CASE("what_is_cut_downward_is_lost_upward") {
  // FP16: 240 * 240 has its last bit at 2^-10, where C = -1.5 * 2^-11 becomes -2^-10.
  const mx::step_record r = record_of("cdna3.mfma.f16.f32", {0x5B80}, {0x5B80}, 0xBA400000);
  CHECK(value_of(r.addend.exact) == rational(-3) / 4096);
  CHECK(value_of(r.addend.aligned) == rational(-1) / 1024);
  CHECK(value_of(r.addend.lost) == rational(1) / 4096);
  CHECK(r.addend.why == mx::loss::below_window);
}

TEST_CASE("a_record_has_the_larger_window_of_both_parities_and_none_without_an_exponent") {
  const mx::step_record even = record_of("cdna3.mfma.e4m3fnuz.f32", {0x7F}, {0x7F}, 0);
  CHECK(even.largest_exponent == 14);
  CHECK(even.window_unit ==
        14 - mx::model_named("cdna3.mfma.e4m3fnuz.f32")->model.sum.fraction_bits);
  CHECK(even.terms[15].exponent == mx::no_exponent);
  for (const char* name : {"cdna3.mfma.e4m3fnuz.f32", "cdna3.mfma.f16.f32", "exact.rne"}) {
    const mx::step_record none = record_of(name, {0, 0}, {0, 0}, 0);
    CHECK((none.largest_exponent == mx::no_exponent && none.window_unit == mx::no_exponent));
  }
}

TEST_CASE("a_step_that_a_nan_decides_has_no_terms") {
  const mx::dot_model m =
      mx::with_formats(mx::model_named("exact.rne")->model, mx::formats::e4m3, mx::formats::e4m3);
  const codes a{0x38, 0x7F, 0x40, 0x48}, ones(4, 0x38);
  mx::step_observer observer;
  const mx::dot_operand<std::uint32_t> x{{a.data()}}, y{{ones.data()}};
  (void)mx::dot_observed(m, x, y, 4, 0, observer);
  CHECK(observer.record.why == mx::loss::special);
  CHECK(observer.record.count == 0);
}

/// The k of a step's products by their values: A repeats seven powers of two, and B is all ones.
void check_places(const mx::dot_model& m, int k) {
  const mx::format& f = m.a;
  codes a, ones;
  for (int i = 0; i < k; ++i) {
    a.push_back(static_cast<std::uint32_t>(i % 7 + f.bias - 3) << f.fraction_bits);
    ones.push_back(static_cast<std::uint32_t>(f.bias) << f.fraction_bits);
  }
  const mx::dot_operand<std::uint32_t> x{{a.data()}}, y{{ones.data()}};
  mx::step_observer all;
  (void)mx::dot_observed(m, x, y, k, 0, all);
  int seen = 0;
  for (int step = 0; step < all.steps; ++step) {
    mx::step_observer observer;
    observer.wanted = step;
    (void)mx::dot_observed(m, x, y, k, 0, observer);
    const mx::step_record& r = observer.record;
    if (r.first_k == mx::step_record::no_products) continue;
    for (int t = 0; t < r.count; ++t) {
      const mx::term_place place = mx::place_of(m.sum, r.first_k, r.count, t);
      CAPTURE(step, t, place.first);
      REQUIRE(place.first == place.last);
      CHECK(r.terms[t].exact.is_zero() == (place.first >= k));
      if (place.first >= k) continue;
      ++seen;
      CHECK(value_of(r.terms[t].exact) == golden::power_of_two(place.first % 7 - 3));
    }
  }
  CHECK(seen == k);
}

TEST_CASE("place_of_finds_the_product_of_each_term") {
  int models = 0;
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    const bool fits = m.a.exponent_bits >= 4 && m.unread_bits == 0 && m.sum.group <= 1;
    if (!fits || m.a != m.b || m.block != 0) continue;
    CAPTURE(entry.name);
    for (const int k : {64, 41, 3}) check_places(m, k);
    ++models;
  }
  CHECK(models > 10);
}

}  // namespace
