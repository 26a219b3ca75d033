// SPDX-License-Identifier: Apache-2.0
// tests/study/four_cells_test.cpp: the table of what trained and what evaluated, and the mark of a
// warm-up that missed its target.
#include <string>
#include <vector>

#include "catch.h"
#include "sim/report/report.h"
#include "sim/report/run_data.h"

namespace {

using sim::metric_row;

metric_row train(const std::string& arm, const std::string& metric, double value, int step = 40) {
  return {"train", arm, step, {}, "", "", metric, value, {}};
}

sim::run_data run_of(const std::vector<metric_row>& rows) {
  sim::study s;
  s.arms = {{"reference", {}, {}, {}}, {"coarse", {}, {}, {}}, {"rollout", {}, {}, {}}};
  return {s, "0", sim::metrics(rows)};
}

std::vector<metric_row> measured() {
  std::vector<metric_row> rows;
  for (const int step : {0, 40}) {
    const double later = step == 0 ? 0 : 1;
    rows.push_back(train("reference", "accuracy_sampled", 0.2 + 0.3 * later, step));
    rows.push_back(train("reference", "accuracy_sampled_in_fp32", 0.2 + 0.3 * later, step));
    rows.push_back(train("reference", "accuracy_sampled_of_fp32", 0.2 + 0.3 * later, step));
    rows.push_back(train("coarse", "accuracy_sampled_of_fp32", 0.1 + 0.3 * later, step));
    rows.push_back(train("coarse", "accuracy_sampled_in_fp32", 0.2 + 0.175 * later, step));
    rows.push_back(train("coarse", "accuracy_sampled", 0.1 + 0.25 * later, step));
  }
  rows.push_back(train("coarse", "accuracy_final_in_fp32", 0.36));
  return rows;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("the_cells_of_the_last_step_give_inference_learning_and_interaction") {
  const std::string table = sim::cells_section(run_of(measured()));
  INFO(table);
  CHECK(has(table, "after 40 steps on 1024 problems"));
  CHECK(has(table, "it is <b>0.500</b>"));
  // 0.4 - 0.5, 0.375 - 0.5, and 0.35 - 0.4 - 0.375 + 0.5.
  for (const char* cell : {"0.400", "0.375", "0.350", "\u22120.100", "\u22120.125", "+0.075",
                           "0.360 <small>\u00B1 0.005</small>"}) {
    INFO(cell);
    CHECK(has(table, ">" + std::string(cell) + "</td>"));
  }
  CHECK_FALSE(has(table, "rollout"));
}

TEST_CASE("the_page_begins_with_the_cells") {
  const std::string page = sim::page_of(run_of(measured()));
  CHECK(page.find("<section id=") == page.find("<section id=\"cells\">"));
  CHECK(page.find("<th>interaction</th>") < page.find("Sampled accuracy on fixed problems"));
  CHECK(has(sim::cells_section(run_of({train("reference", "reward", 0.1)})),
            "No arm was evaluated under FP32."));
}

TEST_CASE("the_page_marks_a_warm_up_that_missed_its_target_alone") {
  for (const double reached : {0.0, 1.0}) {
    const metric_row loss{"warm-up", "fp32", 1000, {}, "", "", "loss", 0.5, {}};
    const metric_row mark{"warm-up", "fp32", 1000, {}, "", "", "target_reached", reached, {}};
    CHECK(has(sim::page_of(run_of({loss, mark})), "it did not reach 0.2") == (reached == 0));
    CHECK_FALSE(has(sim::page_of(run_of({loss})), "did not reach"));
  }
}

TEST_CASE("the_terminal_shows_the_accuracy_under_fp32") {
  const std::string table = sim::terminal_table(run_of(measured()).figures);
  CHECK(has(table, "in FP32"));
  CHECK(has(table, "0.375"));
}

}  // namespace
