// SPDX-License-Identifier: Apache-2.0
// tests/train/warm_up_test.cpp: sim/train/warm_up.h: demonstrations, steps, and both schedules.
#include "sim/train/warm_up.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "named_figures.h"
#include "scratch_folder.h"
#include "sim/train/evaluation.h"
#include "sim/train/run.h"
#include "tiny_study.h"

namespace {

using sim::rate_schedule;
using sim::setting;
using sim::warm_up_schedule;
using test::figure_of;
using test::has_figure;

// ---- the fixed schedule ------------------------------------------------------------------------

TEST_CASE("a_fixed_schedule_ramps_and_falls_to_its_last_fraction_at_the_last_step") {
  sim::warm_up_constants c;
  c.schedule = rate_schedule::fixed;
  c.steps = 14;
  c.ramp_steps = 4;
  c.learning_rate = 8.0F;
  c.final_fraction = 0.25F;
  const warm_up_schedule s(c);
  CHECK(s.rate(0) == 2.0F);
  CHECK(s.rate(3) == 8.0F);
  CHECK(s.rate(4) == Approx(8 * (1 - 0.075)));
  CHECK(s.rate(8) == Approx(8 * (1 - 0.375)));
  CHECK(s.rate(13) == 2.0F);
  for (int step = 4; step < 14; ++step) CHECK(s.rate(step) < s.rate(step - 1));
  for (int steps = 0; steps < 20; ++steps) {
    CHECK(s.is_over(steps) == (steps >= 14));
    CHECK_FALSE(s.measures_after(steps));
  }
}

TEST_CASE("a_fixed_schedule_that_is_shorter_than_its_ramp_only_rises") {
  sim::warm_up_constants c;
  c.schedule = rate_schedule::fixed;
  c.steps = 3;
  c.ramp_steps = 10;
  c.learning_rate = 1.0F;
  for (int step = 0; step < 3; ++step)
    CHECK(warm_up_schedule(c).rate(step) == Approx(0.1 * (step + 1)));
  CHECK(warm_up_schedule(c).is_over(3));
  c.steps = 10;
  CHECK(warm_up_schedule(c).rate(9) == 1.0F);
}

// ---- the schedule that waits for an accuracy ---------------------------------------------------

sim::warm_up_constants waiting() {
  sim::warm_up_constants c;
  c.steps = 40;
  c.decay_steps = 8;
  c.ramp_steps = 4;
  c.learning_rate = 8.0F;
  c.final_fraction = 0.25F;
  c.target_accuracy = 0.2F;
  c.gate_interval = 5;
  return c;
}

TEST_CASE("the_rate_is_constant_until_the_target_is_reached_and_then_falls_for_a_fixed_time") {
  warm_up_schedule s(waiting());
  for (const int steps : {5, 10, 15}) {
    CHECK(s.measures_after(steps));
    s.take(steps, 0.19);
  }
  CHECK_FALSE(s.measures_after(16));
  CHECK(s.rate(3) == 8.0F);
  CHECK(s.rate(19) == 8.0F);
  CHECK(s.rate(25) == 8.0F);
  s.take(20, 0.2);
  CHECK(s.reached());
  CHECK(s.rate(1) == 4.0F);
  CHECK(s.rate(19) == 8.0F);
  for (int step = 20; step < 28; ++step) {
    CHECK(s.rate(step) == Approx(8 * (1 - 0.75 * (step - 19) / 8)));
  }
  CHECK(s.rate(27) == 2.0F);
  CHECK_FALSE(s.is_over(27));
  CHECK(s.is_over(28));
  // What is measured later, as after the last step, changes nothing.
  CHECK_FALSE(s.measures_after(25));
  s.take(25, 0.9);
  s.take(28, 0.1);
  CHECK(s.rate(27) == 2.0F);
  CHECK(s.reached());
}

TEST_CASE("a_target_that_is_not_reached_ends_after_the_limit_with_the_same_decay") {
  warm_up_schedule s(waiting());
  for (int steps = 5; steps <= 30; steps += 5) s.take(steps, 0.1);
  CHECK_FALSE(s.measures_after(35));
  CHECK(s.rate(31) == 8.0F);
  CHECK(s.rate(32) < 8.0F);
  CHECK(s.rate(39) == 2.0F);
  CHECK_FALSE(s.is_over(39));
  CHECK(s.is_over(40));
  CHECK_FALSE(s.reached());
}

/// One-digit addition under the schedule, which is over in a second.
sim::study waiting_study(float target) {
  sim::study s = test::tiny_study();
  s.warm_up.schedule = rate_schedule::until_accuracy;
  s.warm_up.steps = 120;
  s.warm_up.decay_steps = 12;
  s.warm_up.gate_interval = 8;
  s.warm_up.target_accuracy = target;
  s.grpo.steps = 1;
  s.outliers.factors = {1};
  s.arms.resize(1);
  return s;
}

TEST_CASE("a_warm_up_ends_a_fixed_time_after_the_first_measurement_at_its_target") {
  const setting s(waiting_study(0.1F));
  sim::training_state state{sim::initial_weights(s.table, 1), {}, 0};
  sim::gradient_computer gradient(s);
  warm_up_schedule schedule(s.constants.warm_up);
  int reached_after = 0;
  while (!schedule.is_over(state.step)) {
    const auto figures = sim::warm_up_step(s, gradient, state, schedule);
    const bool over = schedule.is_over(state.step);
    CHECK(has_figure(figures, "accuracy_sampled") ==
          (over || (state.step % 8 == 0 && reached_after == 0)));
    CHECK(has_figure(figures, "target_reached") == over);
    if (has_figure(figures, "accuracy_sampled")) {
      const double found = figure_of(figures, "accuracy_sampled");
      CHECK(found == sim::gate_accuracy(s, state.weights));
      if (reached_after == 0 && found >= 0.1) reached_after = state.step;
    }
    if (over) CHECK(figure_of(figures, "target_reached") == 1.0);
  }
  CHECK(reached_after > 8);
  CHECK(state.step == reached_after + 12);
  const bool same = sim::warmed_up_policy(s).weights == state.weights;
  CHECK(same);
}

struct told {
  std::vector<sim::progress> all;
  [[nodiscard]] bool notes(const std::string& words) const {
    return std::ranges::any_of(all, [&](const sim::progress& p) {
      return p.what == sim::progress::kind::note && p.name.find(words) != std::string::npos;
    });
  }
};

TEST_CASE("a_target_that_is_not_reached_is_marked_and_the_run_goes_on") {
  for (const float target : {0.1F, 0.99F}) {
    const test::scratch_folder scratch;
    told progress;
    CHECK(sim::run_study({waiting_study(target), scratch / "run", sim::existing_run::fresh, 0,
                          nullptr, [&](const sim::progress& p) { progress.all.push_back(p); }}) ==
          sim::run_end::finished);
    const bool missed = target > 0.5F;
    const std::string metrics = test::contents_of(scratch / "run" / "metrics.csv");
    CHECK((metrics.find(",,,target_reached,0,") != std::string::npos) == missed);
    CHECK((metrics.find(",,,target_reached,1,") != std::string::npos) == !missed);
    CHECK(progress.notes("did not reach a sampled accuracy of 0.99 in 120 steps") == missed);
  }
}

TEST_CASE("a_warm_up_that_is_stopped_anywhere_goes_on_under_the_same_schedule") {
  const sim::study s = waiting_study(0.1F);
  const test::scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "straight", sim::existing_run::fresh, 0, nullptr,
                          nullptr}) == sim::run_end::finished);
  for (const int calls : {7, 8, 9, 30, 60}) {
    const std::string name = std::to_string(calls);
    std::atomic<int> stop = 0;
    int seen = 0;
    REQUIRE(sim::run_study(
                {s, scratch / name, sim::existing_run::fresh, 0, &stop, [&](const sim::progress&) {
                   if (++seen >= calls) stop = 2;
                 }}) == sim::run_end::stopped);
    REQUIRE(sim::run_study({s, scratch / name, sim::existing_run::resume, 0, nullptr, nullptr}) ==
            sim::run_end::finished);
    for (const char* file : {"metrics.csv", "hashes.csv"}) {
      const bool same = test::contents_of(scratch / name / file) ==
                        test::contents_of(scratch / "straight" / file);
      INFO("stopped after call " << calls);
      CHECK(same);
    }
  }
}

// ---- demonstrations and steps ------------------------------------------------------------------

TEST_CASE("demonstrations_are_solutions_of_which_about_9_percent_of_the_digits_are_replaced") {
  sim::study study = test::tiny_study();
  study.task.digits = 3;
  study.warm_up.sequences = 512;
  const setting s(study);
  int digits = 0, changed = 0;
  for (int step = 0; step < 4; ++step) {
    const auto batch = sim::demonstrations(s, step);
    REQUIRE(batch.size() == 512);
    const auto prompts = s.prompts(sim::stream::demonstration_prompts, step, 512);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      sim::sequence clean = prompts[i];
      s.task->append_solution(clean);
      REQUIRE(batch[i].length() == clean.length());
      REQUIRE(batch[i].prompt == clean.prompt);
      for (std::size_t t = 0; t < clean.tokens.size(); ++t) {
        const bool same = batch[i].tokens[t] == clean.tokens[t];
        if (static_cast<int>(t) < clean.prompt || clean.tokens[t] >= 10) {
          REQUIRE(same);
          continue;
        }
        REQUIRE(batch[i].tokens[t] < 10);
        ++digits;
        changed += same ? 0 : 1;
      }
    }
  }
  // One replacement in ten draws the original digit. Standard deviation of the share: 0.002.
  CHECK(digits == 4 * 512 * 10);
  CHECK(std::fabs(changed / static_cast<double>(digits) - 0.09) < 0.01);
  CHECK(sim::demonstrations(s, 0) != sim::demonstrations(s, 1));
  CHECK(sim::demonstrations(s, 2) == sim::demonstrations(s, 2));
}

TEST_CASE("demonstrations_without_noise_are_right") {
  sim::study study = test::tiny_study();
  study.warm_up.digit_noise = 0;
  const setting s(study);
  for (const sim::sequence& d : sim::demonstrations(s, 3)) CHECK(s.task->solved(d));
}

TEST_CASE("the_warm_up_lowers_its_loss_and_follows_its_schedule") {
  const setting s(test::tiny_study());
  sim::training_state state{sim::initial_weights(s.table, 1), {}, 0};
  sim::gradient_computer gradient(s);
  sim::warm_up_schedule schedule(s.constants.warm_up);
  std::vector<double> loss;
  for (int step = 0; step < 96; ++step) {
    const auto figures = sim::warm_up_step(s, gradient, state, schedule);
    loss.push_back(figure_of(figures, "loss"));
    CHECK(figure_of(figures, "learning_rate") == double{schedule.rate(step)});
    CHECK(figure_of(figures, "grad_norm") > 0);
  }
  CHECK(state.step == 96);
  CHECK(state.optimizer.step == 96);
  CHECK(loss.front() == Approx(std::log(32.0)).epsilon(0.2));
  CHECK(loss.back() < loss.front() - 1.5);
}

TEST_CASE("the_loss_of_the_warm_up_is_the_mean_over_response_tokens") {
  const setting s(test::tiny_study());
  sim::training_state state{sim::initial_weights(s.table, 1), {}, 0};
  sim::gradient_computer gradient(s);
  sim::warm_up_schedule schedule(s.constants.warm_up);
  const auto figures = sim::warm_up_step(s, gradient, state, schedule);
  double sum = 0;
  for (const sim::token_outcome& o : gradient.scored().outcomes) sum -= double{o.log_probability};
  CHECK(gradient.scored().outcomes.size() == 16 * 6);
  CHECK(figure_of(figures, "loss") == sum / 96);
}

}  // namespace
