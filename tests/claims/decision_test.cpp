// SPDX-License-Identifier: Apache-2.0
// tests/claims/decision_test.cpp: every rule of a decision by an example that it alone decides.
#include "sim/claims/decision.h"

#include <functional>

#include "catch.h"
#include "sim/claims/sign_flip.h"
#include "tests/claims/synthetic_runs.h"

namespace {

using sim::claim_rule;
using sim::outcome;
using test::claim;

constexpr std::size_t seeds = 12;

/// Twelve values of mean 0 and standard deviation about 1, of no symmetry with each other.
constexpr std::array<double, seeds> noise{1.3,  -0.4, 0.2,  -1.6, 0.9,  0.5,
                                          -0.8, 1.1,  -1.2, 0.1,  -0.7, 0.6};

std::vector<sim::seed_metrics> runs_of(
    const std::function<test::arm_figures(double, double)>& figures) {
  std::vector<sim::seed_metrics> runs;
  for (std::size_t i = 0; i < seeds; ++i) {
    runs.push_back(test::run_of(101 + i, figures(noise[i], noise[(5 * i + 3) % seeds])));
  }
  return runs;
}

/// fp32 .50, mxfp4 .40, so a margin of .02; mbs at so much above mxfp4.
std::vector<sim::seed_metrics> mbs_at(double effect, double spread) {
  return runs_of([=](double n, double other) {
    return test::arm_figures{
        {"fp32", .50 + .001 * other}, {"mxfp4", .40}, {"mbs", .40 + effect + spread * n}};
  });
}

const sim::stated_claim mbs =
    claim("mbs", claim_rule::positive, {"mbs - mxfp4"}, test::fifth_of_the_gap);

sim::claim_result only(const sim::stated_claim& c, const std::vector<sim::seed_metrics>& runs) {
  return test::decided(test::plan_of({c}, runs.size()), runs).front();
}

}  // namespace

TEST_CASE("a_clear_effect_passes_a_reversed_one_fails_and_a_small_one_is_open") {
  CHECK(only(mbs, mbs_at(.05, .02)).decided == outcome::pass);
  CHECK(only(mbs, mbs_at(-.05, .02)).decided == outcome::fail);
  CHECK(only(mbs, mbs_at(.01, .03)).decided == outcome::inconclusive);
}

TEST_CASE("an_effect_within_the_margin_fails_even_where_it_is_significant") {
  const auto runs = mbs_at(.01, .004);
  const auto without = claim("mbs", claim_rule::positive, {"mbs - mxfp4"});
  CHECK(only(without, runs).decided == outcome::pass);
  CHECK(only(mbs, runs).decided == outcome::fail);
}

TEST_CASE("one_contrast_that_does_not_show_keeps_a_claim_open") {
  const auto runs = runs_of([](double n, double other) {
    return test::arm_figures{{"a", .5}, {"b", .4 + .01 * n}, {"c", .495 + .02 * other}};
  });
  CHECK(only(claim("x", claim_rule::positive, {"a - b"}), runs).decided == outcome::pass);
  CHECK(only(claim("x", claim_rule::positive, {"a - b", "a - c"}), runs).decided ==
        outcome::inconclusive);
}

TEST_CASE("one_reversed_contrast_fails_and_counts_for_all_that_could_have") {
  const auto runs = runs_of([](double n, double) {
    return test::arm_figures{{"a", .5}, {"b", .4}, {"c", .516 + .02 * n}};
  });
  const auto alone = only(claim("x", claim_rule::positive, {"a - c"}), runs);
  const auto both = only(claim("x", claim_rule::positive, {"a - b", "a - c"}), runs);
  CHECK(alone.decided == outcome::fail);
  CHECK(both.fail_p == 2 * alone.fail_p);
}

TEST_CASE("equality_passes_within_the_margin_fails_beyond_and_is_void_without_a_gap") {
  const auto equal = claim("equal", claim_rule::equivalent, {"fp32 - all"}, test::fifth_of_the_gap);
  const auto at = [](double distance, double gap) {
    return runs_of([=](double n, double other) {
      return test::arm_figures{
          {"fp32", .5}, {"mxfp4", .5 - gap + .004 * other}, {"all", .5 - distance + .004 * n}};
    });
  };
  CHECK(only(equal, at(.005, .1)).decided == outcome::pass);
  CHECK(only(equal, at(.05, .1)).decided == outcome::fail);
  CHECK(only(equal, at(-.05, .1)).decided == outcome::fail);
  CHECK(only(equal, at(.02, .1)).decided == outcome::inconclusive);
  for (const double gap : {0.0, -.1}) {
    const auto result = only(equal, at(.005, gap));
    CHECK(result.decided == outcome::inconclusive);
    CHECK(result.note == "void: the margin is not above 0");
  }
}

TEST_CASE("a_margin_that_is_not_shown_to_be_above_0_makes_an_equality_void") {
  const auto equal = claim("equal", claim_rule::equivalent, {"fp32 - all"}, test::fifth_of_the_gap);
  const auto with_gap_of = [&](double spread) {
    return only(equal, runs_of([=](double n, double other) {
                  return test::arm_figures{
                      {"fp32", .5}, {"mxfp4", .4 + spread * other}, {"all", .48 + .004 * n}};
                }));
  };
  // A gap of .1 with a standard error of .023 (p < .001); with one of .087 (p about .14).
  CHECK(with_gap_of(.08).note.empty());
  CHECK(with_gap_of(.08).decided == outcome::inconclusive);
  CHECK(with_gap_of(.3).note == "void: the margin is not above 0");
}

TEST_CASE("an_expected_value_is_where_equality_is_measured_from") {
  auto ratio = claim("ratio", claim_rule::equivalent, {"mbs"});
  ratio.contrasts.front().expected = 1.725;
  ratio.contrasts.front().margin = sim::equality_margin{.1, {}};
  const auto at = [](double centre) {
    return runs_of([=](double n, double) { return test::arm_figures{{"mbs", centre + .05 * n}}; });
  };
  CHECK(only(ratio, at(1.73)).decided == outcome::pass);
  CHECK(only(ratio, at(1.4)).decided == outcome::fail);
}

TEST_CASE("holm_over_more_claims_asks_for_more") {
  const auto runs = mbs_at(.0165, .02);  // p is between .05 / 4 and .05
  const auto show = claim("a", claim_rule::positive, {"mbs - mxfp4"});
  CHECK(only(show, runs).decided == outcome::pass);
  auto plan = test::plan_of({show}, seeds);
  for (const char* name : {"b", "c", "d"}) {
    plan.claims.push_back(claim(name, claim_rule::positive, {"mbs - mbs"}));
  }
  CHECK(test::decided(plan, runs).front().decided == outcome::inconclusive);
  plan.claims.resize(1);
  for (const char* name : {"b", "c", "d"}) {
    plan.claims.push_back(claim(name, claim_rule::estimate, {"mbs - mbs"}));
  }
  CHECK(test::decided(plan, runs).front().decided == outcome::pass);
}

TEST_CASE("where_t_and_sign_flips_differ_nothing_is_decided") {
  // Three equal differences: t is infinite, but one of eight sign vectors is as extreme.
  std::vector<sim::seed_metrics> runs;
  for (const std::uint64_t seed : {101U, 102U, 103U}) {
    runs.push_back(test::run_of(seed, {{"mbs", .75}, {"mxfp4", .5}}));
  }
  const auto result = only(claim("mbs", claim_rule::positive, {"mbs - mxfp4"}), runs);
  CHECK(result.decided == outcome::inconclusive);
  CHECK(result.note == "t: PASS, sign flips: INCONCLUSIVE");
}

TEST_CASE("a_component_must_show_under_both_meanings") {
  // Under injection S does all. Under operation S - G is half of the figure of S and D.
  const auto runs_with = [](double scale_and_deadzone) {
    return runs_of([=](double n, double other) {
      return test::arm_figures{
          {"fp32", 0},   {"inj-s", 1 + .1 * n},  {"inj-d", 0},
          {"inj-g", 0},  {"inj-sd", 1 + .1 * n}, {"inj-sg", 1 + .1 * other},
          {"inj-dg", 0}, {"mxfp4", 1},           {"op-sd", scale_and_deadzone + .2 * n},
          {"op-sg", .9}};
    });
  };
  const auto scale =
      claim("scale", claim_rule::positive, {"shapley.S - shapley.G", "shapley.S - shapley.D"});
  const auto open = only(scale, runs_with(0));
  CHECK(open.contrasts.size() == 4);
  CHECK(open.decided == outcome::inconclusive);
  const auto reversed = only(scale, runs_with(-.5));
  CHECK(reversed.decided == outcome::fail);
  CHECK(reversed.note == "the meanings disagree: it holds under injection");

  // A meaning of a refuted claim holds by the rules that let a claim pass.
  const auto weak = runs_of([](double n, double) {
    return test::arm_figures{{"fp32", 0},
                             {"inj-s", .09 + .1 * n},
                             {"inj-d", 0},
                             {"inj-g", 0},
                             {"inj-sd", .09 + .1 * n},
                             {"inj-sg", .09 + .1 * n},
                             {"inj-dg", 0},
                             {"mxfp4", 1},
                             {"op-sd", -.5 + .02 * n},
                             {"op-sg", .9}};
  });
  CHECK(only(scale, weak).note == "the meanings disagree: it holds under injection");
  auto plan = test::plan_of({scale}, seeds);
  for (const char* name : {"b", "c", "d", "e", "f", "g"}) {
    plan.claims.push_back(claim(name, claim_rule::positive, {"mxfp4 - mxfp4"}));
  }
  const auto among_others = test::decided(plan, weak).front();
  CHECK(among_others.decided == outcome::fail);
  CHECK(among_others.note.empty());
}

TEST_CASE("a_mean_is_at_most_a_bound_or_above_it_or_neither") {
  const auto at = [](double mean, double spread) {
    auto c = claim("additivity", claim_rule::at_most, {"a"});
    c.contrasts[0].expected = .10;
    return only(c, runs_of([=](double n, double) {
                  return test::arm_figures{{"a", mean + spread * n}};
                }));
  };
  CHECK(at(.05, .02).decided == outcome::pass);
  CHECK(at(.15, .02).decided == outcome::fail);
  CHECK(at(.10, .02).decided == outcome::inconclusive);
  CHECK(at(.05, .2).decided == outcome::inconclusive);
}

TEST_CASE("a_spread_is_within_a_range_below_it_or_neither") {
  const auto at = [](double deviation) {
    auto c = claim("depth", claim_rule::spread, {"a"});
    c.within = {.7, 2.8};
    std::vector<double> values(noise.begin(), noise.end());
    values.insert(values.end(), noise.begin(), noise.end());
    const double unit = sim::sample_of(values).deviation;
    std::vector<sim::seed_metrics> runs;
    for (const double v : values) {
      runs.push_back(test::run_of(101 + runs.size(), {{"a", 5 + deviation / unit * v}}));
    }
    return only(c, runs);
  };
  // 24 seeds: the interval is from .777 to 1.403 times the deviation, .69 to 1.81 under heavy
  // tails.
  CHECK(at(1.1).decided == outcome::pass);
  CHECK(at(1.5).decided == outcome::pass);
  CHECK(at(.85).decided == outcome::inconclusive);
  CHECK(at(2.1).decided == outcome::inconclusive);
  CHECK(at(.38).decided == outcome::fail);
  CHECK(at(.55).decided == outcome::inconclusive);
  CHECK(at(0).decided == outcome::fail);
  CHECK(at(9).decided == outcome::inconclusive);
  CHECK(at(.95).note == "chi-square: PASS, under heavy tails: INCONCLUSIVE");
  CHECK(at(1.9).note == "chi-square: PASS, under heavy tails: INCONCLUSIVE");
  CHECK(at(.45).note == "chi-square: FAIL, under heavy tails: INCONCLUSIVE");
}

TEST_CASE("exact_claims_are_decided_without_statistics") {
  const auto violations = claim("identity", claim_rule::zero, {"mbs"});
  const auto at = [](double last) {
    std::vector<sim::seed_metrics> runs;
    for (std::uint64_t seed = 101; seed < 104; ++seed) {
      runs.push_back(test::run_of(seed, {{"mbs", seed == 103 ? last : 0}}));
    }
    return runs;
  };
  CHECK(only(violations, at(0)).decided == outcome::pass);
  CHECK(only(violations, at(1)).decided == outcome::fail);
  CHECK(only(violations, at(1)).note == "1 value other than 0");
}

TEST_CASE("sign_flips_can_show_no_more_than_values_of_one_sign") {
  for (std::size_t n = 1; n <= 10; ++n) {
    const double p = sim::sign_flip_above_zero(std::vector<double>(n, 1.0));
    CHECK(sim::least_p_by_sign_flips(claim_rule::equivalent, n) == p);
    CHECK(sim::least_p_by_sign_flips(claim_rule::positive, n) == std::min(1.0, 2 * p));
    CHECK(sim::least_p_by_sign_flips(claim_rule::at_most, n) == std::min(1.0, 2 * p));
  }
}
