// SPDX-License-Identifier: Apache-2.0
// tests/claims/shipped_claims_test.cpp: the claims files of sim/studies: that they can run, and
// that the one whose claims are decided is what it was before its seeds ran.
#include <set>
#include <string>

#include "catch.h"
#include "sim/claims/claims_file.h"
#include "tests/study/text_file.h"

namespace {

const sim::arm& arm_of(const sim::study& s, const std::string& name) {
  for (const sim::arm& a : s.arms) {
    if (a.name == name) return a;
  }
  throw std::logic_error("no arm " + name);
}

/// A metric of trained weights exists after the study's last step, for the arms that are trained.
void expect_final_weights(const sim::claims_plan& plan) {
  for (const sim::stated_claim& c : plan.claims) {
    for (const sim::claim_contrast& contrast : c.contrasts) {
      const sim::chosen_metric& m = plan.metrics[contrast.metric];
      if (m.metric != "accuracy_final_in_fp32") continue;
      const sim::study& s = plan.studies[m.study].base;
      INFO(c.name << ": " << contrast.of.text);
      CHECK(m.step == s.grpo.steps);
      for (const sim::contrast_term& term : contrast.of.terms) {
        CHECK(arm_of(s, term.of).training == sim::arm_training::grpo);
      }
    }
  }
}

}  // namespace

TEST_CASE("the_claims_are_those_that_were_fixed_before_their_seeds_ran") {
  const sim::claims_plan plan = sim::read_claims(shipped_study("claims.toml"));
  CHECK(plan.sha256 == "1a1b1cea85229f6e3e974e31a54513386040d0e076c94c38021cafb760a3e99f");
  expect_final_weights(plan);
  std::set<std::uint64_t> seeds;
  for (const sim::planned_run& run : sim::runs_of(plan)) seeds.insert(run.seed);
  CHECK(seeds.size() == 24);
  CHECK((*seeds.begin() == 101 && *seeds.rbegin() == 124));
}

TEST_CASE("other_settings_are_estimates_alone") {
  const sim::claims_plan plan = sim::read_claims(shipped_study("robustness.toml"));
  for (const sim::stated_claim& c : plan.claims) {
    CAPTURE(c.name);
    CHECK(c.rule == sim::claim_rule::estimate);
  }
  expect_final_weights(plan);
}

TEST_CASE("rows_of_one_name_at_several_steps_are_told_apart") {
  const sim::claims_plan plan = sim::read_claims(shipped_study("claims.toml"));
  std::set<std::string> names;
  for (const sim::stated_claim& c : plan.claims) {
    if (c.name != "additivity of logits") continue;
    for (const sim::claim_contrast& of : c.contrasts) names.insert(plan.metrics[of.metric].name);
  }
  CHECK(names == std::set<std::string>{"additivity.injection.logits at step 1",
                                       "additivity.injection.logits at step 5",
                                       "additivity.injection.logits at step 20"});
}
