// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/model_test.cpp: mx/dot/model.h: bounds of the widths.
#include <vector>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace {

const mx::dot_model& model_of(std::string_view name) { return mx::model_named(name)->model; }

TEST_CASE("windows_are_as_wide_as_their_terms_can_become") {
  CHECK(mx::window_bits(model_of("blackwell.mxf4")) == 48);
  CHECK(mx::window_bits(model_of("blackwell.mxf4nvf4")) == 49);
  CHECK(mx::window_bits(model_of("blackwell.tcgen05.e4m3.f32")) == 34);
  CHECK(mx::window_bits(model_of("hopper.wgmma.e4m3.f32")) == 22);
  CHECK(mx::window_bits(model_of("volta.mma.f16.f32")) == 29);
  CHECK(mx::window_bits(model_of("cdna3.mfma.f16.f32")) == 39);
}

// By hand: significands of 4, 2, 11 and 1 bits, of scales 1 and 4; smallest subnormals 2^-9, 2^-1
// and 2^-24, and scales of 2^-127 and 2^-9; products below 4 * 2^(8 + 8), 4 * 2^(2 + 2) and 4 *
// 2^(15 + 15), times scales below 2 * 2^127 and 2 * 2^8.
TEST_CASE("products_have_the_bits_of_their_factors_and_scales") {
  struct expected {
    const char* name;
    int bits, lowest, highest;
  };
  for (const expected& e :
       {expected{"hopper.wgmma.e4m3.f32", 8, -18, 18}, expected{"blackwell.mxf4", 6, -256, 262},
        expected{"blackwell.mxf4nvf4", 12, -20, 24}, expected{"volta.mma.f16.f32", 22, -48, 32}}) {
    CAPTURE(e.name);
    CHECK(mx::product_bits(model_of(e.name)) == e.bits);
    CHECK(mx::lowest_product_exponent(model_of(e.name)) == e.lowest);
    CHECK(mx::highest_product_exponent(model_of(e.name)) == e.highest);
  }
}

/// The largest sum that a step of E2M1 groups can have, which fills the window's bits.
TEST_CASE("the_widest_sum_needs_every_bit_of_the_window") {
  const mx::dot_model& m = model_of("blackwell.mxf4nvf4");
  const std::vector<std::uint32_t> six(64, 7), scale(4, 0x3F);  // 6, and 1.875
  mx::step_observer observer;
  const mx::dot_operand<std::uint32_t, std::uint32_t> x{{six.data()}, {scale.data()}};
  const std::uint32_t d = mx::dot_observed(m, x, x, 64, mx::bits_of(0x1.fffffep0F), observer);
  CHECK(mx::float_of(d) == 64 * 36 * 1.875F * 1.875F + 2 - 0x1p-11F);
  CHECK(mx::bit_width(observer.record.sum.significand) + 1 == mx::window_bits(m));
}

TEST_CASE("models_without_room_are_refused") {
  const mx::dot_model exact = model_of("exact.rne");
  const mx::format f32 = mx::formats::binary32;
  CHECK(mx::is_sound(mx::with_formats(exact, f32, f32)));
  CHECK(mx::is_sound(mx::with_scales(exact, f32, 32)));
  // 24 bits of every factor and scale are 96.
  CHECK_FALSE(mx::is_sound(mx::with_scales(mx::with_formats(exact, f32, f32), f32, 32)));
  CHECK_FALSE(mx::is_sound(
      mx::with_formats(exact, mx::format{12, 3, 2000, mx::specials::ieee}, mx::formats::e2m1)));
  mx::dot_model wide = model_of("hopper.mma.f16.f32");
  wide.sum.fraction_bits = 54;
  CHECK(mx::is_sound(wide));
  wide.sum.fraction_bits = 55;
  CHECK_FALSE(mx::is_sound(wide));
  wide.sum.fraction_bits = 25;
  wide.sum.fused = 65;
  CHECK_FALSE(mx::is_sound(wide));
  mx::dot_model groups = model_of("blackwell.mxf4");
  groups.sum.group = 24;
  CHECK_FALSE(mx::is_sound(groups));
  groups.sum.group = 16;
  CHECK_FALSE(mx::is_sound(mx::with_formats(groups, mx::formats::e4m3, mx::formats::e4m3)));
  CHECK_FALSE(mx::is_sound(mx::with_scales(groups, mx::formats::e8m0, 8)));
  groups.sum.alignment = mx::alignment::exact;
  CHECK_FALSE(mx::is_sound(groups));
  mx::dot_model spans = model_of("blackwell.mma.e4m3.f32");
  CHECK(mx::is_sound(spans));
  spans.sum.span = 16;
  CHECK_FALSE(mx::is_sound(spans));
  spans = model_of("cdna2.mfma.f16.f32");
  spans.sum.fused = 3;
  CHECK_FALSE(mx::is_sound(spans));
}

/// The refusal of a model whose accumulation is changed.
template <class Change>
mx::model_refusal refusal_with(const char* name, const Change& change) {
  mx::dot_model m = model_of(name);
  change(m.sum);
  return mx::refusal_of(m);
}

TEST_CASE("counts_that_divide_nothing_are_refused") {
  const auto counts = mx::model_refusal::counts;
  for (const int group : {0, -1, -16, 24, 32}) {
    CAPTURE(group);
    const bool whole = group == 32;
    CHECK(refusal_with("blackwell.mxf4", [&](auto& sum) { sum.group = group; }) ==
          (whole ? mx::model_refusal::none : counts));
    CHECK(refusal_with("exact.rne", [&](auto& sum) { sum.group = group; }) == counts);
  }
  CHECK(refusal_with("exact.rne", [](auto& sum) { sum.fused = -2; }) == counts);
  CHECK(refusal_with("hopper.mma.f16.f32", [](auto& sum) { sum.fused = 0; }) == counts);
  CHECK(refusal_with("blackwell.mma.e4m3.f32", [](auto& sum) { sum.span = -2 * sum.fused; }) ==
        counts);
}

TEST_CASE("windows_beyond_what_a_shift_can_be_are_refused") {
  constexpr int least = -2147483647 - 1, most = 2147483647;
  for (const int value : {least, -1, 61, most}) {
    CAPTURE(value);
    const auto refused = [&](int mx::late_addend::*field) {
      return refusal_with("cdna3.mfma.f16.f32", [&](auto& sum) { sum.late.*field = value; });
    };
    CHECK(refused(&mx::late_addend::dot_bits) == mx::model_refusal::window);
    CHECK(refused(&mx::late_addend::addend_bits) == mx::model_refusal::window);
    CHECK(refused(&mx::late_addend::sum_bits) == mx::model_refusal::window);
    CHECK(refusal_with("hopper.mma.f16.f32", [&](auto& sum) { sum.fraction_bits = value; }) ==
          mx::model_refusal::window);
  }
  for (const auto& [exponent, refusal] :
       {std::pair{least, mx::model_refusal::window}, std::pair{-32769, mx::model_refusal::window},
        std::pair{-32768, mx::model_refusal::none}, std::pair{32768, mx::model_refusal::none},
        std::pair{32769, mx::model_refusal::window}, std::pair{most, mx::model_refusal::window}}) {
    CAPTURE(exponent);
    CHECK(refusal_with("hopper.mma.f16.f32", [&](auto& sum) { sum.zero_exponent = exponent; }) ==
          refusal);
  }
}

TEST_CASE("an_output_is_the_upper_part_of_its_result") {
  using mx::model_refusal;
  for (const auto& [output, refusal] :
       {std::pair{mx::format{mx::formats::bfloat16}, model_refusal::none},
        std::pair{mx::format{8, 13, 127, mx::specials::ieee}, model_refusal::none},
        std::pair{mx::format{mx::formats::binary16}, model_refusal::output},
        std::pair{mx::format{mx::formats::e2m1}, model_refusal::output},
        std::pair{mx::format{8, 24, 127, mx::specials::ieee}, model_refusal::output},
        std::pair{mx::format{8, 7, 126, mx::specials::ieee}, model_refusal::output}}) {
    CAPTURE(output.exponent_bits, output.fraction_bits, output.bias);
    CHECK(refusal_with("blackwell.mxf4", [&](auto& sum) { sum.output = output; }) == refusal);
    CHECK(refusal_with("fp32.fma", [&](auto& sum) { sum.output = output; }) == refusal);
  }
  CHECK(refusal_with("hopper.mma.f16.f16", [](auto& sum) { sum.output = mx::formats::bfloat16; }) ==
        model_refusal::output);
}

TEST_CASE("sums_that_would_draw_random_bits_are_refused") {
  const auto draw = [](auto& sum) { sum.rounding = mx::rounding::stochastic; };
  for (const char* name : {"blackwell.mxf4", "fp32.fma", "exact.rne"}) {
    CHECK(refusal_with(name, draw) == mx::model_refusal::rounding);
  }
}

// Integers of 4, 9, 8 and 33 bits, in units of the smallest number; the step has 64 products of
// two.
TEST_CASE("groups_are_as_wide_as_their_integers") {
  const auto grouped = [](const mx::format& element) {
    return mx::with_formats(model_of("blackwell.mxf4"), element, element);
  };
  CHECK(mx::group_bits(grouped(mx::formats::e2m1)) == 2 * 4 + 7 + 2);
  CHECK(mx::group_bits(grouped(mx::formats::e3m2)) == 2 * 9 + 7 + 2);
  CHECK(mx::is_sound(grouped(mx::formats::int8)));
  const mx::format wide{5, 2, 15, mx::specials::none};
  CHECK(mx::group_bits(grouped(wide)) == 2 * 33 + 7 + 2);
  CHECK(mx::refusal_of(grouped(wide)) == mx::model_refusal::room);
}

TEST_CASE("a_product_has_up_to_62_bits") {
  const mx::format f32 = mx::formats::binary32;
  const auto with_fraction = [&](int bits) {
    const mx::format scale{4, bits, 7, mx::specials::none};
    return mx::with_scales(mx::with_formats(model_of("hopper.mma.f16.f32"), f32, f32), scale, 32);
  };
  CHECK(mx::product_bits(with_fraction(6)) == 62);
  CHECK(mx::is_sound(with_fraction(6)));
  CHECK_FALSE(mx::is_sound(with_fraction(7)));
}

TEST_CASE("scales_of_single_elements_count") {
  const mx::dot_model& bare = model_of("hopper.wgmma.e4m3.f32");
  for (const int block : {1, 2, 3}) {
    const mx::dot_model scaled = mx::with_scales(bare, mx::formats::e8m0, block);
    CHECK(mx::lowest_product_exponent(scaled) == mx::lowest_product_exponent(bare) - 254);
    CHECK(mx::highest_product_exponent(scaled) == mx::highest_product_exponent(bare) + 256);
    CHECK(mx::product_bits(scaled) == mx::product_bits(bare) + 2);
  }
}

}  // namespace
