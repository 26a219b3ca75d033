// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/step_sum_test.cpp: mx/dot/step_sum.h: one step, every kind of alignment, merging
// and rounding.
#include "mx/dot/step_sum.h"
#include "catch.h"

namespace {

using mx::accumulation;
using mx::float_of;
using mx::unpacked;

struct summand {
  double value;
  int exponent;  ///< used for alignment
};

/// The step over the products and C.
float step_of(const accumulation& how, std::initializer_list<summand> products, float c) {
  mx::no_observer none;
  mx::step_sum<mx::no_observer> sum(how, none);
  for (const summand& p : products) {
    const unpacked x = mx::unpack(static_cast<float>(p.value));
    sum.see(x);
    sum.add(x, p.exponent);
  }
  return float_of(sum.result_with(mx::bits_of(c)));
}

accumulation window_of(int fraction_bits) {
  accumulation how;
  how.fraction_bits = fraction_bits;
  how.zero_exponent = -133;
  return how;
}

TEST_CASE("a_window_cuts_every_term_before_it_is_added") {
  const accumulation how = window_of(2);
  CHECK(step_of(how, {{4.0, 2}, {0.75, -1}, {0.75, -1}}, 0) == 4.0F);  // each 0.75 is cut to 0
  CHECK(step_of(how, {{4.0, 2}, {-1.75, 0}}, 0) == 3.0F);
  CHECK(step_of(how, {{4.0, 2}, {-0.75, -1}}, 1.0F) == 5.0F);
}

TEST_CASE("the_exponent_of_a_term_and_not_its_size_sets_the_window") {
  const accumulation how = window_of(2);
  // 3 read at 0: the window of 2^0 ends at 2^-2. Read at 2 it ends at 1.
  CHECK(step_of(how, {{3.0, 0}, {0.25, -2}}, 0) == 3.25F);
  CHECK(step_of(how, {{3.0, 2}, {0.25, -2}}, 0) == 3.0F);
}

TEST_CASE("a_zero_result_has_the_sign_of_its_terms_or_none") {
  accumulation how = window_of(24);
  const float tiny = -0x1p-149F;
  const auto bits = [&how](const summand& x, float c) { return mx::bits_of(step_of(how, {x}, c)); };
  for (const mx::rounding rounding : {mx::rounding::toward_zero, mx::rounding::ties_to_even}) {
    how.rounding = rounding;
    how.zero_result = mx::zero_result::of_terms;
    CHECK(bits({-0.0, 0}, -0.0F) == 0x80000000);
    CHECK(bits({-0.0, 0}, 0) == 0);
    how.zero_result = mx::zero_result::plus;
    CHECK(bits({-0.0, 0}, -0.0F) == 0);
    CHECK(bits({-0.0, 0}, tiny) == 0x80000001);
    CHECK(bits({-1, 0}, 1.0F) == 0);
  }
  how.result = how.output = mx::formats::binary16;
  const auto tiny_sum = mx::unpacked::finite(true, 1, -26),
             least = mx::unpacked::finite(true, 1, -24);
  CHECK(mx::rounded_code(how, tiny_sum) == 0);
  CHECK(mx::rounded_code(how, least) == 0x8001);
  how.zero_result = mx::zero_result::of_terms;
  CHECK(mx::rounded_code(how, tiny_sum) == 0x8000);
}

TEST_CASE("a_cut_may_go_down_or_to_the_nearest") {
  accumulation how = window_of(0);
  how.cut = mx::cut::down;
  CHECK(step_of(how, {{8.0, 3}, {-0.5, -1}}, 0) == 0.0F);  // -0.5 becomes -8
  how.cut = mx::cut::ties_to_even;
  CHECK(step_of(how, {{8.0, 3}, {-4.0, 2}}, 0) == 8.0F);  // half a unit: to even
  CHECK(step_of(how, {{8.0, 3}, {-5.0, 2}}, 0) == 0.0F);
}

TEST_CASE("lost_bits_may_stick_below_the_sum") {
  accumulation how = window_of(24);
  how.rounding = mx::rounding::ties_to_even;
  // 1 + 2^-24 is a tie; 2^-30 lies below the window and breaks it only if it sticks.
  const std::initializer_list<summand> tie = {{1.0, 0}, {0x1p-24, -24}, {0x1p-30, -30}};
  CHECK(step_of(how, tie, 0) == 1.0F);
  how.lost = mx::lost_bits::sticky;
  CHECK(step_of(how, tie, 0) == 0x1.000002p0F);
  // If the window is empty, no sticky bit is set.
  CHECK(step_of(how, {{1.0, 0}, {-1.0, 0}, {0x1p-30, -30}}, 0) == 0.0F);
}

TEST_CASE("an_exact_sum_is_rounded_once") {
  accumulation how;
  how.alignment = mx::alignment::exact;
  how.rounding = mx::rounding::ties_to_even;
  CHECK(step_of(how, {{0x1p100, 100}, {0x1p-100, -100}, {-0x1p100, 100}}, 0) == 0x1p-100F);
  CHECK(step_of(how, {{0x1p-24, -24}, {0x1p-140, -140}}, 1.0F) == 0x1.000002p0F);
  CHECK(step_of(how, {{0x1p-24, -24}, {-0x1p-140, -140}}, 1.0F) == 1.0F);
}

accumulation late_of(mx::far_addend far) {
  accumulation how = window_of(24);
  how.rounding = mx::rounding::ties_to_even;
  how.zeros = mx::zero_term::ignored;
  how.late = {.dot_bits = 32, .addend_bits = 24, .sum_bits = 31, .far = far};
  return how;
}

TEST_CASE("a_late_addend_is_cut_downward_24_bits_below_the_larger_exponent") {
  const accumulation how = late_of(mx::far_addend::cut);
  CHECK(step_of(how, {{1.0, 0}}, 0x1p-24F) == 1.0F);             // a tie in FP32
  CHECK(step_of(how, {{1.0, 0}, {1.0, 0}}, -0x1p-60F) == 2.0F);  // -2^-24, a quarter of an ULP
  CHECK(step_of(how, {{1.0, 0}}, -0x1p-60F) == 0x1.fffffep-1F);  // below 1 the ULP is 2^-24
  CHECK(step_of(how, {{-0x1p-40, -40}}, 1.0F) == 1.0F);
  CHECK(step_of(late_of(mx::far_addend::zero), {{1.0, 0}}, -0x1p-60F) == 1.0F);
  CHECK(step_of(late_of(mx::far_addend::zero), {{1.0, 0}}, -0x1p-25F) == 0x1.fffffep-1F);
  CHECK(step_of(late_of(mx::far_addend::zero), {{1.0, 0}}, -0x1p-26F) == 1.0F);
}

TEST_CASE("the_products_sum_is_cut_32_bits_below_and_the_whole_sum_31_below_itself") {
  const accumulation how = late_of(mx::far_addend::cut);
  // C = 2^-10 * (1 + 2^-23) raises nothing; products at 2^-33 below C = 1: truncated to 2^-32
  // downward.
  CHECK(step_of(how, {{-0x1p-33, -33}}, 0x1p0F) == 1.0F);  // 1 - 2^-32 is 1 in FP32
  // 1 + 2^-24 + 2^-33: the bit that breaks the tie lies below 2^-32 and is truncated.
  CHECK(step_of(how, {{0x1p-24, -24}, {0x1p-33, -33}}, 1.0F) == 1.0F);
  CHECK(step_of(how, {{0x1p-24, -24}, {0x1p-31, -31}}, 1.0F) == 0x1.000002p0F);
  // Kept at 2^-32, truncated at 2^-31 of the whole.
  CHECK(step_of(how, {{0x1p-24, -24}, {0x1p-32, -32}}, 1.0F) == 1.0F);
}

/// 2^-150 and a little: above the tie between 0 and 2^-149, unless truncated at 2^-157.
TEST_CASE("a_tiny_sum_is_cut_31_bits_below_the_smallest_normal_exponent") {
  const accumulation how = late_of(mx::far_addend::cut);
  mx::no_observer none;
  mx::step_sum<mx::no_observer> sum(how, none);
  sum.add(unpacked::positive(1, -150), -150);
  sum.add(unpacked::positive(1, -158), -158);
  CHECK(sum.result_with(0) == 0);
  mx::step_sum<mx::no_observer> nearer(how, none);
  nearer.add(unpacked::positive(1, -150), -150);
  nearer.add(unpacked::positive(1, -157), -157);
  CHECK(nearer.result_with(0) == 1);
}

TEST_CASE("even_and_odd_products_have_their_own_windows") {
  accumulation how = late_of(mx::far_addend::zero);
  // -2^-30 beside 1 is truncated toward zero in one window, and downward between two.
  CHECK(step_of(how, {{1.0, 0}, {-0x1p-30, -30}}, 0) == 1.0F);
  how.parity = mx::parity::even_and_odd;
  CHECK(step_of(how, {{1.0, 0}, {-0x1p-30, -30}}, 0) == 0x1.fffffep-1F);
  CHECK(step_of(how, {{1.0, 0}, {0.0, 0}, {-0x1p-30, -30}}, 0) == 1.0F);
}

TEST_CASE("results_have_the_format_the_rounding_and_the_subnormals_of_the_model") {
  accumulation how = window_of(25);
  CHECK(step_of(how, {{1.0, 0}, {0x1.8p-24, -24}}, 0) == 1.0F);
  how.output.fraction_bits = 13;
  CHECK(step_of(how, {{1.0, 0}, {0x1.8p-14, -14}}, 0) == 1.0F);
  CHECK(step_of(how, {{1.0, 0}, {0x1p-13, -13}}, 0) == 1.0F + 0x1p-13F);
  CHECK(step_of(how, {{1.0, 0}}, 0x1.fffffep0F) == 0x1.7ff8p1F);
  how = window_of(25);
  how.result = how.output = mx::formats::binary16;
  how.rounding = mx::rounding::ties_to_even;
  mx::no_observer none;
  mx::step_sum<mx::no_observer> sum(how, none);
  sum.add(mx::unpack(1.0F + 0x1.8p-11F), 0);
  CHECK(sum.result() == 0x3C01);
  how = window_of(25);
  how.results = mx::subnormals::flushed;
  CHECK(mx::bits_of(step_of(how, {{-0x1p-127, -127}}, 0)) == 0x80000000);
  CHECK(step_of(how, {{0x1p-126, -126}}, 0) == 0x1p-126F);
}

TEST_CASE("large_products_become_inf_where_the_model_says_so") {
  accumulation how = late_of(mx::far_addend::cut);
  const auto sum_of_large = [&how] {
    mx::no_observer none;
    mx::step_sum<mx::no_observer> sum(how, none);
    sum.add(unpacked::positive(1, 128), 128);
    sum.add(unpacked::finite(true, 1, 127), 127);
    return sum.result();
  };
  CHECK(sum_of_large() == mx::bits_of(0x1p127F));
  how.large = mx::large_product::infinite;
  CHECK(sum_of_large() == 0x7F800000);
}

/// 3 * 2 - 4 + 0.5
constexpr std::uint32_t small_step() {
  const accumulation how;
  mx::no_observer none;
  mx::step_sum<mx::no_observer> sum(how, none);
  sum.add(unpacked::positive(3, 1), 2);
  sum.add(unpacked::finite(true, 1, 2), 2);
  return sum.result_with(mx::bits_of(0.5F));
}

TEST_CASE("a_step_is_a_constant_expression") { STATIC_REQUIRE(small_step() == mx::bits_of(2.5F)); }

}  // namespace
