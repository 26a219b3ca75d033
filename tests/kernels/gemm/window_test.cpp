// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/window_test.cpp: the limits of each kind of fused step, as numbers.
#include "gemm/window.h"

#include <utility>

#include "catch.h"
#include "gemm/aligned.h"

using namespace mx;
using namespace mx::kernels;

TEST_CASE("the_window_of_sixteens_is_as_wide_as_its_bounds") {
  const fused_window window = window_of<formats::ue4m3>({0x38, 0x3F}, {0x01, 0x47});
  CHECK(window.limit == 0x1p22F);  // exponents -6 to 1
  CHECK(window.growth == 0x1p14F);
  CHECK(window.whole == 0x1p9F);
  CHECK(window.needs_core(0x1.fffffep-12F));
  CHECK(!window.needs_core(0x1p-11F));
  CHECK(!window_of<formats::ue4m3>({1, 0x7E}, {8, 0x77}).needs_core(0.0F));  // 27 apart
  CHECK(window_of<formats::ue4m3>({1, 0x7E}, {8, 0x78}).needs_core(0.0F));
  CHECK(!window_of<formats::ue4m3>({}, {1, 1}).needs_core(0x1p-149F));
  CHECK(fused_halves{2.0F, -3.0F}.largest(0.0F) == 3.0F);
  CHECK(fused_halves{-4.0F, 3.0F}.largest(0.0F) == 4.0F);
  CHECK(fused_halves{1.0F, 1.0F}.largest(5.0F) == 5.0F);
  CHECK(fused_halves{float_of(0x7FC00000), 1.0F}.largest(0.0F) == 1.0F);
}

TEST_CASE("the_window_is_as_wide_as_its_bounds") {
  // Codes 127 + 0 to 137: exponents 0 to 10.
  const fused_window window = window_of({127, 127}, {127, 137});
  CHECK(window.limit == 0x1p34F);
  CHECK(window.growth == 0x1p22F);
  CHECK(window.needs_core(0x1.fffffep-3F));
  CHECK(!window.needs_core(-0x1p-2F));
  CHECK(!window.needs_core(0.0F));
  CHECK(window.below(0x1.fffffep33F).least == window.least);
  CHECK(window.below(0x1p34F).needs_core(1.0F));
  CHECK(!window.below(0x1p34F).needs_core(-0.0F));
  CHECK(window_of({127, 127}, {127, 138}).needs_core(0.0F));
  CHECK(window_of({232, 232}, {27, 27}).needs_core(0.0F));
  CHECK(!window_of({172, 172}, {172, 172}).needs_core(0.0F));  // exponent 90
  CHECK(window_of({172, 172}, {172, 173}).needs_core(0.0F));
  CHECK(!window_of({77, 77}, {77, 77}).needs_core(0.0F));  // exponent -100
  CHECK(window_of({77, 77}, {76, 77}).needs_core(0.0F));
  CHECK(!window_of({}, {27, 27}).needs_core(0x1p-149F));
}

TEST_CASE("from_some_magnitude_on_every_sum_is_fast") {
  const fused_window window = window_of({127, 127}, {127, 137});
  CHECK(window.fast_from() == 0x1p-2F);
  CHECK(window.below(0x1p34F).fast_from() == fp32::infinity(false));
  CHECK(fused_window{}.fast_from() == fp32::infinity(false));
  CHECK(window_of({}, {27, 27}).fast_from() == 0x1p-149F);
}

TEST_CASE("a_sum_and_c_are_added_at_once_where_their_margin_says_so") {
  const auto factors = [](int a, int b) {
    return std::pair{row_factor::of(factor_of_scale<formats::e8m0>(gemm_side::row, a)),
                     factor_of_scale<formats::e8m0>(gemm_side::column, b)};
  };
  // Exponents 0 and 7 of the blocks.
  const auto [row_0, column_0] = factors(127, 127);
  const auto [row_1, column_1] = factors(130, 131);
  const row_factor rows[] = {row_0, row_1};
  const float columns[] = {column_0, column_1};
  const auto is_fast = [&](float c, float sum) {
    return margin_of_element(c, sum, rows, columns) < 0;
  };
  CHECK(is_fast(1.0F, -0x1.fffffep21F));
  CHECK(!is_fast(1.0F, 0x1p22F));
  CHECK(!is_fast(1.0F, -0x1p22F));
  CHECK(!is_fast(-0x1.fffffep-6F, 1.0F));
  CHECK(is_fast(-0x1.000002p-5F, 1.0F));
  CHECK(is_fast(0.0F, 1.0F));
  CHECK(is_fast(-0.0F, 1.0F));
  // Beside a block of zeros C is truncated by the other's exponent.
  const row_factor half[] = {{}, row_1};
  CHECK(margin_of_element(0x1.fffffep-6F, 0.0F, half, columns) >= 0);
}

TEST_CASE("what_is_left_to_the_core") {
  CHECK(range_of<formats::e8m0>({100, 232}, {10, 20}).is_empty());
  CHECK(range_of<formats::e8m0>({100, 110}, {2, 20}).is_empty());
  CHECK(range_of<formats::e8m0>({100, 200}, {3, 170}).is_empty());  // exponent 116
  CHECK(!range_of<formats::e8m0>({100, 200}, {3, 169}).is_empty());
  CHECK(range_of<formats::e8m0>({100, 200}, {7, 100}).has(power_bits(-114)));
  CHECK(!range_of<formats::e8m0>({100, 200}, {6, 100}).has(power_bits(-103)));
  CHECK(range_of<formats::e8m0>({100, 200}, {6, 100}).has(power_bits(-102)));
  CHECK(range_of<formats::ue4m3>({0, 126}, {0, 126}).has(power_bits(115)));
  CHECK(!range_of<formats::ue4m3>({0, 126}, {0, 126}).has(power_bits(116)));
}

TEST_CASE("groups_are_whole_below_a_limit") {
  CHECK(range_of<formats::e8m0>({127, 137}, {127, 150}).limit == 0x1p34F);  // exponents 0 to 33
  CHECK(range_of<formats::e8m0>({127, 137}, {127, 151}).limit == 0.0F);
  CHECK(range_of<formats::e8m0>({127, 227}, {127, 128}).limit == 0.0F);
  CHECK(range_of<formats::e8m0>({223, 227}, {124, 128}).limit == 0x1p116F);
  CHECK(range_of<formats::e8m0>({208, 227}, {126, 128}).limit == 0x1p114F);
  CHECK(range_of<formats::e8m0>({}, {127, 127}).limit == 0x1p116F);
  CHECK(range_of<formats::e8m0>({3, 4}, {104, 105}).limit == 0x1p-113F);
  CHECK(range_of<formats::e8m0>({3, 4}, {103, 105}).limit == 0.0F);
  CHECK(range_of<formats::ue4m3>({1, 0x7E}, {8, 0x77}).limit == 0x1p16F);  // exponents -12 to 15
  CHECK(range_of<formats::ue4m3>({1, 0x7E}, {8, 0x78}).limit == 0.0F);
}
