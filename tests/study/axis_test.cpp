// SPDX-License-Identifier: Apache-2.0
// tests/study/axis_test.cpp: ticks and ends of axes, of any numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catch.h"
#include "sim/report/chart.h"
#include "sim/report/figure_text.h"

namespace {

constexpr double largest = std::numeric_limits<double>::max();

struct range {
  double low, high;
};

/// Whether an axis has some ticks, all at different places within a width of 100.
void check_axis(const sim::axis_ticks& ticks) {
  CHECK(ticks.places.size() >= 2);
  CHECK(ticks.places.size() <= 20);
  const sim::scale_of_axis scale{ticks.low, ticks.high, 0, 100};
  double last = -1;
  for (const double place : ticks.places) {
    CHECK(scale.at(place) > last);
    last = scale.at(place);
  }
  CHECK(last < 101);
}

TEST_CASE("an_axis_ends_and_has_ticks_at_different_places_whatever_its_numbers_are") {
  for (const range r : std::to_array<range>({{0, 0},
                                             {0, 1},
                                             {0.1, 0.75},
                                             {40, 40},
                                             {3e15, 3e15},
                                             {3e15, 3e15 + 0.5},
                                             {1e17, 1e17 + 16},
                                             {-1e300, -1e300},
                                             {-1e300, 1e300},
                                             {1e300, std::nextafter(1e300, HUGE_VAL)},
                                             {-largest, largest},
                                             {largest, largest},
                                             {-HUGE_VAL, HUGE_VAL},
                                             {HUGE_VAL, HUGE_VAL},
                                             {NAN, NAN},
                                             {0, 5e-324}})) {
    CAPTURE(r.low, r.high);
    const sim::axis_ticks ticks = sim::ticks_between(r.low, r.high, 5);
    check_axis(ticks);
    if (std::isfinite(r.low)) {
      CHECK(ticks.low <= r.low);
      CHECK(ticks.high >= std::min(r.high, 1.7e308));
    }
  }
}

TEST_CASE("labels_of_ticks_are_short_and_tell_them_apart") {
  for (const double v : {3e15, -1e300, 1e17, largest}) {
    const sim::axis_ticks ticks = sim::ticks_between(v, v, 5);
    std::vector<std::string> labels;
    for (const double place : ticks.places) {
      labels.push_back(sim::number_text(place, ticks.decimals));
    }
    for (const std::string& label : labels) CHECK(sim::characters_in(label) <= 17);
    std::ranges::sort(labels);
    CHECK(std::ranges::adjacent_find(labels) == labels.end());
  }
  CHECK(sim::number_text(3e15, 0) == "3e15");
  CHECK(sim::number_text(-1e300) == "\u22121e300");
  CHECK(sim::number_text(999999999999999.0, 0) == "999999999999999");
}

TEST_CASE("charts_of_equal_or_of_the_largest_numbers_have_no_place_that_is_no_number") {
  const auto complete = [](const std::string& drawn) {
    return drawn.find("nan") == std::string::npos && drawn.find("inf") == std::string::npos;
  };
  for (const range r : {range{3e15, 3e15}, range{-largest, largest}, range{largest, largest}}) {
    CAPTURE(r.low, r.high);
    const std::pair both{r.low, r.high};
    CHECK(complete(sim::draw(sim::curve_chart{
        "", "", "", both, both, {{"arm", 0, {r.low, r.high}, {r.low, r.high}, {}, {}}}})));
    CHECK(complete(
        sim::draw(sim::dot_chart{"",
                                 "",
                                 {"arm"},
                                 {"all"},
                                 {"one", "two"},
                                 {{{sim::estimate{r.low, 1}, sim::estimate{r.high, largest}}}},
                                 {}})));
    CHECK(complete(sim::draw(sim::bar_chart{"", "", {"a"}, {"b"}, {{std::abs(r.low)}}})));
  }
}

TEST_CASE("lines_leave_out_what_is_no_number_and_bands_end_with_the_axis") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), far = 1e6;
  const std::string drawn = sim::draw(sim::curve_chart{
      "",
      "",
      "",
      {1, 3},
      {0, 1},
      {{"arm", 0, {1, 2, 3}, {0.25, nan, 0.5}, {-far, -far, -far}, {far, far, far}}}});
  CHECK(drawn.find("nan") == std::string::npos);
  CHECK(drawn.find("1 0.25;3 0.5") != std::string::npos);
  int digits = 0, most = 0;
  for (const char c : drawn) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    most = std::max(most, digits);
  }
  CHECK(most <= 4);
}

}  // namespace
