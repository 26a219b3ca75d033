// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/scale_search_test.cpp: mx/block/scale_search.h. Values have few bits, so that
// sums of errors are exact in binary64.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/block_quantizer.h"

namespace {

using mx::block_format;
using mx::scale_rule;
namespace formats = mx::formats;
using floats = std::vector<float>;

floats small_integers(std::mt19937& random, float unit, std::uint32_t count = 16) {
  floats x(count);
  for (float& value : x) value = unit * static_cast<float>(static_cast<int>(random() % 129) - 64);
  if (mx::extent_of(x.data(), static_cast<int>(count)).amax.is_zero()) x[0] = unit;
  return x;
}

enum class measure { squares, magnitudes, largest };

/// Error under a scale, each element the nearest of all codes.
double error_under(const block_format& f, const floats& x, double scale, measure by) {
  double total = 0;
  for (const float value : x) {
    double nearest = std::fabs(value);  // of the code 0
    for (std::uint32_t code = 1; code <= f.element.max_code(); ++code) {
      const double q = scale * mx::to_binary32(mx::decode(f.element, code));
      nearest = std::min(nearest, std::fabs(q - std::fabs(value)));
    }
    if (by == measure::squares) total += nearest * nearest;
    if (by == measure::magnitudes) total += nearest;
    if (by == measure::largest) total = std::max(total, nearest);
  }
  return total;
}

double scale_value(const block_format& f, std::uint32_t code) {
  return mx::to_binary32(mx::decode(f.scale, code));
}

std::uint32_t chosen(const block_format& f, scale_rule rule, const floats& x) {
  const auto count = static_cast<int>(x.size());
  return mx::finite_scale_code({f, rule}, x.data(), count, mx::extent_of(x.data(), count).amax,
                               mx::no_tensor_scale);
}

TEST_CASE("mse_takes_the_best_of_three_neighbours_the_middle_one_then_the_lower_one_first") {
  std::mt19937 random(1);
  int lower = 0, middle = 0, upper = 0;
  for (const mx::format& scale : {formats::e8m0, formats::e8m(3), formats::ue4m3, formats::ue5m3}) {
    for (const mx::format& element : {formats::e2m1, formats::e2m3, formats::e3m2}) {
      const block_format f{element, scale, 1, 16};
      for (int i = 0; i < 150; ++i) {
        const floats x = small_integers(random, 0.25F);
        const mx::unpacked amax = mx::extent_of(x.data(), 16).amax;
        const scale_rule start = scale == formats::e8m0 ? scale_rule::rceil : scale_rule::ideal;
        const std::uint32_t base = mx::scale_code_of(f, start, amax, mx::no_tensor_scale);
        const auto error = [&](std::uint32_t code) {
          return error_under(f, x, scale_value(f, code), measure::squares);
        };
        std::uint32_t best = base;
        for (const std::uint32_t code : {base - 1, base + 1}) {
          if (error(code) < error(best)) best = code;
        }
        REQUIRE(chosen(f, scale_rule::mse, x) == best);
        (best == base ? middle : (best < base ? lower : upper)) += 1;
      }
    }
  }
  CHECK(lower > 20);
  CHECK(middle > 20);
  CHECK(upper > 20);
}

TEST_CASE("mse_searches_below_the_largest_scale_too") {
  const block_format f{formats::e2m1, formats::ue4m3, 1, 4};
  // 448 is the nearest to 433, but 416 errs less: 6 * 416 is 2496, amax is 2598.
  const floats x{2598.0F, 1248.0F, 1248.0F, 2496.0F};
  CHECK(chosen(f, scale_rule::ideal, x) == 126);
  CHECK(chosen(f, scale_rule::mse, x) == 125);
}

TEST_CASE("mse_keeps_the_largest_scale_where_amax_is_far_beyond_it") {
  const block_format f{formats::e5m2, formats::ue4m3, 1, 4};
  for (const float amax : {0x1p30F, 0x1p45F, 0x1p46F, 0x1p47F, 0x1p100F, 0x1.fffffep127F}) {
    CHECK(chosen(f, scale_rule::mse, {amax, 1.0F, 0x1p-100F, -amax / 3}) == 126);
  }
}

TEST_CASE("mse_may_keep_a_scale_of_zero_where_the_smallest_is_no_better") {
  const block_format f{formats::e2m1, formats::ue4m3, 1, 4};
  CHECK(chosen(f, scale_rule::mse, {0x1p-12F, 0, 0, 0}) == 0);
  CHECK(chosen(f, scale_rule::mse, {0x1.8p-9F, 0, 0, 0}) == 1);
}

TEST_CASE("four_over_six_takes_4_only_where_that_errs_less_by_its_measure") {
  struct row {
    scale_rule rule;
    measure by;
  };
  std::mt19937 random(2);
  for (const row r : {row{scale_rule::four_over_six_mse, measure::squares},
                      row{scale_rule::four_over_six_mae, measure::magnitudes},
                      row{scale_rule::four_over_six_abs_max, measure::largest}}) {
    int fours = 0, sixes = 0;
    for (const mx::format& scale : {formats::ue4m3, formats::ue5m3, formats::e8m(2)}) {
      const block_format f{formats::e2m1, scale, 1, 16};
      for (int i = 0; i < 300; ++i) {
        const floats x = small_integers(random, i % 2 == 0 ? 0.25F : 0x1p-9F);
        const std::uint32_t six = chosen(f, scale_rule::ideal, x);
        const std::uint32_t four = chosen(f, scale_rule::static_four, x);
        const bool better = error_under(f, x, scale_value(f, four), r.by) <
                            error_under(f, x, scale_value(f, six), r.by);
        REQUIRE(chosen(f, r.rule, x) == (better ? four : six));
        (better ? fours : sixes) += 1;
      }
    }
    CHECK(fours > 50);
    CHECK(sixes > 50);
  }
}

TEST_CASE("quest_follows_the_standard_deviation_and_not_the_mean") {
  const block_format f{formats::e2m1, formats::e8m0, 1, 4};
  // std 1: 2.92.. / 6 lies in [2^-2, 2^-1).
  CHECK(chosen(f, scale_rule::quest, {1, -1, 1, -1}) == 127 - 2);
  CHECK(chosen(f, scale_rule::quest, {101, 99, 101, 99}) == 127 - 2);
  CHECK(chosen(f, scale_rule::quest, {1, 1, 1, 1}) == 0);
  for (int k = -100; k < 100; ++k) {
    const float unit = std::ldexp(1.0F, k);
    CHECK(chosen(f, scale_rule::quest, {unit, -unit, unit, -unit}) ==
          static_cast<std::uint32_t>(127 - 2 + k));
    // One octave more from 6 * 2^e / 2.92.. on: 4.1061 of these units.
    CHECK(chosen(f, scale_rule::quest, {4.106F * unit, -4.106F * unit}) ==
          static_cast<std::uint32_t>(127 + k));
    CHECK(chosen(f, scale_rule::quest, {4.107F * unit, -4.107F * unit}) ==
          static_cast<std::uint32_t>(127 + 1 + k));
  }
  const block_format int8{formats::int8, formats::e8m0, 1, 4};
  CHECK(chosen(int8, scale_rule::quest, {1, -1, 1, -1}) == 127);  // 2.92.. / 1.98..: [1, 2)
}

TEST_CASE("quest_cuts_elements_30_binary_places_below_amax") {
  // Half of a + |t| is the standard deviation, and 2.92.. / 6 times that reaches 1 where
  // |t| >= 28.795.. * 2^-28; the cut is at 2^-28.
  const block_format f{formats::e2m1, formats::e8m0, 1, 2};
  const float a = mx::float_of(0x40836533);
  CHECK(chosen(f, scale_rule::quest, {a, -29 * 0x1p-28F}) == 127);
  CHECK(chosen(f, scale_rule::quest, {a, -28 * 0x1p-28F}) == 126);
  CHECK(chosen(f, scale_rule::quest, {a, -28.9375F * 0x1p-28F}) == 126);
}

TEST_CASE("quest_does_not_depend_on_order_or_sign") {
  std::mt19937 random(3);
  const block_format f{formats::e4m3, formats::e8m0, 1, 256};
  for (int i = 0; i < 100; ++i) {
    floats x(256);
    for (float& value : x) {
      value = mx::float_of((random() & 0x807FFFFFU) | (90U + random() % 40U) << 23);
    }
    const std::uint32_t code = chosen(f, scale_rule::quest, x);
    std::shuffle(x.begin(), x.end(), random);
    REQUIRE(chosen(f, scale_rule::quest, x) == code);
    for (float& value : x) value = -value;
    REQUIRE(chosen(f, scale_rule::quest, x) == code);
    for (float& value : x) value *= 0x1p13F;
    REQUIRE(chosen(f, scale_rule::quest, x) == code + 13);
  }
}

TEST_CASE("a_wide_sum_keeps_its_sign_beyond_128_bits") {
  const mx::wide_integer factor = (mx::wide_integer{1} << 62) - 1;
  const mx::wide_integer other = (mx::wide_integer{1} << 85) - 1;
  mx::wide_sum sum;
  CHECK_FALSE(sum.negative());
  for (int i = 0; i < 1000; ++i) sum.add(factor, other);
  CHECK_FALSE(sum.negative());
  for (int i = 0; i < 1000; ++i) sum.add(factor, -other);
  CHECK_FALSE(sum.negative());
  sum.add(1, -1);
  CHECK(sum.negative());
  sum.add(1, 1);
  CHECK_FALSE(sum.negative());
  for (int i = 0; i < 1000; ++i) sum.add(-factor, other);
  CHECK(sum.negative());
}

}  // namespace
