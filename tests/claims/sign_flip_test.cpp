// SPDX-License-Identifier: Apache-2.0
// tests/claims/sign_flip_test.cpp: Fisher's published count, and every sign vector of short
// samples.
#include "sim/claims/sign_flip.h"

#include <bit>
#include <random>
#include <vector>

#include "catch.h"

namespace {

/// By definition, in integers.
double listed(const std::vector<int>& values) {
  int own = 0;
  for (const int v : values) own += v;
  std::size_t count = 0;
  const std::size_t all = std::size_t{1} << values.size();
  for (std::size_t signs = 0; signs < all; ++signs) {
    int sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += (signs >> i & 1U) != 0 ? -values[i] : values[i];
    }
    if (sum >= own) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("darwins_maize_has_fishers_863_of_32768") {
  // R. A. Fisher, The Design of Experiments, section 21: eighths of an inch.
  const std::vector<double> maize{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  CHECK(sim::sign_flip_above_zero(maize) == 863.0 / 32768);
}

TEST_CASE("equal_sums_count_whatever_the_unit") {
  // Eighths of an inch as inches times an odd factor, where binary64 rounds each value.
  const std::vector<double> thousandths{.1, .2, .3, -.3, .6, .1};
  CHECK(sim::sign_flip_above_zero(thousandths) == listed({1, 2, 3, -3, 6, 1}));
}

TEST_CASE("equal_sums_count_where_a_margin_was_rounded") {
  // Accuracies, shares of 8192, and a margin of .2 of another effect.
  const std::vector<int> fp32{4095, 4281, 4500, 4035, 3961, 4904, 4035, 3502},
      mxfp4{3790, 3866, 4140, 3650, 3486, 4574, 3555, 3067},
      other{3759, 3803, 4088, 3593, 3411, 4488, 3469, 2980};
  const auto share = [](int solved) { return solved / 8192.0; };
  std::vector<int> fifths;  // of 1 / 8192, exact
  std::vector<double> rounded;
  for (std::size_t i = 0; i < fp32.size(); ++i) {
    fifths.push_back(5 * (other[i] - mxfp4[i]) + fp32[i] - mxfp4[i]);
    rounded.push_back(share(other[i]) - share(mxfp4[i]) + .2 * share(fp32[i]) -
                      .2 * share(mxfp4[i]));
  }
  CHECK(listed(fifths) == 14.0 / 256);
  CHECK(sim::sign_flip_above_zero(rounded) == 14.0 / 256);
}

TEST_CASE("short_samples_equal_the_list_of_all_sign_vectors") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<int> values(1 + random() % 11);
    for (int& v : values) v = static_cast<int>(random() % 9) - 4;
    const std::vector<double> scaled(values.begin(), values.end());
    REQUIRE(sim::sign_flip_above_zero(scaled) == listed(values));
  }
}

TEST_CASE("the_smallest_p_of_n_seeds_is_one_sign_vector") {
  CHECK(sim::sign_flip_above_zero(std::vector<double>(5, 0.25)) == 1.0 / 32);
  CHECK(sim::sign_flip_above_zero(std::vector<double>(24, 3)) == 0x1p-24);
  CHECK(sim::sign_flip_above_zero(std::vector<double>(3, 0)) == 1);
  CHECK(sim::sign_flip_above_zero(std::vector<double>(24, -1e300)) == 1);
}
