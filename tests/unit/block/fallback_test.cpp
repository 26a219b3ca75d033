// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/fallback_test.cpp: mx/block/fallback.h, its scores against exact rationals.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "golden/reference/binary32.h"
#include "mx/block/block_quantizer.h"
#include "mx/block/fallback.h"

namespace {

using golden::rational;
using mx::fallback_score;
using floats = std::vector<float>;

struct granule {
  floats x;
  std::vector<std::uint8_t> codes;
  mx::unpacked amax;
};

granule granule_of(const floats& x) {
  const mx::quantization q{{mx::formats::e2m1, mx::formats::e8m0, 1, 32}};
  granule g{x, std::vector<std::uint8_t>(x.size()),
            mx::extent_of(x.data(), static_cast<int>(x.size())).amax};
  for (std::size_t i = 0; i < x.size(); i += 32) {
    mx::quantize_block(q, x.data() + i, mx::no_tensor_scale, 0, g.codes.data() + i);
  }
  return g;
}

bool is_fallen_back(fallback_score score, float threshold, const granule& g) {
  const auto count = static_cast<int>(g.x.size());
  const mx::granule_energy energy =
      mx::granule_energy_of(mx::formats::e2m1, g.x.data(), g.codes.data(), count, g.amax);
  return mx::is_fallen_back(score, threshold, energy, count, g.amax);
}

/// |x| truncated to a multiple of 2^(floor(log2 amax) - 30), and the sums of the squares of these.
struct exact_energy {
  rational all = 0, dead = 0, amax_squared = 0;
};

exact_energy energy_of(const granule& g) {
  exact_energy energy;
  if (g.amax.is_zero()) return energy;
  const rational unit = golden::power_of_two(g.amax.floor_log2() - 30);
  for (std::size_t i = 0; i < g.x.size(); ++i) {
    const rational cut =
        unit * rational(golden::floor_of(golden::value_of(g.x[i]).magnitude / unit));
    energy.all += cut * cut;
    if (g.codes[i] % 8 == 0) energy.dead += cut * cut;
    energy.amax_squared = std::max(energy.amax_squared, rational(cut * cut));
  }
  return energy;
}

bool expected(fallback_score score, float threshold, const granule& g) {
  const exact_energy energy = energy_of(g);
  const rational t = golden::value_of(threshold).magnitude;
  if (score == fallback_score::amax) {
    rational amax = 0;
    for (const float value : g.x) amax = std::max(amax, golden::value_of(value).magnitude);
    return amax > t;
  }
  if (score == fallback_score::dead_energy) return energy.dead > t * energy.all;
  return energy.amax_squared * g.x.size() > t * t * energy.all;
}

floats random_values(std::size_t count, std::mt19937& random) {
  floats x(count);
  const std::uint32_t binades = 1 + static_cast<std::uint32_t>(random()) % 45;
  const std::uint32_t lowest = static_cast<std::uint32_t>(random()) % (255 - binades);
  for (float& value : x) {
    value = mx::float_of((random() & 0x807FFFFFU) | (lowest + random() % binades) << 23);
  }
  return x;
}

/// The score as a float, and its neighbours: where the result changes.
std::vector<float> thresholds_near(double score) {
  const auto middle = static_cast<float>(score);
  return {
      middle,       std::nextafter(middle, 0.0F), std::nextafter(middle, 1e30F), middle / 2, 0.0F,
      middle * 1.5F};
}

TEST_CASE("a_granule_falls_back_where_its_exact_score_exceeds_the_threshold") {
  std::mt19937 random(1);
  int fallen = 0, kept = 0;
  for (int i = 0; i < 120; ++i) {
    const granule g = granule_of(random_values(i % 2 == 0 ? 32 : 128, random));
    const exact_energy energy = energy_of(g);
    const double dead = rational(energy.dead / energy.all).convert_to<double>();
    const double crest =
        std::sqrt(rational(energy.amax_squared * g.x.size() / energy.all).convert_to<double>());
    const double amax = mx::to_binary32(g.amax);
    const auto check = [&](fallback_score score, double value) {
      for (const float threshold : thresholds_near(value)) {
        INFO("score " << static_cast<int>(score) << ", threshold " << threshold);
        const bool falls = is_fallen_back(score, threshold, g);
        REQUIRE(falls == expected(score, threshold, g));
        (falls ? fallen : kept) += 1;
      }
    };
    check(fallback_score::dead_energy, dead);
    check(fallback_score::crest, crest);
    check(fallback_score::amax, amax);
  }
  CHECK(fallen > 300);
  CHECK(kept > 300);
}

TEST_CASE("an_integer_exceeds_a_quotient_by_a_power_of_two") {
  constexpr mx::wide_integer large = mx::wide_integer{1} << 126;
  CHECK(mx::exceeds(4, 7, 1));
  CHECK_FALSE(mx::exceeds(3, 7, 1));
  CHECK_FALSE(mx::exceeds(1, large, 126));
  CHECK(mx::exceeds(2, large, 126));
  for (const int shift : {127, 128, 254, 1000}) {
    CHECK(mx::exceeds(1, large, shift));
    CHECK_FALSE(mx::exceeds(0, large, shift));
  }
}

TEST_CASE("any_energy_exceeds_a_threshold_of_zero") {
  mx::granule_energy least;
  least.all = 1;
  const mx::unpacked one = mx::unpacked::positive(1, 0);
  CHECK(mx::is_fallen_back(fallback_score::crest, 0.0F, least, 32, one));
  CHECK_FALSE(mx::is_fallen_back(fallback_score::crest, 0.0F, {}, 32, one));
  CHECK_FALSE(mx::is_fallen_back(fallback_score::dead_energy, 0.0F, least, 32, one));
  least.dead = 1;
  CHECK(mx::is_fallen_back(fallback_score::dead_energy, 0.0F, least, 32, one));
}

TEST_CASE("a_score_equal_to_the_threshold_does_not_exceed_it") {
  floats x(32, 0.0F);
  x[0] = 4.0F;
  CHECK_FALSE(is_fallen_back(fallback_score::amax, 4.0F, granule_of(x)));
  CHECK(is_fallen_back(fallback_score::amax, 0x1.fffffep1F, granule_of(x)));
  // One of 32: crest is the root of 32 / 1; four equal ones: the root of 8; all equal: 1.
  const floats flat(32, 3.0F);
  CHECK_FALSE(is_fallen_back(fallback_score::crest, 1.0F, granule_of(flat)));
  CHECK(is_fallen_back(fallback_score::crest, 0x1.fffffep-1F, granule_of(flat)));
  floats two(32, 0.0F);
  two[3] = two[9] = -2.0F;
  CHECK_FALSE(is_fallen_back(fallback_score::crest, 4.0F, granule_of(two)));
  CHECK(is_fallen_back(fallback_score::crest, 0x1.fffffep1F, granule_of(two)));
  // 16 dead elements of 1/4 have the energy 1 of 64 = 1 + 3 * 16 + 9 + 4 + 1 + 1.
  floats dead(32, 0.0F);
  for (std::size_t i = 0; i < 16; ++i) dead[i] = 0.25F;
  dead[16] = dead[17] = dead[18] = 4.0F;
  dead[19] = 3.0F;
  dead[20] = 2.0F;
  dead[21] = dead[22] = 1.0F;
  CHECK_FALSE(is_fallen_back(fallback_score::dead_energy, 0x1p-6F, granule_of(dead)));
  CHECK(is_fallen_back(fallback_score::dead_energy, 0x1.fffffep-7F, granule_of(dead)));
}

TEST_CASE("a_granule_of_zeros_never_falls_back") {
  const granule zeros = granule_of(floats(32, -0.0F));
  for (const auto score :
       {fallback_score::dead_energy, fallback_score::amax, fallback_score::crest}) {
    CHECK_FALSE(is_fallen_back(score, 0.0F, zeros));
    CHECK_FALSE(is_fallen_back(score, 1.0F, zeros));
  }
}

TEST_CASE("thresholds_beyond_every_score_are_never_exceeded") {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const granule g = granule_of(random_values(64, random));
    for (const float threshold : {1.0F, 0x1p20F, 0x1p23F, 0x1p24F, 0x1.fffffep127F}) {
      CHECK_FALSE(is_fallen_back(fallback_score::dead_energy, threshold, g));
      if (threshold > 8) CHECK_FALSE(is_fallen_back(fallback_score::crest, threshold, g));
    }
    CHECK(is_fallen_back(fallback_score::crest, 0x1p-149F, g));
  }
}

TEST_CASE("a_magnitude_is_cut_toward_zero_at_any_distance") {
  CHECK(mx::cut_magnitude(mx::unpack(-5.5F), 0) == 5);
  CHECK(mx::cut_magnitude(mx::unpack(5.5F), -1) == 11);
  CHECK(mx::cut_magnitude(mx::unpack(5.5F), -20) == 11U << 19);
  CHECK(mx::cut_magnitude(mx::unpack(0x1p-149F), 0) == 0);
  CHECK(mx::cut_magnitude(mx::unpack(0.0F), -30) == 0);
  CHECK(mx::cut_magnitude(mx::unpack(1.0F), 100) == 0);
}

}  // namespace
