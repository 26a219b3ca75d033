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
  CHECK(text.find("identity: 1 value other than 0\n") != std::string::npos);
  CHECK(text.ends_with("0 PASS, 1 FAIL, 1 INCONCLUSIVE\n"));
}

TEST_CASE("markdown_names_hashes_command_and_p_values") {
  const std::string text = sim::markdown_claims(plan(), results(plan()),
                                                {"mxprism repro x -o DIR", "0123abc", "a machine"});
  CHECK(text.find("`mxprism repro x -o DIR`") != std::string::npos);
  CHECK(text.find("| mbs | INCONCLUSIVE | accuracy: mbs - mxfp4 |  | 3.0 | \u22123.6 to 9.6 |") !=
        std::string::npos);
  CHECK(text.find("Program: commit 0123abc. Machine: a machine.\n") != std::string::npos);
  // The smallest p-value of 3 seeds is 1/4, of 6 1/32.
  CHECK(text.find("- **mbs**: Macro blocks help \u2014 sign flips of 3 seeds show no effect at the "
                  "first step of Holm; those of 6 can\n") != std::string::npos);
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

TEST_CASE("a_spread_shows_its_standard_deviation_and_a_bound_its_number") {
  sim::claims_plan p = plan();
  p.claims = {test::claim("depth", sim::claim_rule::spread, {"mbs - mxfp4"}),
              test::claim("additivity", sim::claim_rule::at_most, {"mbs"})};
  p.claims[0].within = {0.5, 20};
  p.claims[1].contrasts[0].expected = 9;
  const std::string text = sim::terminal_claims(p, results(p));
  CAPTURE(text);
  // sqrt(7), and the 95 % interval of chi-square with 2 degrees of freedom: .05064 and 7.3778.
  CHECK(text.find("SD of accuracy: mbs - mxfp4 (within 0.5 to 20) ") != std::string::npos);
  CHECK(text.find(" 2.6    1.4 to 16.6 ") != std::string::npos);
  CHECK(text.find("accuracy: mbs (at most 9)") != std::string::npos);
}

TEST_CASE("an_open_claim_says_when_its_seeds_could_miss_half_of_the_papers_effect") {
  sim::claims_plan p = plan();
  const auto shown = [&] { return sim::terminal_claims(p, results(p)); };
  p.claims[0].paper_effect = 1e6;
  CHECK(shown().find("half of the paper's") == std::string::npos);
  p.claims[0].paper_effect = 4;
  CHECK(shown().find("is above half of the paper's, 2.00; the pilot did not say so") !=
        std::string::npos);
  // The smallest detectable effect is 8.6.
  p.claims[0].paper_effect = 17;
  CHECK(shown().find("is above half of the paper's, 8.50;") != std::string::npos);
  p.claims[0].paper_effect = 18;
  CHECK(shown().find("half of the paper's") == std::string::npos);
  p.claims[0].paper_effect = 4;
  p.claims[0].pilot = "power .5";
  CHECK(shown().find("the pilot said: power .5") != std::string::npos);
  CHECK(sim::markdown_claims(p, results(p), {}).find("the pilot said: power .5") !=
        std::string::npos);
  p.claims[0].contrasts[0].margin.reset();
  p.metrics[0].factor = 1e9;
  p.claims[0] = test::claim("mbs", sim::claim_rule::positive, {"fp32"});
  p.claims[0].paper_effect = 1e-9;
  CHECK(shown().find("half of the paper's") == std::string::npos);  // decided
}

TEST_CASE("a_table_of_several_studies_names_their_seeds_and_hashes") {
  sim::claims_plan p = plan();
  p.studies.push_back({"deep", {}, {7, 8}});
  const std::string text = sim::markdown_claims(p, results(p), {});
  CHECK(text.find("main: 3 seeds, 101 to 103; deep: 2 seeds, 7 to 8; family") != std::string::npos);
  CHECK(text.find("Study deep without its seed: SHA-256") != std::string::npos);
}

TEST_CASE("a_contrast_has_the_seeds_of_its_metrics_study") {
  sim::claims_plan p = plan();
  p.studies.push_back({"deep", {}, {7, 8}});
  p.metrics.push_back(p.metrics[0]);
  p.metrics[1].name = "deep";
  p.metrics[1].study = 1;
  p.claims = {test::claim("deep", sim::claim_rule::positive, {"mbs"})};
  p.claims[0].contrasts[0].metric = 1;
  std::vector<sim::seed_metrics> runs{test::run_of(101, {{"mbs", 1}}),
                                      test::run_of(7, {{"mbs", 2}}), test::run_of(8, {{"mbs", 3}})};
  runs[1].study = runs[2].study = 1;
  CHECK(sim::csv_claims(p, test::decided(p, runs)) ==
        "claim,metric,contrast,meaning,seed,value,margin\n"
        "deep,deep,mbs,,7,2,\n"
        "deep,deep,mbs,,8,3,\n");
}

TEST_CASE("names_with_commas_are_quoted_in_the_csv") {
  sim::claims_plan p = plan();
  p.claims = {test::claim("a, \"b\"", sim::claim_rule::estimate, {"of"}),
              test::claim("parts", sim::claim_rule::estimate, {"shapley.S"})};
  p.metrics[0].name = "loss, \"c\"";
  p.meanings = {test::injection()};
  p.meanings[0].name = "one, two";
  p.meanings[0].arms = {"fp32", "of", "of", "of", "of", "of", "of", "mxfp4"};
  const std::string text = sim::csv_claims(p, results(p));
  CHECK(text.find("\n\"a, \"\"b\"\"\",\"loss, \"\"c\"\"\",of,,101,0,\n") != std::string::npos);
  CHECK(text.find("\nparts,\"loss, \"\"c\"\"\",shapley.S,\"one, two\",101,") != std::string::npos);
}
