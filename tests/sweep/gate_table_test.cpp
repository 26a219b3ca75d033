// SPDX-License-Identifier: Apache-2.0
// tests/sweep/gate_table_test.cpp: gates are those of area.csv, and marked where they are not.
#include "sim/sweep/gate_table.h"

#include <cmath>
#include <vector>

#include "catch.h"
#include "sim/sweep/pareto_front.h"
#include "tests/sweep/sweep_text.h"

namespace {

/// Gates of MXFP4 under Blackwell's model with another window.
std::optional<sim::gate_figure> gates_with_window(int bits) {
  const auto list = sim::points_of(test::sweep_of(
      "model = \"blackwell.mxf4\"\nsum_fraction_bits = " + std::to_string(bits) + "\n"));
  return list.points.front().gates;
}

}  // namespace

TEST_CASE("gates_are_those_of_the_synthesized_design") {
  const auto counted = gates_with_window(35);
  REQUIRE(counted);
  CHECK(counted->source == sim::gate_source::counted);
  CHECK(counted->gates == (17627.5 + 3208.5) / 64);  // the first row of area.csv
  CHECK(counted->depth == 70);
}

TEST_CASE("gates_between_two_windows_are_interpolated_and_beyond_them_there_are_none") {
  const auto between = gates_with_window(28);
  REQUIRE(between);
  CHECK(between->source == sim::gate_source::interpolated);
  CHECK(between->gates ==
        Approx(0.7 * gates_with_window(25)->gates + 0.3 * gates_with_window(35)->gates));
  CHECK(between->depth ==
        Approx(0.7 * gates_with_window(25)->depth + 0.3 * gates_with_window(35)->depth));
  CHECK_FALSE(gates_with_window(20));
  CHECK_FALSE(gates_with_window(36));
}

TEST_CASE("constraints_and_costs_know_gates_and_depth_where_a_design_is_counted") {
  const sim::sweep_point point =
      sim::points_of(test::sweep_of("model = \"blackwell.mxf4\"\n")).points.front();
  CHECK(point.cost("bits") == 4.25);
  CHECK(point.cost("gates") == (17627.5 + 3208.5) / 64);
  CHECK(point.cost("depth") == 70);
  const sim::sweep_point without =
      sim::points_of(test::sweep_of("model = \"fp32.pairwise\"\n")).points.front();
  CHECK_FALSE(without.cost("gates"));
  CHECK_FALSE(without.cost("depth"));
  const auto study = test::sweep_of("model = \"blackwell.mxf4\"\n", "page_cost = \"depth\"\n");
  CHECK(sim::cost_of(study, point) == 70);
  CHECK(std::isnan(sim::cost_of(study, without)));
  const auto windows = [&](const std::string& constraint) {
    std::vector<int> found;
    for (const sim::sweep_point& p :
         sim::points_of(
             test::sweep_of("model = \"blackwell.mxf4\"\nsum_fraction_bits = [25, 30, 35]\n",
                            "constraints = [\"" + constraint + "\"]\n"))
             .points) {
      found.push_back(p.plan->model.sum.fraction_bits);
    }
    return found;
  };
  CHECK(windows("depth < 70") == std::vector{25, 30});
  CHECK(windows("depth >= 70") == std::vector{35});
  CHECK(windows("gates < 320") == std::vector{25});
}

TEST_CASE("another_sum_is_other_hardware") {
  const auto list = sim::points_of(
      test::sweep_of("model = \"blackwell.mxf4\"\nsum_cut = [\"toward-zero\", \"down\"]\n"));
  CHECK(list.points[0].gates);
  CHECK_FALSE(list.points[1].gates);
}
