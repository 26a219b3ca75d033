// SPDX-License-Identifier: Apache-2.0
// tests/study/agreement_test.cpp: sim/study/agreement.h: what is shown, negligible or open under
// one meaning of a toggle, and the conclusion from both.
#include "sim/study/agreement.h"

#include <cmath>

#include "catch.h"

namespace {

using sim::agreement;
using sim::effect_state;
using sim::estimate;
using sim::showing;

constexpr double error = 0.01;

sim::factorial<estimate> meaning(double scale, double deadzone, double grid, double total = 0.5) {
  sim::factorial<estimate> f;
  f.shapley = {{{scale, error}, {deadzone, error}, {grid, error}}};
  f.total = {total, error};
  return f;
}

/// The parts of a whole effect of 0.5, whose margin is 0.1.
showing of_scale(double scale, double deadzone, double grid) {
  const auto f = meaning(scale, deadzone, grid);
  return sim::harms_most(f.shapley, 0, +1, sim::margin_of(f.total));
}

}  // namespace

TEST_CASE("an_effect_is_shown_negligible_or_open") {
  CHECK(sim::state_of({0.09, error}, 0.1) == effect_state::raises);
  CHECK(sim::state_of({-0.09, error}, 0.1) == effect_state::lowers);
  CHECK(sim::state_of({0.07, error}, 0.1) == effect_state::negligible);
  CHECK(sim::state_of({-0.07, error}, 0.1) == effect_state::negligible);
  CHECK(sim::state_of({0.09, 0.05}, 0.1) == effect_state::open);
  // Within two standard errors of the margin, it may be as large as the margin.
  CHECK(sim::state_of({0.0, 0.05}, 0.1) == effect_state::open);
  CHECK(sim::state_of({0.0, 0.049}, 0.1) == effect_state::negligible);
  CHECK(sim::state_of({std::nan(""), error}, 0.1) == effect_state::open);
}

TEST_CASE("nothing_is_negligible_where_the_whole_effect_is_not_shown") {
  CHECK(sim::margin_of({0.5, error}) == 0.1);
  CHECK(sim::margin_of({-0.5, error}) == 0.1);
  CHECK(sim::margin_of({0.02, error}) == 0);
  CHECK(sim::state_of({0, 0}, sim::margin_of({0.02, error})) == effect_state::open);
}

TEST_CASE("the_largest_harm_exceeds_each_other_one_by_two_errors_of_the_difference") {
  CHECK(of_scale(0.3, 0.1, 0.1) == showing::shown);
  CHECK(of_scale(0.3, 0.26, 0.1) == showing::open);  // 0.04 is not beyond 2 * (0.01 + 0.01)
  CHECK(of_scale(0.3, 0.259, 0.1) == showing::shown);
  CHECK(of_scale(0.3, 0.1, 0.259) == showing::shown);
  CHECK(of_scale(0.3, 0.1, 0.35) == showing::refuted);
  CHECK(of_scale(0.019, -0.3, -0.3) == showing::refuted);  // negligible
  CHECK(of_scale(-0.3, -0.4, -0.4) == showing::refuted);   // it helps
}

TEST_CASE("what_is_open_under_one_meaning_is_no_disagreement") {
  CHECK(sim::agreement_of(showing::shown, showing::open) == agreement::not_resolved);
  CHECK(sim::agreement_of(showing::open, showing::refuted) == agreement::not_resolved);
  CHECK(sim::agreement_of(showing::shown, showing::refuted) == agreement::disagree);
  CHECK(sim::agreement_of(showing::refuted, showing::refuted) == agreement::agree);
  CHECK(sim::agreement_of(effect_state::raises, effect_state::open) == agreement::not_resolved);
  CHECK(sim::agreement_of(effect_state::raises, effect_state::negligible) == agreement::disagree);
  CHECK(sim::agreement_of(effect_state::raises, effect_state::lowers) == agreement::disagree);
  CHECK(sim::agreement_of(effect_state::lowers, effect_state::lowers) == agreement::agree);
}

TEST_CASE("meanings_agree_on_a_culprit_with_the_same_sign_and_component") {
  const auto same = sim::culprit_of(meaning(0.4, 0.05, 0.05), meaning(0.3, 0.1, 0.1));
  CHECK(same.verdict == agreement::agree);
  CHECK(same.injection == std::optional<std::size_t>{0});
  const auto lower = sim::culprit_of(meaning(-0.1, -0.1, -0.3, -0.5), meaning(0, 0.1, -0.6, -0.5));
  CHECK(lower.verdict == agreement::agree);
  CHECK(lower.operation == std::optional<std::size_t>{2});
}

TEST_CASE("meanings_disagree_where_one_excludes_what_the_other_names") {
  const auto others = sim::culprit_of(meaning(0.49, 0.01, 0), meaning(0.1, 0, 0.4));
  CHECK(others.verdict == agreement::disagree);
  CHECK(others.injection == std::optional<std::size_t>{0});
  CHECK(others.operation == std::optional<std::size_t>{2});
  // Under operation two parts share the effect and none of them is the scale.
  const auto shared = sim::culprit_of(meaning(0.49, 0.01, 0), meaning(0, 0.25, 0.25));
  CHECK(shared.verdict == agreement::disagree);
  CHECK_FALSE(shared.operation);
}

TEST_CASE("missing_significance_is_not_resolved") {
  const auto noisy = [](sim::factorial<estimate> f) {
    for (estimate& e : f.shapley) e.standard_error = 0.3;
    return f;
  };
  const auto named = meaning(0.49, 0.01, 0), other = meaning(0.1, 0, 0.4);
  CHECK(sim::culprit_of(named, noisy(other)).verdict == agreement::not_resolved);
  CHECK(sim::culprit_of(noisy(named), other).verdict == agreement::not_resolved);
  CHECK(sim::culprit_of(noisy(named), noisy(other)).verdict == agreement::not_resolved);
  CHECK(sim::culprit_of(meaning(0.25, 0.24, 0), meaning(0.25, 0.24, 0)).verdict ==
        agreement::not_resolved);
  // Without a whole effect there is no direction in which a part would lead.
  CHECK(sim::culprit_of(meaning(0.4, 0, -0.4, 0), named).verdict == agreement::not_resolved);
}
