// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_steps_test.cpp: intermediates of a dot product, against the core's record of it.
#include "catch.h"
#include "models.h"

namespace {

using number = dpi::bit_vector<mx_dpi_number_bits>;

/// mx_dpi_number_t of the SystemVerilog package: {negative, kind, exponent, significand}.
number packed_number(const mx::unpacked& from) {
  return {static_cast<std::uint32_t>(from.significand),
          static_cast<std::uint32_t>(from.significand >> 32),
          static_cast<std::uint32_t>(from.exponent),
          static_cast<std::uint32_t>(from.kind) + (from.negative ? 0x80000000U : 0U)};
}

struct seen_term {
  int exponent = 0, why = 0;
  number exact{}, aligned{}, lost{};

  seen_term(const dpi::context& context, unsigned step, unsigned index) {
    REQUIRE(mx_dpi_term(context.get(), step, index, &exponent, exact.data(), aligned.data(),
                        lost.data(), &why) == mx_dpi_ok);
  }
  [[nodiscard]] bool is(const mx::term_record& term) const {
    return exponent == term.exponent && why == static_cast<int>(term.why) &&
           exact == packed_number(term.exact) && aligned == packed_number(term.aligned) &&
           lost == packed_number(term.lost);
  }
};

struct seen_step {
  int largest_exponent = 0, window_unit = 0, why = 0;
  unsigned terms = 0;
  svBit sticky = 0;
  svBitVecVal d = 0;
  number sum{}, discarded{};

  seen_step(const dpi::context& context, unsigned step) {
    REQUIRE(mx_dpi_step(context.get(), step, &largest_exponent, &window_unit, &terms, sum.data(),
                        discarded.data(), &sticky, &why, &d) == mx_dpi_ok);
  }
  [[nodiscard]] bool is(const mx::step_record& step) const {
    return largest_exponent == step.largest_exponent && window_unit == step.window_unit &&
           why == static_cast<int>(step.why) && terms == static_cast<unsigned>(step.count) &&
           sum == packed_number(step.sum) && discarded == packed_number(step.discarded) &&
           d == step.result;
  }
};

mx::step_observer observed(const dpi::choice& choice, const cross::dot_word& word, int step) {
  mx::step_observer observer;
  observer.wanted = step;
  const bool scaled = choice.stands_for.block > 0;
  using operand = mx::dot_operand<std::uint32_t, std::uint32_t>;
  static_cast<void>(mx::dot_observed(
      choice.stands_for, operand{{word.a.data()}, {scaled ? word.scale_a.data() : nullptr}},
      operand{{word.b.data()}, {scaled ? word.scale_b.data() : nullptr}}, word.size(), word.c,
      observer));
  return observer;
}

TEST_CASE("steps_and_terms_are_those_of_the_core") {
  const dpi::context context = dpi::made();
  for (const dpi::choice& choice : dpi::choices()) {
    INFO(choice.model);
    REQUIRE(choice.select(context) == mx_dpi_ok);
    for (const cross::dot_word& word : choice.words(2)) {
      svBitVecVal d = 0;
      REQUIRE(choice.operands_of(word).multiply(context, d) == mx_dpi_ok);
      unsigned steps = 0;
      CHECK(mx_dpi_step_count(context.get(), &steps) == mx_dpi_ok);
      CHECK(static_cast<int>(steps) == observed(choice, word, 0).steps);
      for (unsigned step = 0; step < steps; ++step) {
        const mx::step_record record = observed(choice, word, static_cast<int>(step)).record;
        CHECK(seen_step(context, step).is(record));
        for (int i = 0; i < record.count; ++i) {
          CHECK(seen_term(context, step, static_cast<unsigned>(i)).is(record.terms[i]));
        }
        CHECK(seen_term(context, step, static_cast<unsigned>(record.count)).is(record.addend));
      }
      CHECK(seen_step(context, steps - 1).d == d);
    }
  }
}

TEST_CASE("a_term_that_is_cut_off_is_told_as_sticky") {
  // 6 * 6 * 2^40 + 1, in a window of 35 bits: C is lost.
  const dpi::context context = dpi::made();
  dpi::operands in;
  in.a[0] = in.b[0] = 7;
  in.scale_a[0] = in.scale_b[0] = 127 + 20 + (127 << 8);
  in.c = 0x3F800000;
  svBitVecVal d = 0;
  REQUIRE(in.multiply(context, d) == mx_dpi_ok);
  const seen_step cut(context, 0);
  CHECK(cut.sticky == 1);
  CHECK(cut.largest_exponent == 40);
  CHECK(cut.window_unit == 40 - 35);
  CHECK(cut.terms == 4);
  CHECK(seen_term(context, 0, 4).why == mx_dpi_lost_outside_window);
  CHECK(seen_term(context, 0, 4).lost == seen_term(context, 0, 4).exact);
  in.c = 0;
  REQUIRE(in.multiply(context, d) == mx_dpi_ok);
  CHECK(seen_step(context, 0).sticky == 0);
}

TEST_CASE("there_are_no_steps_before_a_dot_product_and_none_behind_the_last") {
  const dpi::context context = dpi::made();
  unsigned steps = 9;
  CHECK(mx_dpi_step_count(context.get(), &steps) == mx_dpi_bad_argument);
  CHECK(steps == 0);
  svBitVecVal d = 0;
  REQUIRE(dpi::operands{}.multiply(context, d) == mx_dpi_ok);
  int exponent = 5, why = 5;
  number n{1, 2, 3, 4}, m{1}, l{1};
  CHECK(mx_dpi_term(context.get(), 1, 0, &exponent, n.data(), m.data(), l.data(), &why) ==
        mx_dpi_bad_argument);
  CHECK(mx_dpi_term(context.get(), 0, 5, &exponent, n.data(), m.data(), l.data(), &why) ==
        mx_dpi_bad_argument);
  CHECK(mx_dpi_term(context.get(), ~0U, 0, &exponent, n.data(), m.data(), l.data(), &why) ==
        mx_dpi_bad_argument);
  CHECK((exponent == 0 && why == 0 && n == number{} && m == number{} && l == number{}));
  // A new selection has no intermediates yet.
  REQUIRE(mx_dpi_dot_select(context.get(), "", "", "", "", 0, 0) == mx_dpi_ok);
  CHECK(mx_dpi_step_count(context.get(), &steps) == mx_dpi_bad_argument);
}

}  // namespace
