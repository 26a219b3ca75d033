// SPDX-License-Identifier: Apache-2.0
// tests/sweep/sweep_file_test.cpp: axes, conditions and what a sweep's file refuses.
#include "catch.h"
#include "sim/sweep/axis_reader.h"
#include "tests/sweep/sweep_text.h"

using test::contains;
using test::grid_refusal;
using test::refusal_of;
using test::sweep_of;

TEST_CASE("axes_are_values_lists_and_ranges") {
  const auto s = sweep_of(
      "block = { from = 16, to = 128, factor = 2 }\nmbs = \"128,8\"\n"
      "sum_fraction_bits = { from = 25, to = 35, step = 5 }\nscale_rule = [\"floor\", "
      "\"rceil\"]\n");
  const auto& axes = s.grids.front().axes;
  REQUIRE(axes.size() == 4);
  CHECK(axes[0].values == std::vector<std::string>{"16", "32", "64", "128"});
  CHECK(axes[1].values == std::vector<std::string>{"128,8"});
  CHECK(axes[2].values == std::vector<std::string>{"floor", "rceil"});
  CHECK(axes[3].values == std::vector<std::string>{"25", "30", "35"});
}

TEST_CASE("axes_without_values_are_refused_with_their_line") {
  CHECK(contains(grid_refusal("block = []\n"), "s.toml:7"));
  CHECK(contains(grid_refusal("block = []\n"), "without values"));
  CHECK(contains(grid_refusal("block = { from = 32, to = 16, step = 1 }\n"), "is empty"));
  CHECK(contains(grid_refusal("block = { from = 1, to = 2 }\n"), "a step or a factor"));
  CHECK(contains(grid_refusal("block = [32, 32]\n"), "listed twice"));
}

TEST_CASE("unknown_keys_get_the_nearest_one") {
  CHECK(contains(grid_refusal("blok = 32\n"), "block"));
  CHECK(contains(grid_refusal("block = 32\n", "serch = \"grid\"\n"), "search"));
}

TEST_CASE("keys_that_belong_together_are_missed") {
  CHECK(contains(grid_refusal("block = 32\n", "search = \"random\"\n"), "points"));
  CHECK(contains(grid_refusal("block = 32\n", "measures = [\"product\"]\n"), "[product]"));
  CHECK(contains(grid_refusal("block = { values = [16], when = \"scale == e8m0\" }\n"),
                 "no other axis"));
  CHECK(contains(grid_refusal("block = 32\n", "constraints = [\"bit <= 4\"]\n"), "bit is no axis"));
  CHECK(contains(grid_refusal("block = 32\n", "constraints = [\"bits 4\"]\n"), "NAME SIGN VALUE"));
}

TEST_CASE("conditions_compare_numbers_as_numbers_and_text_as_text") {
  const auto value = [](const std::string& name) -> std::optional<std::string> {
    if (name == "bits") return "4.50";
    if (name == "scale") return "e8m0";
    return {};
  };
  CHECK(sim::holds(sim::condition_in("bits <= 4.5 and scale == e8m0"), value));
  CHECK_FALSE(sim::holds(sim::condition_in("bits < 4.5"), value));
  CHECK_FALSE(sim::holds(sim::condition_in("scale != e8m0"), value));
  CHECK_FALSE(sim::holds(sim::condition_in("absent == 1"), value));
  CHECK(contains(refusal_of([&] { return sim::holds(sim::condition_in("scale < e8m0"), value); }),
                 "no number"));
}
