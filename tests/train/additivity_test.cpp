// SPDX-License-Identifier: Apache-2.0
// tests/train/additivity_test.cpp: sim/train/additivity.h: parts that add up have additivity 0,
// known remainders are found, and FP32's replay is the step that was trained.
#include "sim/train/additivity.h"

#include <atomic>
#include <cmath>
#include <map>
#include <sstream>

#include "additive_study.h"
#include "catch.h"
#include "scratch_folder.h"
#include "sim/train/policy_update.h"
#include "sim/train/run.h"
#include "sim/train/warm_up.h"

namespace {

using elements = std::array<double, 5>;

sim::change_sums sums_of(const std::vector<elements>& quantity) {
  sim::change_sums sums;
  for (const elements& e : quantity) sums.take(e);
  return sums;
}

TEST_CASE("parts_that_add_up_in_every_element_have_additivity_0") {
  std::vector<elements> quantity;
  for (int i = 1; i <= 100; ++i) {
    const double s = i, d = -0.25 * i, g = 3.0 * (i % 7), reference = 8.0 * i;
    quantity.push_back(
        {reference, reference + s, reference + d, reference + g, reference + s + d + g});
  }
  CHECK(sums_of(quantity).remainder_share() == 0);
  CHECK(sums_of(quantity).relative_change(1) == 0.125);
  CHECK(sums_of(quantity).relative_change(2) == 0.03125);
}

TEST_CASE("a_known_remainder_is_its_norm_over_that_of_the_whole_change") {
  // Remainders 3 and 4 of changes 6 and 8; the reference is no part of them.
  const auto sums = sums_of({{100, 101, 102, 100, 106}, {-50, -48, -51, -47, -42}});
  CHECK(sums.remainder_share() == 0.5);
  CHECK(sums.relative_change(4) == Approx(10 / std::sqrt(12500.0)));
}

TEST_CASE("no_change_at_all_has_additivity_0_and_a_change_from_nothing_is_infinite") {
  CHECK(sums_of({{2, 2, 2, 2, 2}}).remainder_share() == 0);
  CHECK(sums_of({{0, 0, 0, 0, 0}}).relative_change(4) == 0);
  CHECK(std::isinf(sums_of({{0, 1, 0, 0, 0}}).relative_change(1)));
  CHECK(std::isinf(sums_of({{0, 1, 0, 0, 0}}).remainder_share()));
}

using rows_by_name = std::map<std::string, double>;

rows_by_name values_of(const std::vector<sim::metric_row>& rows) {
  rows_by_name result;
  for (const sim::metric_row& row : rows) {
    CHECK(row.phase == "additivity");
    CHECK(result.emplace(row.arm + " " + row.metric, row.value).second);
  }
  return result;
}

/// A step of the reference under a study.
struct trained_step {
  sim::training_state before;
  sim::rollout_step step;
  std::vector<float> after;
};

/// The step after so many.
trained_step step_after(int done, const sim::setting& s) {
  const sim::arm& reference = s.constants.arms.front();
  sim::training_state state;
  state.weights = sim::warmed_up_policy(s).weights;
  sim::gradient_computer gradient(s);
  for (int i = 0; i < done; ++i) {
    static_cast<void>(sim::grpo_step(s, reference, gradient, state));
  }
  trained_step result{state, {}, {}};
  result.step = sim::grpo_step(s, reference, gradient, state);
  result.after = state.weights;
  return result;
}

trained_step first_step_of(const sim::setting& s) { return step_after(0, s); }

TEST_CASE("a_replay_in_which_only_the_reference_differs_has_the_definition_in_every_quantity") {
  // Every part has the reference's arithmetic, and the whole has too: nothing changes.
  sim::study s = test::additive_study();
  for (sim::arm& a : s.arms) a.formats = {};
  const sim::setting same(s);
  const trained_step of_same = first_step_of(same);
  for (const auto& [name, value] :
       values_of(sim::replayed_rows(same, of_same.before, of_same.step))) {
    INFO(name);
    CHECK(value == 0);
  }
  // The whole is the scale part alone: additive under injection, and under operation, where the
  // scale alone is the reference, the whole change is left over.
  s.arms[1].formats = s.arms[4].formats = test::additive_study().arms[1].formats;
  const sim::setting scale(s);
  const auto rows = values_of(sim::replayed_rows(scale, of_same.before, of_same.step));
  for (const char* quantity : {"logits", "gradient", "sgd", "adam"}) {
    INFO(quantity);
    CHECK(rows.at(std::string("mxfp4 additivity.injection.") + quantity) == 0);
    CHECK(rows.at(std::string("mxfp4 additivity.operation.") + quantity) == 1);
    CHECK(rows.at(std::string("mxfp4 change.") + quantity) > 0);
    CHECK(rows.at(std::string("mxfp4 change.") + quantity) ==
          rows.at(std::string("inj-s change.") + quantity));
    CHECK(rows.at(std::string("inj-g change.") + quantity) == 0);
  }
  CHECK(rows.size() == 4 * (2 + 4));
}

/// Steps of a study's reference by hand, with the quantities of one arm's replay.
struct slow_replay {
  std::vector<double> gradient, adam, logits;
};

slow_replay replay_by_hand(const sim::setting& s, const trained_step& f, const sim::arm& a) {
  sim::arm replaying = a;
  replaying.correction = sim::mismatch::none;
  sim::training_state state = f.before;
  sim::rollout_step copy = f.step;
  sim::gradient_computer gradient(s);
  const sim::step_arithmetic formats =
      s.at_step(a.formats, sim::stream::training_operands, f.before.step);
  const auto forward =
      sim::prepare_forward(s.table, f.before.weights, formats.of(sim::pass::forward));
  std::vector<float> logits;
  gradient.watch([&](const sim::decoder& d, int layer) {
    if (layer < s.table.shape().layers) return;
    const std::vector<float> part = d.response_logits(forward);
    logits.insert(logits.end(), part.begin(), part.end());
  });
  static_cast<void>(sim::update_policy(s, replaying, formats, copy, gradient, state));
  slow_replay result;
  for (std::size_t i = 0; i < state.weights.size(); ++i) {
    result.adam.push_back(double{state.weights[i]} - double{f.before.weights[i]});
    // The first moment after one update from none is (1 - beta1) times the clipped gradient.
    result.gradient.push_back(double{state.optimizer.m[i]});
  }
  result.logits.assign(logits.begin(), logits.end());
  return result;
}

double share_by_hand(const std::array<std::vector<double>, 5>& q) {
  double left = 0, whole = 0;
  for (std::size_t i = 0; i < q[0].size(); ++i) {
    const double d = q[4][i] - q[0][i];
    whole += d * d;
    left += std::pow(d - (q[1][i] - q[0][i]) - (q[2][i] - q[0][i]) - (q[3][i] - q[0][i]), 2);
  }
  return std::sqrt(left / whole);
}

TEST_CASE("replayed_quantities_are_those_of_the_training_step_under_each_arithmetic") {
  const sim::setting s(test::additive_study());
  const trained_step f = first_step_of(s);
  std::array<slow_replay, 5> by_hand;
  for (std::size_t i = 0; i < 5; ++i) by_hand[i] = replay_by_hand(s, f, s.constants.arms[i]);
  const auto of = [&](std::vector<double> slow_replay::*quantity) {
    std::array<std::vector<double>, 5> q;
    for (std::size_t i = 0; i < 5; ++i) q[i] = by_hand[i].*quantity;
    return share_by_hand(q);
  };
  for (std::size_t i = 0; i < f.after.size(); ++i) {  // FP32's replay is the step itself
    REQUIRE(by_hand[0].adam[i] == double{f.after[i]} - double{f.before.weights[i]});
  }
  const auto rows = values_of(sim::replayed_rows(s, f.before, f.step));
  CHECK(rows.at("mxfp4 additivity.injection.logits") == Approx(of(&slow_replay::logits)));
  CHECK(rows.at("mxfp4 additivity.injection.adam") == Approx(of(&slow_replay::adam)));
  CHECK(rows.at("mxfp4 additivity.injection.sgd") ==
        Approx(of(&slow_replay::gradient)).epsilon(1e-4));
  // The tiny policy's gradients are longer than the clip, so that SGD's change is no multiple of
  // them.
  CHECK(rows.at("mxfp4 additivity.injection.gradient") !=
        Approx(of(&slow_replay::gradient)).epsilon(1e-4));
}

/// The study with the parts of W in the forward pass alone.
sim::study study_of_weights() {
  sim::study s = test::additive_study();
  for (sim::arm& a : s.arms) {
    const mx::operand w = a.formats.forward.other;
    a.formats = {};
    a.formats.forward.other = w;
  }
  return s;
}

/// Logits under FP32, had the error of every linear's weights been so many times an arm's.
std::vector<double> logits_with(const sim::setting& s, const trained_step& f, const sim::arm& a,
                                float times) {
  trained_step moved = f;
  for (const sim::parameter& p : s.table.layer(0).linears) {
    const float* w = f.before.weights.data() + p.offset;
    std::vector<float> quantized(static_cast<std::size_t>(p.count()));
    mx::fake_quantize(a.formats.forward.other, mx::operand_matrix{p.rows, p.columns, 1, w},
                      {quantized.data(), p.columns});
    for (std::size_t i = 0; i < quantized.size(); ++i) {
      moved.before.weights[static_cast<std::size_t>(p.offset) + i] =
          w[i] + times * (quantized[i] - w[i]);
    }
  }
  return replay_by_hand(s, moved, s.constants.arms.front()).logits;
}

TEST_CASE("errors_of_weights_in_forward_alone_add_up_to_first_order") {
  const sim::setting s(study_of_weights());
  const trained_step f = first_step_of(s);
  const auto with_errors = [&](float times) {
    std::array<std::vector<double>, 5> q;
    for (std::size_t x = 0; x < 5; ++x) q[x] = logits_with(s, f, s.constants.arms[x], times);
    return share_by_hand(q);
  };
  const auto rows = values_of(sim::replayed_rows(s, f.before, f.step));
  CHECK(rows.at("mxfp4 additivity.injection.logits") == Approx(with_errors(1)).epsilon(1e-4));
  // What is left over is of second order: errors of an eighth leave an eighth of its share.
  const double eighth = with_errors(0.125F);
  INFO(with_errors(1) << ", " << eighth);
  CHECK(eighth < 0.1);
  CHECK(with_errors(0.0625F) == Approx(eighth / 2).epsilon(0.1));
}

TEST_CASE("the_rollouts_of_the_first_update_are_replayed") {
  sim::study study = test::additive_study();
  const sim::setting whole(study);
  study.grpo.minibatches = 2;
  const sim::setting parts(study);
  const trained_step f = first_step_of(parts);
  sim::rollout_step half = f.step;
  half.rollouts.resize(f.step.rollouts.size() / 2);
  half.rewards.resize(half.rollouts.size());
  const auto rows = values_of(sim::replayed_rows(parts, f.before, f.step));
  CHECK(rows == values_of(sim::replayed_rows(whole, f.before, half)));
  CHECK(rows != values_of(sim::replayed_rows(whole, f.before, f.step)));
}

TEST_CASE("a_later_step_is_replayed_with_the_moments_that_training_left") {
  const sim::setting s(test::additive_study());
  const trained_step f = step_after(2, s);
  REQUIRE(f.before.optimizer.step == 2);
  std::array<std::vector<double>, 5> adam;
  for (std::size_t x = 0; x < 5; ++x) adam[x] = replay_by_hand(s, f, s.constants.arms[x]).adam;
  const auto rows = values_of(sim::replayed_rows(s, f.before, f.step));
  CHECK(rows.at("mxfp4 additivity.injection.adam") == Approx(share_by_hand(adam)));
}

TEST_CASE("trained_weights_are_compared_by_the_same_definition") {
  const std::vector<float> initial{1, 1}, fp32{4, 5}, s{5, 5}, d{4, 5}, g{4, 6}, all{6, 7};
  const auto rows = values_of(sim::trained_rows(
      initial, {{"g", g}, {"fp32", fp32}, {"inj-s", s}, {"inj-d", d}, {"inj-g", g}, {"mxfp4", all}},
      40));
  CHECK(rows.at("mxfp4 additivity.injection.weights") == Approx(0.5));  // (1, 1) of (2, 2)
  CHECK(rows.at("mxfp4 additivity.operation.weights") == Approx(std::sqrt(5 / 8.0)));
  CHECK(rows.at("mxfp4 change.weights") == Approx(std::sqrt(8.0) / 5));
  CHECK(rows.at("inj-s change.weights") == Approx(0.2));
  CHECK(rows.size() == 6);
  CHECK(sim::trained_rows(initial, {{"fp32", fp32}, {"mxfp4", all}}, 40).empty());
}

TEST_CASE("the_floor_is_the_distance_of_a_training_on_other_rollouts") {
  const sim::metric_row row = sim::floor_row({1, 1}, {4, 5}, {4, 7}, 40);
  CHECK((row.phase == "additivity" && row.arm == "fp32" && row.metric == "change.weights"));
  CHECK(row.step == 40);
  CHECK(row.value == Approx(0.4));
  const sim::study s = test::additive_study();
  const sim::setting same(s), other(sim::with_other_rollouts(s));
  const trained_step here = first_step_of(same);
  sim::training_state state = here.before;
  sim::gradient_computer gradient(other);
  const auto there = sim::grpo_step(other, s.arms.front(), gradient, state);
  int equal = 0;
  for (std::size_t i = 0; i < there.rollouts.size(); ++i) {
    equal += there.rollouts[i].tokens.tokens == here.step.rollouts[i].tokens.tokens ? 1 : 0;
  }
  CHECK(equal < static_cast<int>(there.rollouts.size()) / 2);
}

TEST_CASE("a_study_without_the_arms_and_a_step_that_is_not_named_have_no_rows") {
  sim::study s = test::additive_study();
  CHECK(sim::is_replayed(s, s.arms[0], 1));
  CHECK_FALSE(sim::is_replayed(s, s.arms[0], 2));
  CHECK_FALSE(sim::is_replayed(s, s.arms[1], 1));
  sim::study floor = s, other_part = s;  // clipping is a fourth part, or an arm has another part
  for (sim::pass_format* f : {&floor.arms[4].formats.forward, &floor.arms[4].formats.wgrad}) {
    f->data.recipe.rules.rule = mx::scale_rule::floor;
  }
  other_part.arms[1].formats.forward.data.parts = mx::component::grid;
  CHECK_FALSE(sim::is_replayed(floor, s.arms[0], 1));
  CHECK_FALSE(sim::is_replayed(other_part, s.arms[0], 1));
  const sim::setting whole(s);
  const trained_step f = first_step_of(whole);
  s.arms.erase(s.arms.begin() + 2);
  CHECK(sim::replayed_rows(sim::setting(s), f.before, f.step).empty());
}

std::vector<std::string> additivity_lines(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  std::istringstream all(test::contents_of(folder / "metrics.csv"));
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("additivity,")) lines.push_back(line);
  }
  return lines;
}

TEST_CASE("weights_of_an_arm_that_diverged_are_not_compared") {
  sim::study s = test::additive_study();
  const auto has_weights = [&] {
    const test::scratch_folder scratch;
    CHECK(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
    return std::ranges::any_of(additivity_lines(scratch / "run"), [](const std::string& line) {
      return line.find("additivity.injection.weights") != std::string::npos;
    });
  };
  CHECK(has_weights());
  s.arms[4].learning_rate = 1e30F;
  CHECK_FALSE(has_weights());
}

TEST_CASE("rows_of_a_run_do_not_depend_on_threads_micro_batch_and_interruption") {
  sim::study s = test::additive_study();
  const auto lines_with = [&](const sim::execution& run, int stopped_behind) {
    const test::scratch_folder scratch;
    s.run = run;
    std::atomic<int> stop = 0;
    int seen = 0;
    const auto request = [&](sim::existing_run existing, const std::atomic<int>* at) {
      return sim::run_study({s, scratch / "run", existing, 0, at, [&](const sim::progress& p) {
                               const bool step = p.what == sim::progress::kind::arm_step;
                               if (step && ++seen == stopped_behind) stop = 2;
                             }});
    };
    const bool stopped = request(sim::existing_run::fresh, &stop) == sim::run_end::stopped;
    CHECK(stopped == (stopped_behind > 0));
    if (stopped) {
      CHECK(request(sim::existing_run::resume, nullptr) == sim::run_end::finished);
    }
    return additivity_lines(scratch / "run");
  };
  const auto expected = lines_with({1, 0}, 0);
  CHECK(expected.size() == 2 * 4 * (2 + 4) + 6 + 1);  // steps 1 and 3, the end and its floor
  s.run = {};
  const sim::setting setting(s);
  const trained_step f = first_step_of(setting);
  const std::string first = "additivity,mxfp4,1,1,,,,additivity.injection.logits,";
  CHECK(expected[0].starts_with(first));
  CHECK(std::stod(expected[0].substr(first.size())) ==
        sim::replayed_rows(setting, f.before, f.step)[0].value);
  CHECK(expected[24].starts_with("additivity,mxfp4,1,3,"));
  CHECK(lines_with({3, 5}, 0) == expected);
  CHECK(std::stod(expected.back().substr(expected.back().find("change.weights,") + 15)) > 0);
  CHECK(lines_with({1, 0}, 3) == expected);  // FP32's step 1 is done, its step 3 is not
  CHECK(lines_with({2, 1}, 11) == expected);
}

}  // namespace
