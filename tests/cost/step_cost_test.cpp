// SPDX-License-Identifier: Apache-2.0
// tests/cost/step_cost_test.cpp: the cost model of sim/cost against counts by hand, planted rates,
// and, with the tag nightly, against measured steps of held-out sizes.
#include "sim/cost/step_cost.h"

#include <fmt/format.h>

#include "catch.h"
#include "sim/cost/rank_cost.h"

namespace {

sim::study some_study() {
  sim::study s;
  s.grpo.prompts = 2;
  s.grpo.samples = 8;
  s.measurement.additivity_steps.clear();
  s.arms = {{"fp32", {}, {}, {}}};
  return s;
}

sim::arm mxfp4_arm() {
  const mx::operand f{mx::operand_numbers::coded,
                      {{mx::block_formats::mxfp4, mx::scale_rule::rceil}}};
  const sim::pass_format both{f, f};
  return {"mxfp4", {both, both, both, both}, {}, {}};
}

sim::sized_policy sized(int width, int layers, int hidden, int vocabulary) {
  sim::sized_policy p;
  p.shape.width = width;
  p.shape.layers = layers;
  p.shape.heads = width / 32;
  p.shape.kv_heads = width / 64;
  p.shape.hidden = hidden;
  p.shape.vocabulary = vocabulary;
  return p;
}

TEST_CASE("published_policies_have_their_published_sizes") {
  // Of the model cards: 0.49 B, 3.09 B, 30.5 B of which 3.3 B are used.
  const auto& all = sim::published_policies();
  REQUIRE(all.size() == 3);
  CHECK(all[0].parameters() == Approx(0.494e9).epsilon(0.002));
  CHECK(all[1].parameters() == Approx(3.086e9).epsilon(0.002));
  CHECK(all[2].parameters() == Approx(30.53e9).epsilon(0.002));
  const sim::parameter_table experts(all[2].shape);
  const auto used = experts.count() - experts.linear_count() + experts.active_linear_count();
  CHECK(static_cast<double>(used) == Approx(3.35e9).epsilon(0.01));
}

TEST_CASE("work_is_counted_as_by_hand") {
  // 2 prompts of 8 tokens, 8 samples of 12 each: 14 + 192 tokens drawn, 320 trained.
  const sim::sized_policy p = sized(64, 3, 96, 32);
  const double linears = 3.0 * (64 * 64 * 2 + 2 * 32 * 64 + 3 * 64 * 96), head = 32.0 * 64;
  sim::study s = some_study();
  const sim::step_work w = sim::work_of(s, p);
  CHECK(w.at(sim::work::rollout) == (linears + head) * 206);
  CHECK(w.at(sim::work::training) == linears * 320 * 3 + head * 192 * 3);
  CHECK(w.at(sim::work::vocabulary) == 32 * 192);
  CHECK(w.at(sim::work::weights) == linears * 3 + head * 3);
  CHECK(w.at(sim::work::state) == p.parameters());
  s.run.kept = sim::kept_rows::inputs;
  CHECK(sim::work_of(s, p).at(sim::work::training) == linears * 320 * 4 + head * 192 * 3);
}

TEST_CASE("planted_rates_are_found_again_and_none_is_negative") {
  sim::work_rates planted;
  for (std::size_t i = 0; i < sim::work_kinds; ++i) planted.of[i] = 1e-11 * static_cast<double>(i);
  std::vector<sim::timed_step> steps;
  for (const sim::sized_policy& p : sim::calibration_policies()) {
    const sim::step_work w = sim::work_of(some_study(), p);
    steps.push_back({w, planted.seconds(w)});
  }
  const sim::work_rates found = sim::rates_of(steps);
  for (const double rate : found.of) CHECK(rate >= 0);
  for (const sim::sized_policy& p : {sim::held_out_policy(), sized(896, 6, 2048, 32768)}) {
    const sim::step_work w = sim::work_of(some_study(), p);
    CHECK(found.seconds(w) == Approx(planted.seconds(w)).epsilon(0.02));
  }
}

TEST_CASE("ranks_share_the_sequences_and_not_the_state") {
  const sim::study s = some_study();
  const sim::sized_policy p = sized(64, 2, 96, 32);
  sim::work_rates training, state;
  training.of[static_cast<std::size_t>(sim::work::training)] = 1;
  state.of[static_cast<std::size_t>(sim::work::state)] = 1;
  const auto seconds = [&](const sim::work_rates& rates, int ranks) {
    return sim::cost_of(s, s.arms.front(), p, {rates, 1, 1, 1e300}, ranks).seconds;
  };
  CHECK(seconds(training, 1) == 16 * seconds(training, 16));
  // 16 groups: 6, 5 and 5.
  CHECK(seconds(training, 3) == seconds(training, 1) * 6 / 16);
  CHECK(seconds(state, 16) == seconds(state, 1));
  const double vector = p.parameters() * 4;
  // Groups of 8 sequences of 24: two on one of two ranks, one on each of three.
  sim::study three = s;
  three.grpo.prompts = 3;
  const auto bytes = [&](int ranks) {
    return sim::cost_of(three, s.arms.front(), p, {{}, 1, 1, 1e300}, ranks).bytes;
  };
  CHECK(bytes(2) > bytes(3));
  const auto exchanged = sim::cost_of(s, s.arms.front(), p, {{}, 1, 1, vector}, 4);
  CHECK(exchanged.seconds == 4);
}

TEST_CASE("steps_of_held_out_sizes_are_predicted_within_a_fifth", "[.][nightly]") {
  const sim::study s = some_study();
  for (const sim::arm& a : {s.arms.front(), mxfp4_arm()}) {
    std::vector<sim::timed_step> steps;
    for (const sim::sized_policy& p : sim::calibration_policies()) {
      steps.push_back(sim::time_step(s, a, p));
    }
    const sim::work_rates rates = sim::rates_of(steps);
    for (const sim::sized_policy& p : {sim::held_out_policy(), sized(384, 5, 1024, 512),
                                       sized(896, 2, 4864, 1024), sized(320, 2, 640, 16384)}) {
      const sim::timed_step measured = sim::time_step(s, a, p);
      const sim::peak_bytes peak = sim::measure_peak(s, a, p);
      const double predicted = rates.seconds(measured.work);
      fmt::print(
          "{:6} width {:4}, {} layers, hidden {:4}, vocabulary {:5}: {:.3f} s predicted, "
          "{:.3f} s measured ({:+.0f} %); {:.0f} MB predicted, {:.0f} MB measured ({:+.0f} %)\n",
          a.name, p.shape.width, p.shape.layers, p.shape.hidden, p.shape.vocabulary, predicted,
          measured.seconds, 100 * (predicted / measured.seconds - 1), peak.predicted / 1e6,
          peak.measured / 1e6, 100 * (peak.predicted / peak.measured - 1));
      CHECK(predicted == Approx(measured.seconds).epsilon(0.2));
      CHECK(peak.predicted == Approx(peak.measured).epsilon(0.2));
    }
  }
}

}  // namespace
