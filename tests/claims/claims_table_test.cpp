// SPDX-License-Identifier: Apache-2.0
// tests/claims/claims_table_test.cpp: the tables of two claims over three seeds, character by
// character where people read them.
#include "sim/claims/claims_table.h"

#include "catch.h"
#include "tests/claims/synthetic_runs.h"

namespace {

/// mbs - mxfp4 is 1, 2, 6: mean 3, deviation sqrt(7), t_2 = 4.3027.
sim::claims_plan plan() {
  auto p = test::plan_of(
      {test::claim("mbs", sim::claim_rule::positive, {"mbs - mxfp4"}, "0.5 fp32 - 0.5 mxfp4"),
       test::claim("identity", sim::claim_rule::zero, {"of"})},
      3);
  p.claims[0].says = "Macro blocks help";
  p.metrics[0].factor = 1;
  return p;
}

std::vector<sim::claim_result> results(const sim::claims_plan& p) {
  std::vector<sim::seed_metrics> runs;
  for (const double v : {1, 2, 6}) {
    runs.push_back(test::run_of(101 + runs.size(),
                                {{"mbs", v}, {"mxfp4", 0}, {"fp32", 4}, {"of", v == 6 ? 1 : 0}}));
  }
  return test::decided(p, runs);
}

}  // namespace

TEST_CASE("the_terminal_shows_each_contrast_and_counts_verdicts") {
  const std::string text = sim::terminal_claims(plan(), results(plan()));
  CHECK(text.starts_with("3 seeds, 101 to 103; family-wise level 0.05\n"));
  CHECK(text.find("accuracy: mbs - mxfp4") != std::string::npos);
  CHECK(text.find("\u22123.6 to 9.6") != std::string::npos);
  CHECK(text.find("identity: 1 values are not 0\n") != std::string::npos);
  CHECK(text.ends_with("0 PASS, 1 FAIL, 1 INCONCLUSIVE\n"));
}

TEST_CASE("markdown_names_hashes_command_and_p_values") {
  const std::string text = sim::markdown_claims(plan(), results(plan()), "mxprism repro x -o DIR");
  CHECK(text.find("`mxprism repro x -o DIR`") != std::string::npos);
  CHECK(text.find("| mbs | INCONCLUSIVE | accuracy: mbs - mxfp4 |  | 3.0 | \u22123.6 to 9.6 |") !=
        std::string::npos);
  CHECK(text.find("- **mbs**: Macro blocks help\n") != std::string::npos);
}

TEST_CASE("the_csv_has_every_seeds_contrast_and_margin") {
  CHECK(sim::csv_claims(plan(), results(plan())) ==
        "claim,metric,contrast,meaning,seed,value,margin\n"
        "mbs,accuracy,mbs - mxfp4,,101,1,2\n"
        "mbs,accuracy,mbs - mxfp4,,102,2,2\n"
        "mbs,accuracy,mbs - mxfp4,,103,6,2\n"
        "identity,accuracy,of,,101,0,\n"
        "identity,accuracy,of,,102,0,\n"
        "identity,accuracy,of,,103,1,\n");
}
