// SPDX-License-Identifier: Apache-2.0
// tests/study/matched_entropy_test.cpp: entropy at matched reward on the page: rows that can be
// matched, and a statement where none can.
#include "catch.h"
#include "page_checks.h"
#include "sim/report/run_data.h"

namespace {

using sim::metric_row;

void add(std::vector<metric_row>& rows, const std::string& arm, int step, double reward,
         double entropy) {
  rows.push_back({"train", arm, step, {}, "", "", "reward", reward, {}});
  rows.push_back({"train", arm, step, {}, "", "", "entropy", entropy, {}});
}

sim::run_data run_of(const std::vector<metric_row>& rows) {
  sim::study s;
  for (const char* name : {"fp32", "mxfp4", "falling"}) s.arms.push_back({name, {}, {}, {}});
  return {s, "0", sim::metrics(rows)};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("arms_that_reach_no_level_are_named_in_one_sentence") {
  std::vector<metric_row> rows;
  for (int step = 1; step <= 10; ++step) {
    add(rows, "fp32", step, 0.1 * step, 0.5);
    add(rows, "mxfp4", step, 0.1 * step, 1 - 0.05 * step);
    add(rows, "falling", step, 2 - 0.1 * step, 0.5);
  }
  const std::string page = sim::entropy_section(run_of(rows));
  INFO(page);
  CHECK(complaint_of(page) == "");
  // The reward's means of five steps are 0.3 to 0.8 in steps of 0.1, those of entropy 0.85 to 0.6.
  CHECK(has(page, "<th>at 0.40</th><th>at 0.45</th><th>at 0.50</th>"));
  CHECK(has(page, "<td>0.800</td><td>0.775</td><td>0.750</td>"));
  CHECK(has(page, "No level is reached from below by falling."));
  CHECK_FALSE(has(page, "<th>falling</th>"));
}

TEST_CASE("a_statement_stands_where_nothing_can_be_matched") {
  std::vector<metric_row> rows;
  for (int step = 1; step <= 10; ++step) {
    for (const char* arm : {"fp32", "mxfp4", "falling"}) add(rows, arm, step, 1 - 0.05 * step, 0.5);
  }
  const std::string page = sim::entropy_section(run_of(rows));
  CHECK(has(page, "no reward to match entropies at"));
  CHECK_FALSE(has(page, "<table"));
  CHECK(has(sim::entropy_section(run_of({})), "Fewer than five training steps"));
}

}  // namespace
