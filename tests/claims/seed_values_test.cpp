// SPDX-License-Identifier: Apache-2.0
// tests/claims/seed_values_test.cpp: the figures that a contrast reads, and those that it refuses.
#include "sim/claims/seed_values.h"

#include <limits>

#include "catch.h"
#include "tests/claims/synthetic_runs.h"

namespace {

using test::claim;

std::vector<double> values(const sim::stated_claim& c, std::vector<sim::metric_row> rows,
                           const sim::chosen_metric& m = test::accuracy()) {
  auto plan = test::plan_of({c}, 1);
  plan.metrics = {m};
  std::vector<sim::seed_metrics> runs;
  runs.push_back({101, "seed-101/metrics.jsonl", sim::metrics(std::move(rows))});
  std::vector<double> result;
  const auto claims = sim::values_of(plan, runs);
  for (const auto& contrast : claims.front()) {
    result.push_back(contrast.values.front());
  }
  return result;
}

const sim::stated_claim mbs = claim("mbs", sim::claim_rule::positive, {"mbs"});

}  // namespace

TEST_CASE("weights_and_factors_multiply_figures") {
  auto m = test::accuracy();
  m.factor = -2;
  const auto c = claim("x", sim::claim_rule::positive, {"- mbs + 0.5 of"});
  CHECK(values(c, {test::final_accuracy("mbs", 3), test::final_accuracy("of", 8)}, m) ==
        std::vector<double>{-2});
}

/// Cells of S, D, SD, G, SG, DG, SDG under injection, worked out in study_statistics; and of
/// operation.
std::vector<sim::metric_row> rows_of_cells() {
  std::vector<sim::metric_row> rows;
  for (const auto& [arm, value] : test::arm_figures{{"fp32", 0},
                                                    {"inj-s", 1},
                                                    {"inj-d", 2},
                                                    {"inj-sd", 4},
                                                    {"inj-g", 3},
                                                    {"inj-sg", 2},
                                                    {"inj-dg", 6},
                                                    {"mxfp4", 9},
                                                    {"op-sd", 2},
                                                    {"op-sg", 3}}) {
    rows.push_back(test::final_accuracy(arm, value));
  }
  return rows;
}

TEST_CASE("shapley_values_are_those_of_each_meaning") {
  const std::vector<sim::metric_row> rows = rows_of_cells();
  const auto c = claim("x", sim::claim_rule::positive, {"shapley.S", "shapley.D - shapley.G"});
  // Under operation S adds nothing but to D and G together: a third of 3.
  CHECK(values(c, rows) == std::vector<double>{1.5, 0.5, 1, -1});
}

TEST_CASE("a_diverged_arm_counts_as_the_key_says_and_is_never_dropped") {
  std::vector<sim::metric_row> rows{{"train", "mbs", 7, {}, "", "", "diverged", 1, {}}};
  CHECK(values(mbs, rows) == std::vector<double>{0});
  auto m = test::accuracy();
  m.diverged.reset();
  CHECK_THROWS_AS(values(mbs, rows, m), sim::report_error);
}

TEST_CASE("rows_behind_a_divergence_are_no_measurements") {
  auto m = test::accuracy();
  m.diverged = -1;
  const auto with_mark_at = [&](long long step) {
    return values(
        mbs,
        {{"train", "mbs", step, {}, "", "", "diverged", 1, {}}, test::final_accuracy("mbs", 0.25)},
        m);
  };
  CHECK(with_mark_at(7) == std::vector<double>{-1});
  CHECK(with_mark_at(40) == std::vector<double>{-1});
  CHECK(with_mark_at(41) == std::vector<double>{0.25});
  CHECK(values(mbs, {test::final_accuracy("mbs", 0.25)}, m) == std::vector<double>{0.25});
  m.diverged.reset();
  CHECK(with_mark_at(41) == std::vector<double>{0.25});
  CHECK_THROWS_WITH(with_mark_at(7), Catch::Matchers::Contains("the key diverged says"));
}

TEST_CASE("a_margin_may_be_a_shapley_value_and_has_that_of_each_meaning") {
  const std::vector<sim::metric_row> rows = rows_of_cells();
  auto plan =
      test::plan_of({claim("x", sim::claim_rule::equivalent, {"fp32 - mxfp4"}, "shapley.S")}, 1);
  std::vector<sim::seed_metrics> runs;
  runs.push_back({101, "metrics.jsonl", sim::metrics(std::move(rows))});
  const auto measured = sim::values_of(plan, runs);
  REQUIRE(measured.front().size() == 2);
  CHECK(measured.front()[0].margins == std::vector<double>{1.5});
  CHECK(measured.front()[1].margins == std::vector<double>{1});
}

TEST_CASE("missing_ambiguous_and_infinite_figures_are_refused_by_file_metric_and_arm") {
  const auto refusal = [](std::vector<sim::metric_row> rows) {
    try {
      static_cast<void>(values(mbs, std::move(rows)));
    } catch (const sim::report_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto other_step = test::final_accuracy("mbs", 1), layered = other_step;
  other_step.step = 39;
  layered.layer = "0";
  for (const auto& rows : std::vector<std::vector<sim::metric_row>>{
           {test::final_accuracy("of", 1)}, {other_step}, {layered}}) {
    CHECK(refusal(rows).starts_with(
        "seed-101/metrics.jsonl: metric 'accuracy' of the claims (phase 'train', arm 'mbs', metric "
        "'accuracy', step 40): no row has it"));
  }
  CHECK(
      refusal({test::final_accuracy("mbs", 1), test::final_accuracy("mbs", 1)}).find("more than") !=
      std::string::npos);
  CHECK(refusal({test::final_accuracy("mbs", std::numeric_limits<double>::quiet_NaN())})
            .find("not finite") != std::string::npos);
}
