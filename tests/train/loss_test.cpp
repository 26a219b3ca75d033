// SPDX-License-Identifier: Apache-2.0
// tests/train/loss_test.cpp: sim/train/loss_aggregation.h and sim/train/kl_term.h by hand;
// gradients of whole GRPO steps against differences of the loss in binary64.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/number/bits.h"
#include "named_figures.h"
#include "sim/study/study_words.h"
#include "sim/train/grpo.h"
#include "sim/train/kl_term.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/warm_up.h"
#include "tests/policy/slow_decoder.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::kl_estimator;
using sim::loss_aggregation;
using sim::setting;
using test::doubles;
using test::figure_of;
using test::has_figure;

sim::sequence with_response(int tokens) {
  return {std::vector<sim::token_id>(static_cast<std::size_t>(4 + tokens)), 4};
}

TEST_CASE("shares_of_tokens_are_those_by_hand") {
  const std::vector<sim::sequence> batch{with_response(2), with_response(6)};
  CHECK(sim::token_shares(batch, loss_aggregation::token_mean, 10) == floats{0.125F, 0.125F});
  // 1 / (2 * 2), 1 / (2 * 6)
  CHECK(sim::token_shares(batch, loss_aggregation::sequence_mean, 10) == floats{0.25F, 1 / 12.0F});
  // 1 / (2 * 10)
  CHECK(sim::token_shares(batch, loss_aggregation::constant_length, 10) == floats{0.05F, 0.05F});
}

TEST_CASE("aggregated_values_are_those_by_hand") {
  const auto value = [](loss_aggregation how) {
    sim::aggregated_value of(how, 10);
    of.begin(2);
    of.take(1);
    of.take(3);
    of.begin(4);
    for (int t = 0; t < 4; ++t) of.take(5);
    return of.value();
  };
  CHECK(value(loss_aggregation::token_mean) == 4.0);       // 24 / 6
  CHECK(value(loss_aggregation::sequence_mean) == 3.5);    // (2 + 5) / 2
  CHECK(value(loss_aggregation::constant_length) == 1.2);  // 24 / 20
}

TEST_CASE("estimates_of_kl_and_their_slopes_are_those_by_hand") {
  // p = 1/4, reference 1/2: l = log 2, e^l = 2.
  const float l = sim::reference_log_ratio(-1.38629436F, -0.69314718F);
  CHECK(double{l} == Approx(std::log(2.0)).epsilon(1e-7));
  CHECK(sim::kl_estimate(kl_estimator::k1, l) == Approx(-0.693147181));
  CHECK(sim::kl_estimate(kl_estimator::k2, l) == Approx(0.240226507));
  CHECK(sim::kl_estimate(kl_estimator::k3, l) == Approx(0.306852819));
  CHECK(sim::kl_slope(kl_estimator::k1, l) == 1.0F);
  CHECK(double{sim::kl_slope(kl_estimator::k2, l)} == Approx(-0.693147181));
  CHECK(double{sim::kl_slope(kl_estimator::k3, l)} == Approx(-1.0));
  CHECK(sim::reference_log_ratio(-100.0F, 0.0F) == 20.0F);
  CHECK(sim::reference_log_ratio(0.0F, -100.0F) == -20.0F);
  for (const kl_estimator e : {kl_estimator::k2, kl_estimator::k3}) {
    CHECK(sim::kl_estimate(e, 0.0F) == 0.0);
    CHECK(sim::kl_slope(e, 0.0F) == 0.0F);
  }
}

TEST_CASE("slopes_of_kl_are_derivatives_by_log_p") {
  for (const kl_estimator e : {kl_estimator::k1, kl_estimator::k2, kl_estimator::k3}) {
    for (const float log_p : {-4.0F, -1.5F, -0.25F}) {
      const float log_q = -1.0F, h = 0x1p-7F;
      const auto at = [&](float x) { return sim::kl_estimate(e, log_q - x); };
      const double slope = (at(log_p + h) - at(log_p - h)) / (2 * double{h});
      INFO(static_cast<int>(e) << " at " << log_p);
      CHECK(double{sim::kl_slope(e, log_q - log_p)} == Approx(slope).epsilon(1e-3).margin(1e-3));
    }
  }
}

sim::kl_term term_of(kl_estimator e, float coefficient, const floats& log_q) {
  sim::grpo_constants c;
  c.kl_coefficient = coefficient;
  c.kl_estimator = e;
  return {c, 16, {{{log_q[0], 0}}, log_q}};
}

TEST_CASE("the_gradient_of_the_exact_kl_is_the_one_by_hand") {
  // p = 1/16 each; reference 3/32 of the first eight, 1/32 of the others.
  // KL = log(2/3) / 2 + log(2) / 2 = log(4/3) / 2 = 0.14384104
  // By logit: p (log p / q - KL) = (log(2/3) - KL) / 16 = -0.034331635, then + as much.
  const floats p(16, 0.0625F), log_p(16, static_cast<float>(std::log(0.0625)));
  floats log_q(16, static_cast<float>(std::log(3 / 32.0)));
  std::fill(log_q.begin() + 8, log_q.end(), static_cast<float>(std::log(1 / 32.0)));
  const sim::kl_term term = term_of(kl_estimator::exact, 0.5F, log_q);
  REQUIRE(term.is_exact());
  CHECK(term.exact(0, log_p.data()) == Approx(0.14384104).epsilon(1e-6));
  CHECK(term.estimate(0, {log_p[0], 0}, log_p.data()) == term.exact(0, log_p.data()));
  CHECK(term.slope(0, {log_p[0], 0}) == 0.0F);
  floats dlogits(16, 1.0F);
  term.add_gradient(0, 4.0F, {p.data(), log_p.data()}, dlogits.data());
  for (std::size_t v = 0; v < 16; ++v) {
    CHECK(double{dlogits[v]} == Approx(1 + 4 * 0.5 * (v < 8 ? -1 : 1) * 0.034331635));
  }
}

TEST_CASE("a_term_multiplies_its_estimate_by_the_coefficient") {
  const floats log_q(16, -0.5F);
  CHECK(term_of(kl_estimator::k2, 0.25F, log_q).slope(0, {-1.0F, 0}) == -0.125F);
  CHECK(term_of(kl_estimator::k1, 0.25F, log_q).slope(0, {-1.0F, 0}) == 0.25F);
  CHECK_FALSE(sim::kl_term().is_on());
  CHECK_FALSE(term_of(kl_estimator::exact, 0.0F, log_q).is_on());
}

// ---- steps -------------------------------------------------------------------------------------

const floats& warmed_up() {
  static const floats weights = sim::warmed_up_policy(setting(test::tiny_study())).weights;
  return weights;
}

/// The weights of a policy that has left its reference.
floats moved_weights() {
  floats weights = warmed_up();
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (float& w : weights) w += 0.02F * normal(random);
  return weights;
}

sim::study plain_descent(loss_aggregation aggregation, float coefficient, kl_estimator e) {
  sim::study study = test::tiny_study();
  study.grpo.optimizer = sim::optimizer_kind::sgd;
  study.grpo.learning_rate = 1;
  study.grpo.ramp_steps = 1;
  study.grpo.clip = 1e9F;
  study.grpo.aggregation = aggregation;
  study.grpo.kl_coefficient = coefficient;
  study.grpo.kl_estimator = e;
  return study;
}

struct done_step {
  sim::rollout_step step;
  floats before, after;
};

done_step step_of(const sim::study& study, const sim::arm& a, const floats& weights) {
  const setting s(study);
  sim::gradient_computer gradient(s);
  sim::training_state state = sim::start_of_grpo(warmed_up());
  state.weights = weights;
  done_step result{sim::grpo_step(s, a, gradient, state), weights, {}};
  result.after = state.weights;
  return result;
}

/// The loss of a step as its definition has it, in binary64.
class slow_loss {
 public:
  slow_loss(const sim::study& study, const done_step& done)
      : of_(study.grpo),
        table_(study.policy),
        rollouts_(done.step.rollouts),
        advantage_(sim::advantages(done.step.rewards, study.grpo)),
        limit_(sim::response_limit(study.task)),
        old_(distributions(test::widened(done.before))),
        reference_(distributions(test::widened(warmed_up()))) {}

  struct losses {
    double whole = 0, kl = 0, mean_kl = 0;
  };

  [[nodiscard]] losses at(const doubles& weights) const {
    const auto now = distributions(weights);
    losses sum;
    double tokens = 0;
    for (const sim::rollout& r : rollouts_) tokens += r.tokens.response();
    for (std::size_t i = 0; i < rollouts_.size(); ++i) {
      const sim::sequence& q = rollouts_[i].tokens;
      for (int t = 0; t < q.response(); ++t) {
        const auto row = static_cast<std::size_t>(q.prompt + t - 1);
        const auto token = q.tokens[row + 1];
        const double kl = estimate(now[i][row], reference_[i][row], token);
        const double objective =
            std::exp(now[i][row][token] - old_[i][row][token]) * double{advantage_[i]};
        const double share = share_of(q.response(), tokens);
        sum.whole += share * (double{of_.kl_coefficient} * kl - objective);
        sum.kl += share * kl;
        sum.mean_kl += kl / tokens;
      }
    }
    return sum;
  }

 private:
  using token_rows = std::vector<std::vector<doubles>>;

  [[nodiscard]] token_rows distributions(const doubles& weights) const {
    token_rows result;
    for (const sim::rollout& r : rollouts_) {
      result.push_back(test::slow_decoder(table_, weights).log_distributions(r.tokens.tokens));
    }
    return result;
  }

  [[nodiscard]] double share_of(int response, double tokens) const {
    const auto sequences = static_cast<double>(rollouts_.size());
    if (of_.aggregation == loss_aggregation::token_mean) return 1 / tokens;
    return 1 /
           (sequences * (of_.aggregation == loss_aggregation::sequence_mean ? response : limit_));
  }

  [[nodiscard]] double estimate(const doubles& log_p, const doubles& log_q,
                                sim::token_id token) const {
    const double l = log_q[token] - log_p[token];
    if (of_.kl_estimator == kl_estimator::k1) return -l;
    if (of_.kl_estimator == kl_estimator::k2) return l * l / 2;
    if (of_.kl_estimator == kl_estimator::k3) return std::exp(l) - 1 - l;
    double sum = 0;
    for (std::size_t v = 0; v < log_p.size(); ++v) {
      sum += std::exp(log_p[v]) * (log_p[v] - log_q[v]);
    }
    return sum;
  }

  sim::grpo_constants of_;
  sim::parameter_table table_;
  const std::vector<sim::rollout>& rollouts_;
  floats advantage_;
  int limit_;
  token_rows old_, reference_;
};

/// Along a random direction: the slope of the loss, and what plain descent moved against it.
void check_descent(const sim::study& study, const done_step& done, unsigned seed) {
  const slow_loss loss(study, done);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  constexpr double h = 1e-6;
  doubles above = test::widened(done.before), below = above;
  double moved = 0, length = 0;
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double direction = normal(random);
    above[i] += h * direction;
    below[i] -= h * direction;
    const double gradient = double{done.before[i]} - double{done.after[i]};
    moved += gradient * direction;
    length += gradient * gradient;
  }
  const double slope = (loss.at(above).whole - loss.at(below).whole) / (2 * h);
  INFO("slope " << slope << ", moved " << moved << ", gradient " << std::sqrt(length));
  CHECK(std::fabs(slope - moved) < 1e-4 * std::sqrt(length));
}

TEST_CASE("a_step_descends_the_loss_of_every_aggregation_and_estimator") {
  const floats weights = moved_weights();
  for (const auto& a : sim::aggregation_words) {
    for (const auto& e : sim::kl_words) {
      if (a.value != loss_aggregation::sequence_mean && e.value != kl_estimator::exact) continue;
      INFO(a.text << ", " << e.text);
      const sim::study study = plain_descent(a.value, 0.5F, e.value);
      const done_step done = step_of(study, study.arms[0], weights);
      for (const unsigned seed : {1U, 2U}) check_descent(study, done, seed);
      const auto expected = slow_loss(study, done).at(test::widened(weights));
      CHECK(figure_of(done.step.figures, "loss") ==
            Approx(expected.whole).epsilon(1e-4).margin(1e-5));
      CHECK(figure_of(done.step.figures, "kl") ==
            Approx(expected.mean_kl).epsilon(1e-4).margin(1e-5));
      CHECK(figure_of(done.step.figures, "actor/kl_loss") ==
            Approx(expected.kl).epsilon(1e-4).margin(1e-5));
      CHECK(figure_of(done.step.figures, "exact_kl") > 0.0);
    }
  }
}

TEST_CASE("at_the_reference_a_kl_term_that_restrains_changes_no_bit_of_a_step") {
  for (const auto& e : sim::kl_words) {
    INFO(e.text);
    sim::study with = plain_descent(loss_aggregation::token_mean, 0.5F, e.value), without = with;
    without.grpo.kl_coefficient = 0;
    const done_step a = step_of(with, with.arms[0], warmed_up()),
                    b = step_of(without, without.arms[0], warmed_up());
    const bool same = a.after == b.after;
    CHECK(same == (e.value != kl_estimator::k1));
    CHECK(figure_of(a.step.figures, "kl") == 0.0);
    CHECK(figure_of(a.step.figures, "exact_kl") == 0.0);
    CHECK(figure_of(a.step.figures, "loss") == figure_of(b.step.figures, "loss"));
    CHECK_FALSE(has_figure(b.step.figures, "kl"));
  }
}

TEST_CASE("the_reference_is_in_fp32_in_every_arm") {
  const sim::study study = plain_descent(loss_aggregation::token_mean, 0.5F, kl_estimator::exact);
  const done_step quantized = step_of(study, study.arms[1], warmed_up());
  CHECK(figure_of(quantized.step.figures, "exact_kl") > 1e-3);
}

TEST_CASE("a_kl_term_needs_a_reference") {
  const setting s(plain_descent(loss_aggregation::token_mean, 0.5F, kl_estimator::k3));
  sim::gradient_computer gradient(s);
  sim::training_state state{warmed_up(), {}, 0};
  CHECK_THROWS_AS(sim::grpo_step(s, s.constants.arms[0], gradient, state), std::invalid_argument);
}

TEST_CASE("every_update_has_the_shares_of_its_own_sequences") {
  for (const auto& w : sim::aggregation_words) {
    INFO(w.text);
    sim::study study = plain_descent(w.value, 0, kl_estimator::k3);
    study.grpo.learning_rate = 1e-38F;  // moves nothing: every ratio is 1
    study.grpo.minibatches = 4;
    const setting s(study);
    const done_step done = step_of(study, study.arms[0], warmed_up());
    const floats advantage = sim::advantages(done.step.rewards, study.grpo);
    const auto forward = sim::prepare_forward(s.table, warmed_up(), {});
    const auto backward = sim::prepare_backward(s.table, warmed_up(), {});
    sim::gradient_computer gradient(s);
    double norms = 0;
    for (int m = 0; m < 4; ++m) {
      std::vector<sim::sequence> part;
      int tokens = 0;
      for (int i = 8 * m; i < 8 * m + 8; ++i) {
        part.push_back(done.step.rollouts[static_cast<std::size_t>(i)].tokens);
        tokens += part.back().response();
      }
      const floats g = gradient(
          {}, forward, backward, part,
          [&](int i, int, const sim::token_outcome&) {
            const int own = part[static_cast<std::size_t>(i - 8 * m)].response();
            const int divisor = w.value == loss_aggregation::token_mean      ? tokens
                                : w.value == loss_aggregation::sequence_mean ? 8 * own
                                                                             : 8 * 6;
            return 1 / static_cast<float>(divisor) * advantage[static_cast<std::size_t>(i)];
          },
          8 * m);
      norms += double{sim::gradient_norm(s.table, g)};
    }
    CHECK(norms > 0);
    CHECK(figure_of(done.step.figures, "grad_norm") == norms / 4);
  }
}

}  // namespace
