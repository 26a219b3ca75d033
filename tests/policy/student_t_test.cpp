// SPDX-License-Identifier: Apache-2.0
// tests/policy/student_t_test.cpp: fill_student_t of sim/policy/normal_numbers.h against the
// closed forms of Student's law, and the initial weights that draw from it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "catch.h"
#include "instruction_sets.h"
#include "sim/policy/normal_numbers.h"
#include "tiny_policy.h"

namespace {

using floats = std::vector<float>;
constexpr std::ptrdiff_t draws = 1 << 18;
constexpr double quartile = 0.674489750196;  // of normal numbers

floats student_t(int degrees, std::ptrdiff_t count, float deviation = 1.0F) {
  floats out(static_cast<std::size_t>(count));
  sim::fill_student_t(7, 1U << 24, 3, degrees, deviation, out.data(), count);
  return out;
}

/// Distribution function for 1 to 5 degrees of freedom.
double distribution(int degrees, double t) {
  const double n = degrees, w = 1 + t * t / n, angle = std::atan(t / std::sqrt(n));
  switch (degrees) {
    case 1:
      return 0.5 + angle / std::numbers::pi;
    case 2:
      return 0.5 + t / (2 * std::sqrt(2 + t * t));
    case 3:
      return 0.5 + (t / std::sqrt(3.0) / w + angle) / std::numbers::pi;
    case 4:
      return 0.5 + 0.375 * t / std::sqrt(w) * (1 - t * t / w / 12);
    default:
      return 0.5 + (t / std::sqrt(5.0) / w * (1 + 2 / (3 * w)) + angle) / std::numbers::pi;
  }
}

/// Factor from the numbers to Student's law.
double unscaled(int degrees) {
  if (degrees == 1) return 1 / quartile;
  if (degrees == 2) return std::sqrt(2.0 / 3) / quartile;
  return std::sqrt(degrees / (degrees - 2.0));
}

/// Largest distance of the numbers' distribution to Student's.
double distance(int degrees, floats numbers) {
  std::ranges::sort(numbers);
  const auto n = static_cast<double>(numbers.size());
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double p = distribution(degrees, double{numbers[i]} * unscaled(degrees));
    const auto below = static_cast<double>(i);
    worst = std::max({worst, p - below / n, (below + 1) / n - p});
  }
  return worst;
}

TEST_CASE("numbers_follow_students_law_of_their_degrees_and_no_neighbouring_one") {
  const double limit = 1.95 / std::sqrt(static_cast<double>(draws));  // 1 in 1,000
  for (int degrees = 1; degrees <= 5; ++degrees) {
    const floats numbers = student_t(degrees, draws);
    INFO(degrees << " degrees of freedom");
    CHECK(distance(degrees, numbers) < limit);
    if (degrees > 1) CHECK(distance(degrees - 1, numbers) > limit);
  }
}

TEST_CASE("numbers_have_the_deviation_or_the_interquartile_range_of_normal_ones") {
  for (const int degrees : {5, 10, 100}) {
    double squares = 0;
    for (const float x : student_t(degrees, draws, 0.5F)) squares += double{x} * double{x};
    INFO(degrees << " degrees of freedom");
    CHECK(std::fabs(squares / draws / 0.25 - 1) < 0.025);  // 4.5 standard errors of the widest law
  }
  for (const int degrees : {1, 2}) {
    floats sizes = student_t(degrees, draws, 0.5F);
    for (float& x : sizes) x = std::fabs(x);
    std::ranges::nth_element(sizes, sizes.begin() + draws / 2);
    CHECK(std::fabs(double{sizes[draws / 2]} - 0.5 * quartile) < 0.005);
  }
}

TEST_CASE("numbers_are_independent_of_their_neighbours_and_of_the_other_half") {
  const floats numbers = student_t(2, draws);
  for (const std::ptrdiff_t apart : {std::ptrdiff_t{1}, std::ptrdiff_t{16}, draws / 2}) {
    std::ptrdiff_t both = 0;
    for (std::ptrdiff_t i = 0; i + apart < draws; ++i) {
      const auto at = static_cast<std::size_t>(i), next = static_cast<std::size_t>(i + apart);
      const bool large = std::fabs(numbers[at]) > quartile;
      both += large && std::fabs(numbers[next]) > quartile ? 1 : 0;
    }
    const auto n = static_cast<double>(draws - apart);
    INFO(apart << " apart");
    CHECK(std::fabs(static_cast<double>(both) / n - 0.25) < 5 * std::sqrt(0.1875 / n));
  }
}

/// FNV-1a over the bits.
std::uint64_t digest(const floats& numbers) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::uint32_t word : test::bits(numbers)) {
    hash = (hash ^ word) * 0x100000001B3;
  }
  return hash;
}

TEST_CASE("numbers_have_the_same_bits_on_every_machine_and_instruction_set") {
  test::on_all_instruction_sets([] {
    CHECK(digest(student_t(1, 1000)) == 0x6133F2E6C052FF97);
    CHECK(digest(student_t(2, 1000)) == 0xFB4EF07B1D2CA980);
    CHECK(digest(student_t(5, 1000)) == 0xA40E088EE065489D);
  });
}

TEST_CASE("initial_weights_are_normal_unless_the_shape_names_another_law") {
  sim::policy_shape shape = test::tiny_shape(2);
  CHECK(digest(sim::initial_weights(sim::parameter_table(shape), 1)) == 0x994B0FCD28DA9BB0);
  const floats normal = sim::initial_weights(sim::parameter_table(shape), 1);
  shape.outliers.weights = sim::weight_law::student_t;
  shape.outliers.degrees = 3;
  const sim::parameter_table table(shape);
  const floats heavy = sim::initial_weights(table, 1);
  CHECK(digest(heavy) == 0xDC754BB77795BC3B);
  for (const sim::parameter& p : table.all()) {
    INFO(p.name);
    for (int i = 0; i < p.columns; ++i) {
      const auto at = static_cast<std::size_t>(p.offset + i);
      if (p.rows == 1) {
        REQUIRE(heavy[at] == 1.0F);
      } else {
        REQUIRE((heavy[at] > 0) == (normal[at] > 0));  // the same numerators
        REQUIRE(heavy[at] != normal[at]);
      }
    }
  }
}

}  // namespace
