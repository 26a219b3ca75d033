// SPDX-License-Identifier: Apache-2.0
// tests/train/batch_rollouts_test.cpp: sim/train/batch_rollouts.h and sim/train/rewards.h: punished
// lengths by hand, and groups that are drawn again.
#include "sim/train/batch_rollouts.h"

#include <tbb/global_control.h>

#include <algorithm>

#include "catch.h"
#include "named_figures.h"
#include "sim/train/rewards.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using sim::setting;
using test::figure_of;
using test::has_figure;

const floats& warmed_up() {
  static const floats weights = sim::warmed_up_policy(setting(test::tiny_study())).weights;
  return weights;
}

// ---- lengths -----------------------------------------------------------------------------------

TEST_CASE("the_penalty_falls_from_0_at_the_cache_to_minus_1_at_the_limit") {
  for (const int length : {1, 11, 12}) CHECK(sim::overlong_penalty(length, 20, 8) == 0.0F);
  CHECK(sim::overlong_penalty(13, 20, 8) == -0.125F);
  CHECK(sim::overlong_penalty(16, 20, 8) == -0.5F);
  CHECK(sim::overlong_penalty(19, 20, 8) == -0.875F);
  CHECK(sim::overlong_penalty(20, 20, 8) == -1.0F);
  CHECK(sim::overlong_penalty(20, 20, 0) == 0.0F);
}

sim::study with_long_responses() {
  sim::study study = test::tiny_study();
  study.task.max_response_length = 14;  // a correct one has 6
  study.grpo.overlong_cache = 8;
  return study;
}

TEST_CASE("long_responses_are_sampled_and_punished") {
  const setting s(with_long_responses());
  const sim::arm& fp32 = s.constants.arms[0];
  // Initial weights: responses end at random, or not at all.
  const floats weights = sim::initial_weights(s.table, 1);
  const sim::batch_rollouts batch = sim::drawn_batch(s, fp32, {}, weights, 0);
  double penalty = 0, solved = 0, cut_off = 0;
  for (std::size_t i = 0; i < batch.rollouts.size(); ++i) {
    const sim::sequence& q = batch.rollouts[i].tokens;
    const int length = q.response();
    const bool ended = q.tokens.back() == sim::token::end;
    CHECK(length <= 14);
    CHECK((ended || length == 14));
    const float expected = length <= 6 ? 0 : -static_cast<float>(length - 6) / 8;
    CHECK(batch.rewards[i] == (s.task->solved(q) ? 1.0F : 0.0F) + expected);
    penalty += double{expected};
    solved += s.task->solved(q) ? 1 : 0;
    cut_off += ended ? 0 : 1;
  }
  CHECK(penalty < 0);
  CHECK(cut_off > 0);
  const auto figures = sim::figures_of(s, batch);
  CHECK(figure_of(figures, "rewards/overlong/mean") == Approx(penalty / 32));
  CHECK(figure_of(figures, "rewards/solved/mean") == solved / 32);
  CHECK(figure_of(figures, "completions/clipped_ratio") == cut_off / 32);
  CHECK(figure_of(figures, "reward") == Approx((penalty + solved) / 32));
}

TEST_CASE("without_a_cache_the_reward_is_the_verdict") {
  sim::study study = with_long_responses();
  study.grpo.overlong_cache = 0;
  const setting s(study);
  const auto batch =
      sim::drawn_batch(s, s.constants.arms[0], {}, sim::initial_weights(s.table, 1), 0);
  for (std::size_t i = 0; i < batch.rollouts.size(); ++i) {
    CHECK(batch.rewards[i] == (s.task->solved(batch.rollouts[i].tokens) ? 1.0F : 0.0F));
  }
  CHECK_FALSE(has_figure(sim::figures_of(s, batch), "rewards/overlong/mean"));
}

// ---- dynamic sampling
// ----------------------------------------------------------------------------

TEST_CASE("groups_without_spread_are_those_of_equal_rewards") {
  CHECK(sim::flat_groups({1, 1, 0, 0, 1, 0, -0.5F, -0.5F}, 2) ==
        std::vector<bool>{true, true, false, true});
}

sim::study with_redraws(int rounds) {
  sim::study study = test::tiny_study();
  study.grpo.prompts = 8;
  study.grpo.samples = 2;  // so that many groups have no spread
  study.grpo.max_redraws = rounds;
  return study;
}

sim::batch_rollouts drawn(int rounds, int step = 1) {
  const setting s(with_redraws(rounds));
  return sim::drawn_batch(s, s.constants.arms[0], {}, warmed_up(), step);
}

/// The group that round r draws at place i, sampled alone.
std::vector<sim::rollout> group_alone(int round, int place) {
  const setting s(with_redraws(0));
  const auto index = static_cast<std::uint32_t>(round * 8 + place);
  const std::vector<sim::sequence> prompt{s.prompt(sim::stream::training_prompts, 1, index)};
  sim::sampling how = s.sampled(sim::decoding::sampled, 2, sim::stream::training_samples, 1);
  how.first_index = index;
  return sim::sample_responses(s.context({}), sim::prepare_forward(s.table, warmed_up(), {}),
                               prompt, how);
}

TEST_CASE("a_place_keeps_the_first_group_with_a_spread_or_the_last_one_drawn") {
  constexpr int most = 3;
  const sim::batch_rollouts batch = drawn(most);
  const setting s(with_redraws(most));
  int groups = 0, flat = 0, rounds = 0, left = 0;
  for (int place = 0; place < 8; ++place) {
    const auto at = static_cast<std::size_t>(2 * place);
    for (int round = 0; round <= most; ++round) {
      const auto alone = group_alone(round, place);
      const floats rewards{sim::reward_of(s, alone[0].tokens), sim::reward_of(s, alone[1].tokens)};
      const bool has_spread = rewards[0] != rewards[1];
      ++groups;
      flat += has_spread ? 0 : 1;
      rounds = std::max(rounds, round + 1);
      if (!has_spread && round < most) continue;
      left += has_spread ? 0 : 1;
      INFO("place " << place << ", round " << round);
      for (std::size_t j = 0; j < 2; ++j) {
        CHECK(batch.rollouts[at + j].tokens == alone[j].tokens);
        CHECK(batch.rollouts[at + j].log_probability == alone[j].log_probability);
        CHECK(batch.rewards[at + j] == rewards[j]);
      }
      break;
    }
  }
  REQUIRE(rounds > 2);
  CHECK(batch.groups == groups);
  CHECK(batch.flat == flat);
  CHECK(batch.rounds == rounds);
  const auto figures = sim::figures_of(s, batch);
  CHECK(figure_of(figures, "train/num_gen_batches") == rounds);
  CHECK(figure_of(figures, "frac_reward_zero_std") == left / 8.0);
  CHECK(figure_of(figures, "dynamic_sampling/frac_reward_zero_std") ==
        flat / static_cast<double>(groups));
}

TEST_CASE("without_redraws_nothing_is_drawn_twice_and_no_more_is_told") {
  const sim::batch_rollouts batch = drawn(0);
  CHECK(batch.rounds == 1);
  CHECK(batch.groups == 8);
  const setting s(with_redraws(0));
  CHECK_FALSE(has_figure(sim::figures_of(s, batch), "train/num_gen_batches"));
}

TEST_CASE("where_no_group_ever_has_a_spread_the_bound_is_reached") {
  const setting s(with_redraws(2));
  const auto batch =
      sim::drawn_batch(s, s.constants.arms[0], {}, sim::initial_weights(s.table, 1), 0);
  REQUIRE(std::ranges::count(batch.rewards, 1.0F) == 0);
  CHECK(batch.rounds == 3);
  CHECK(batch.groups == 24);
  CHECK(batch.flat == 24);
  CHECK(figure_of(sim::figures_of(s, batch), "frac_reward_zero_std") == 1.0);
}

TEST_CASE("redrawn_groups_do_not_depend_on_threads") {
  const sim::batch_rollouts plain = drawn(3);
  for (const std::size_t threads : {1, 3}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const sim::batch_rollouts again = drawn(3);
    CHECK(again.rewards == plain.rewards);
    bool same = true;
    for (std::size_t i = 0; i < again.rollouts.size(); ++i) {
      same = same && again.rollouts[i].tokens == plain.rollouts[i].tokens;
    }
    CHECK(same);
  }
}

TEST_CASE("redrawn_groups_have_the_random_bits_of_their_places") {
  const setting s(with_redraws(3));
  sim::arm drawn = test::drawn_arm();  // random bits of X too
  drawn.formats.rollout.data = drawn.formats.dgrad.data;
  const auto products =
      s.at_step(drawn.formats, sim::stream::training_operands, 0).of(sim::pass::rollout);
  const auto prepared = sim::prepare_forward(s.table, warmed_up(), products);
  const auto sampled = [&](const std::vector<int>& places) {
    std::vector<sim::sequence> prompts;
    for (const int i : places) {
      prompts.push_back(
          s.prompt(sim::stream::training_prompts, 0, 8 + static_cast<std::uint32_t>(i)));
    }
    sim::sampling how = s.sampled(sim::decoding::sampled, 2, sim::stream::training_samples, 0);
    how.first_index = 8;
    how.places = places;
    return sim::sample_responses(s.context(products), prepared, prompts, how);
  };
  const auto whole = sampled({0, 1, 2, 3, 4, 5, 6, 7}), part = sampled({3, 6});
  for (const auto& [i, at] :
       {std::pair<std::size_t, std::size_t>{0, 6}, {1, 7}, {2, 12}, {3, 13}}) {
    CHECK(part[i].tokens == whole[at].tokens);
    CHECK(part[i].log_probability == whole[at].log_probability);
  }
}

}  // namespace
