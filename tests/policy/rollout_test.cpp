// SPDX-License-Identifier: Apache-2.0
// tests/policy/rollout_test.cpp: sim/rollout/sampler.h: a rollout's log-probabilities of its tokens
// equal those of the training path, bit for bit; tokens depend only on their counters.
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "instruction_sets.h"
#include "sim/rollout/sampler.h"
#include "sim/task/column_addition.h"
#include "tiny_policy.h"

namespace {

using sim::decoding;
using sim::rollout;
using sim::sequence;
using test::tiny_policy;
constexpr int limit = 18;  // prompts of 4: rows cross the 16th position

std::vector<sequence> prompts_of(int count) {
  const sim::column_addition task({1, 32});
  std::vector<sequence> result;
  for (int i = 0; i < count; ++i)
    result.push_back(task.prompt(1, 5, static_cast<std::uint32_t>(i)));
  return result;
}

sim::pass_products products_of(const sim::pass_format& format) {
  return {format, sim::pass::rollout, test::some_key};
}

std::vector<rollout> sampled(const tiny_policy& policy, const sim::pass_format& format, int prompts,
                             int samples, decoding how = decoding::sampled,
                             std::uint32_t counter = 9) {
  const sim::pass_products products = products_of(format);
  const auto weights = sim::prepare_forward(policy.table, policy.weights, products);
  return sim::sample_responses({policy.table, policy.rope, products}, weights, prompts_of(prompts),
                               {how, samples, 1, counter, limit});
}

bool same_rollout(const rollout& a, const rollout& b) {
  return a.tokens == b.tokens && test::bits(a.log_probability) == test::bits(b.log_probability) &&
         test::bits(a.entropy) == test::bits(b.entropy);
}

bool same_rollouts(const std::vector<rollout>& a, const std::vector<rollout>& b) {
  return std::ranges::equal(a, b, same_rollout);
}

std::vector<sequence> sequences_of(const std::vector<rollout>& rollouts) {
  std::vector<sequence> result;
  for (const rollout& r : rollouts) result.push_back(r.tokens);
  return result;
}

TEST_CASE("log_probabilities_and_entropies_are_those_of_the_training_path_bit_for_bit") {
  const tiny_policy policy(2);
  for (const auto& [name, formats] : test::arithmetics()) {
    const auto rollouts = sampled(policy, formats.rollout, 11, 8);  // more than one group of rows
    const auto batch = sequences_of(rollouts);
    const sim::pass_products products = test::at_some_step(formats).of(sim::pass::forward);
    const auto weights = sim::prepare_forward(policy.table, policy.weights, products);
    sim::decoder decoder(policy.table, policy.rope);
    decoder.take(batch);
    decoder.forward(weights, products);
    auto outcome = decoder.outcomes().begin();
    std::size_t different = 0;
    for (const rollout& r : rollouts) {
      for (std::size_t t = 0; t < r.entropy.size(); ++t, ++outcome) {
        different += mx::bits_of(r.log_probability[t]) != mx::bits_of(outcome->log_probability);
        different += mx::bits_of(r.entropy[t]) != mx::bits_of(outcome->entropy);
      }
    }
    INFO(name);
    CHECK(different == 0);
    CHECK(outcome == decoder.outcomes().end());
  }
}

TEST_CASE("a_response_ends_with_the_end_token_or_at_the_limit") {
  const tiny_policy policy(1);
  int ended = 0, cut = 0;
  for (const rollout& r : sampled(policy, {}, 10, 8)) {
    const auto& tokens = r.tokens.tokens;
    const auto end = std::find(tokens.begin() + r.tokens.prompt, tokens.end(), sim::token::end);
    REQUIRE(r.tokens.prompt == 4);
    REQUIRE(r.log_probability.size() == static_cast<std::size_t>(r.tokens.response()));
    REQUIRE(r.entropy.size() == r.log_probability.size());
    if (end == tokens.end()) {
      REQUIRE(r.tokens.response() == limit);
      ++cut;
    } else {
      REQUIRE(end + 1 == tokens.end());
      ++ended;
    }
  }
  CHECK(ended > 0);
  CHECK(cut > 0);
}

TEST_CASE("rollouts_do_not_depend_on_threads_or_instruction_set") {
  const tiny_policy policy(2);
  for (const auto& [name, formats] : test::arithmetics()) {
    const auto expected = sampled(policy, formats.rollout, 17, 8);
    INFO(name);
    for (const std::size_t threads : {1U, 2U, 3U}) {
      const tbb::global_control limit_threads(tbb::global_control::max_allowed_parallelism,
                                              threads);
      CHECK(same_rollouts(sampled(policy, formats.rollout, 17, 8), expected));
    }
    for (const std::string& set : mx::instruction_sets()) {
      const test::instruction_set_of_scope scope(set);
      INFO(set);
      CHECK(same_rollouts(sampled(policy, formats.rollout, 17, 8), expected));
    }
  }
}

TEST_CASE("a_rollout_depends_on_its_prompt_and_sample_but_not_on_how_many_there_are") {
  const tiny_policy policy(2);
  // Groups of 10 prompts, and all of them in one group.
  const auto many = sampled(policy, {}, 23, 6), fewer = sampled(policy, {}, 23, 2);
  for (std::size_t prompt = 0; prompt < 23; ++prompt) {
    for (std::size_t sample = 0; sample < 2; ++sample) {
      CHECK(same_rollout(fewer[prompt * 2 + sample], many[prompt * 6 + sample]));
    }
  }
  std::set<std::vector<sim::token_id>> different;
  for (const rollout& r : many) different.insert(r.tokens.tokens);
  CHECK(different.size() > 92);  // of 138; the shortest responses repeat
  CHECK_FALSE(same_rollouts(sampled(policy, {}, 23, 2, decoding::sampled, 10), fewer));
}

TEST_CASE("greedy_rollouts_take_the_likeliest_token") {
  const tiny_policy policy(2);
  const auto rollouts = sampled(policy, {}, 9, 1, decoding::greedy);
  const auto batch = sequences_of(rollouts);
  const auto weights = sim::prepare_forward(policy.table, policy.weights, {});
  sim::decoder decoder(policy.table, policy.rope);
  decoder.take(batch);
  decoder.forward(weights, {});
  for (int i = 0; i < 9; ++i) {
    const sequence& s = batch[static_cast<std::size_t>(i)];
    for (int t = 0; t < s.response(); ++t) {
      const float* log_p = decoder.log_distribution(i, t);
      CHECK(s.tokens[static_cast<std::size_t>(s.prompt + t)] ==
            std::max_element(log_p, log_p + 32) - log_p);
    }
  }
}

TEST_CASE("tokens_are_drawn_with_the_policy_s_probabilities") {
  const tiny_policy policy(1);
  constexpr int draws = 4000;
  const auto weights = sim::prepare_forward(policy.table, policy.weights, {});
  const sim::pass_products fp32;
  const auto rollouts = sim::sample_responses({policy.table, policy.rope, fp32}, weights,
                                              prompts_of(1), {decoding::sampled, draws, 1, 9, 1});
  const auto batch = sequences_of(rollouts);
  sim::decoder decoder(policy.table, policy.rope);
  decoder.take({batch.data(), 1});
  decoder.forward(weights, {});
  double squares = 0;
  for (int v = 0; v < 32; ++v) {
    const double expected = draws * std::exp(double{decoder.log_distribution(0, 0)[v]});
    const auto found = static_cast<double>(
        std::ranges::count_if(batch, [&](const sequence& s) { return s.tokens.back() == v; }));
    squares += (found - expected) * (found - expected) / expected;
  }
  CHECK(squares < 31 + 5 * 8);  // chi squared with 31 degrees of freedom, deviation 7.9
}

TEST_CASE("arms_with_the_same_counters_stay_coupled") {
  const tiny_policy policy(2);
  const sim::arithmetic mxfp4 = test::arithmetics()[1].formats;
  const auto plain = sampled(policy, {}, 12, 4), quantized = sampled(policy, mxfp4.rollout, 12, 4);
  int agreeing = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    agreeing += plain[i].tokens.tokens[4] == quantized[i].tokens.tokens[4] ? 1 : 0;
  }
  CHECK(agreeing > 24);  // of 48; independent draws would agree in a few
}

}  // namespace
