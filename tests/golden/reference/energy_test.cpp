// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/energy_test.cpp: energies of hand-computed blocks.
#include "golden/reference/energy.h"

#include <vector>

#include "catch.h"

namespace {

using golden::energy_share;
using golden::rational;
using enum golden::energy_term;

/// A block of MXFP4 that begins with some numbers.
std::vector<float> block_of(std::vector<float> numbers) {
  numbers.resize(32, 0.0F);
  return numbers;
}

TEST_CASE("numbers_are_rounded_to_53_bits_with_ties_to_even") {
  const rational one(1), unit = golden::power_of_two(-52);
  CHECK(golden::rounded_to_binary64(one + unit / 2) == one);
  CHECK(golden::rounded_to_binary64(one + unit * 3 / 2) == rational(one + unit * 2));
  CHECK(golden::rounded_to_binary64(rational(-1, 3)) ==
        rational(golden::integer(-6004799503160661)) * golden::power_of_two(-54));
  CHECK(golden::rounded_to_binary64(0) == 0);
}

TEST_CASE("parts_of_two_elements_are_summed") {
  // floor: amax 7 has the scale 1 and becomes 6, under 7/6 it is itself; 0.5 is itself under 1, and
  // 7/12, half of the other scale, under that.
  energy_share share{golden::quantization{}};
  share.add(block_of({7.0F, -0.5F}), 32);
  const golden::error_energies e = share.finished();
  CHECK((e.blocks == 1 && e.elements == 32 && e.special == 0));
  CHECK((e.dead == 0 && e.dead_actual == 0));
  CHECK(e.of(clip) == 1.0);          // (6 - 7)^2
  CHECK(e.of(total) == 1.0);         // the other is exact: 0.5
  CHECK(e.of(grid) == 0.0625 / 9);   // (7/12 - 1/2)^2, which times 9 is (7/4 - 3/2)^2
  CHECK(e.of(scale) == 0.0625 / 9);  // (1/2 - 7/12)^2
  CHECK(e.of(scale_grid) == -0.0625 / 9);
  CHECK(e.of(grid_clip) == 0.0);
  CHECK(e.of(x_squared) == 49.25);
  CHECK(e.of(x_quantized) == 42.25);
}

TEST_CASE("dead_elements_are_counted_under_both_scales") {
  // rceil: amax 8 has the scale 2, and 4/3 without rounding; 0.25 is 0 under both, 0.5 is 0 under 2
  // (a tie, to the even code) and 2/3 under 4/3.
  golden::quantization how;
  how.rule = golden::scale_rule::rceil;
  energy_share share{how};
  share.add(block_of({8.0F, 0.25F, 0.5F}), 3);
  const golden::error_energies e = share.finished();
  CHECK((e.elements == 3 && e.dead == 1 && e.dead_actual == 2));
  CHECK(e.of(deadzone) == 0.0625);     // 0.25^2
  CHECK(e.of(scale_dead) == 4.0 / 9);  // (0 - 2/3)^2
  CHECK(e.of(clip) == 0.0);
}

TEST_CASE("special_blocks_and_blocks_of_zeros_add_nothing") {
  energy_share share{golden::quantization{}};
  share.add(block_of({1.0F, golden::nan_float()}), 32);
  share.add(block_of({}), 32);
  const golden::error_energies e = share.finished();
  CHECK((e.blocks == 2 && e.special == 1 && e.elements == 32));
  for (const double sum : e.sums) CHECK(sum == 0.0);
}

TEST_CASE("lanes_are_added_by_a_tree") {
  // 2^60, whose unit is 256, and two squares of 10: each alone is lost, together they are not.
  // Lanes 7 and 15 are added before they reach lane 0; lanes 4 and 8 are added to it one by one.
  golden::quantization how;
  how.rule = golden::scale_rule::rceil;
  std::vector<float> apart = block_of({0x1p30F}), together = apart;
  apart[4] = apart[8] = 10.0F;
  together[7] = together[15] = 10.0F;
  const auto x_squared_of = [&](const std::vector<float>& block) {
    energy_share share{how};
    share.add(block, 32);
    return share.finished().of(x_squared);
  };
  CHECK(x_squared_of(apart) == 0x1p60);
  CHECK(x_squared_of(together) == 0x1p60 + 0x1p8);
}

TEST_CASE("shares_are_added_in_pairs_of_neighbours_first") {
  const auto sum_of = [](const std::vector<double>& totals) {
    std::vector<golden::error_energies> shares(totals.size());
    for (std::size_t i = 0; i < totals.size(); ++i) {
      shares[i].sums[static_cast<std::size_t>(total)] = totals[i];
      shares[i].blocks = 1;
    }
    const golden::error_energies sum = golden::sum_of_shares(shares);
    CHECK(sum.blocks == static_cast<std::int64_t>(totals.size()));
    return sum.of(total);
  };
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({3}) == 3);
  CHECK(sum_of({1, 0x1p-53, 0x1p-53}) == 1);
  CHECK(sum_of({1, 0, 0x1p-53, 0x1p-53}) == 1 + 0x1p-52);
  CHECK(sum_of({0x1p-53, 0x1p-53, 0, 0, 1}) == 1 + 0x1p-52);
  CHECK(golden::blocks_of_share(32) == 64);
  CHECK(golden::blocks_of_share(48) == 42);
  CHECK(golden::blocks_of_share(128 * 128) == 1);
}

}  // namespace
