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

struct seen_place {
  int first = 0, last = 0;

  seen_place(const dpi::context& context, unsigned step, unsigned term) {
    REQUIRE(mx_dpi_term_place(context.get(), step, term, &first, &last) == mx_dpi_ok);
  }
  [[nodiscard]] bool is(int from, int to) const { return first == from && last == to; }
};

/// The context after a dot product of codes of 8 bits, of A with ones.
dpi::context after(const char* model, const char* format, std::uint32_t one, unsigned k,
                   const std::vector<std::uint32_t>& a) {
  dpi::context context = dpi::made();
  REQUIRE(mx_dpi_dot_select(context.get(), model, format, format, "", 0, k) == mx_dpi_ok);
  dpi::operands in;
  in.a = dpi::packed<mx_dpi_code_bits>(a, 8);
  in.b = dpi::packed<mx_dpi_code_bits>(std::vector<std::uint32_t>(k, one), 8);
  in.scale_a = in.scale_b = dpi::packed<mx_dpi_scale_bits>(std::vector<std::uint32_t>(2, 127), 8);
  svBitVecVal d = 0;
  REQUIRE(in.multiply(context, d) == mx_dpi_ok);
  return context;
}

TEST_CASE("a_term_has_the_place_of_its_product_in_whatever_order_products_are_added") {
  // Even k come first: 1, 2, 4 and 8 are k 0 to 3.
  const dpi::context parities =
      after("cdna3.mfma.e4m3fnuz.f32", "", 0x40, 4, {0x40, 0x48, 0x50, 0x58});
  CHECK(seen_step(parities, 0).terms == 16);
  CHECK(seen_place(parities, 0, 1).is(2, 2));
  CHECK(seen_term(parities, 0, 1).exact == packed_number(mx::unpacked::positive(64, -4)));
  CHECK(seen_place(parities, 0, 8).is(1, 1));
  CHECK(seen_place(parities, 0, 9).is(3, 3));
  CHECK(seen_place(parities, 0, 2).is(4, 4));  // a zero that fills the step
  CHECK(seen_place(parities, 0, 16).is(-1, -1));
  // The sums of two blocks are added in a step of its own.
  const dpi::context pairs =
      after("fp32.pairwise", "e4m3", 0x38, 64, std::vector<std::uint32_t>(64, 0x38));
  CHECK(seen_place(pairs, 1, 0).is(32, 32));
  CHECK(seen_place(pairs, 2, 0).is(-1, -1));
}

TEST_CASE("a_step_that_a_nan_decides_has_no_terms_and_no_window") {
  for (const char* model : {"exact.rne", "blackwell.mxf8f6f4.e4m3.e4m3"}) {
    const dpi::context context = after(model, "e4m3", 0x38, 4, {0x38, 0x7F, 0x40, 0x48});
    const seen_step step(context, 0);
    CHECK(step.why == mx_dpi_lost_special);
    CHECK(step.terms == 0);
    CHECK(step.largest_exponent == mx_dpi_no_exponent);
  }
}

TEST_CASE("what_no_window_cuts_has_no_exponent_of_one") {
  const dpi::context exact = after("exact.rne", "e4m3", 0x38, 2, {0x38, 0});
  CHECK(seen_step(exact, 0).largest_exponent == mx_dpi_no_exponent);
  CHECK(seen_step(exact, 0).window_unit == mx_dpi_no_exponent);
  CHECK(seen_step(exact, 0).terms == 2);
  const dpi::context zeros = after("cdna3.mfma.e4m3fnuz.f32", "", 0x40, 2, {0, 0});
  CHECK(seen_step(zeros, 0).largest_exponent == mx_dpi_no_exponent);
  const dpi::context even = after("cdna3.mfma.e4m3fnuz.f32", "", 0x40, 1, {0x40});
  CHECK(seen_step(even, 0).largest_exponent == 0);
  CHECK(seen_term(even, 0, 15).exponent == mx_dpi_no_exponent);
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
