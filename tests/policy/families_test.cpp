// SPDX-License-Identifier: Apache-2.0
// tests/policy/families_test.cpp: sim/study/policy_family.h: distributions, gradients and bits of
// every family, and attention over more tokens than vectors are made for, against slow texts of
// both.
#include <tbb/global_control.h>

#include <cmath>
#include <numeric>
#include <random>

#include "catch.h"
#include "fixed_loss.h"
#include "instruction_sets.h"
#include "sim/rollout/sampler.h"
#include "sim/task/column_addition.h"
#include "slow_step.h"
#include "tree_sum.h"

namespace {

using test::doubles;
using test::fixed_gradient;
using test::floats;
using test::slow_loss;
using test::tiny_policy;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

std::vector<tiny_policy> policies(int layers) {
  std::vector<tiny_policy> all;
  for (const sim::family_features& f : sim::families) {
    all.emplace_back(test::tiny_shape(f.family, layers));
  }
  sim::policy_shape both = test::tiny_shape(sim::policy_family::qwen3, layers);
  both.head = sim::output_head::own;
  all.emplace_back(both);
  sim::policy_shape unnormalized = test::tiny_shape(sim::policy_family::qwen3_moe, layers);
  unnormalized.experts = {5, 3, sim::expert_weights::over_all};
  all.emplace_back(unnormalized);
  return all;
}

std::string name_of(const tiny_policy& p) {
  return std::string(p.table.features().name) + (p.table.has_own_head() ? ", own head" : "");
}

/// Compares the log-probabilities of response tokens with those of the slow decoder.
double worst_distance(const tiny_policy& policy, const std::vector<sim::sequence>& batch) {
  const auto weights = sim::prepare_forward(policy.table, policy.weights, {});
  sim::decoder decoder(policy.table, policy.rope);
  decoder.take(batch);
  decoder.forward(weights, {});
  const doubles wide = test::widened(policy.weights);
  double worst = 0;
  for (int i = 0; i < static_cast<int>(batch.size()); ++i) {
    const sim::sequence& s = batch[at(i)];
    const auto exact = test::slow_decoder(policy.table, wide).log_distributions(s.tokens);
    for (int t = 0; t < s.response(); ++t) {
      for (int v = 0; v < 32; ++v) {
        worst = std::max(worst, std::fabs(double{decoder.log_distribution(i, t)[v]} -
                                          exact[at(s.prompt + t - 1)][at(v)]));
      }
    }
  }
  return worst;
}

/// Compares numbers of every parameter's gradient with slopes; over the largest number of each.
double worst_slope(const tiny_policy& policy, const std::vector<sim::sequence>& batch,
                   int numbers) {
  const floats gradient = fixed_gradient(policy, batch);
  const doubles weights = test::widened(policy.weights);
  const auto loss = [&](const doubles& w) { return slow_loss(policy.table, w, batch); };
  std::mt19937 random(3);
  double all = 0;
  for (const sim::parameter& p : policy.table.all()) {
    double worst = 0, largest = 0;
    for (std::ptrdiff_t i = 0; i < p.count(); ++i) {
      largest = std::max(largest, std::fabs(double{gradient[at(p.offset + i)]}));
    }
    for (int i = 0; i < numbers; ++i) {
      const std::size_t j = at(p.offset) + random() % at(p.count());
      worst = std::max(worst, std::fabs(test::slope(loss, weights, j) - double{gradient[j]}));
    }
    INFO(p.name);
    if (largest == 0 && p.name.find(".experts.") != std::string::npos) {
      CHECK(worst == 0);  // no token chose it
      continue;
    }
    CHECK(largest > 1e-4);
    all = std::max(all, worst / largest);
  }
  return all;
}

TEST_CASE("distributions_and_gradients_of_every_family_are_those_of_the_slow_decoder") {
  const auto batch = test::random_sequences(3, 2);
  for (const tiny_policy& policy : policies(2)) {
    INFO(name_of(policy));
    CHECK(worst_distance(policy, batch) < 2e-5);
    CHECK(worst_slope(policy, batch, 8) < 2e-5);
  }
}

TEST_CASE("a_family_has_the_parameters_that_hugging_face_names") {
  const auto names = [](sim::policy_family family) {
    std::vector<std::string> found;
    for (const sim::parameter& p : sim::parameter_table(test::tiny_shape(family, 1)).all()) {
      found.push_back(p.name);
    }
    return found;
  };
  const std::string a = "model.layers.0.self_attn.", m = "model.layers.0.mlp.";
  const std::string input = "model.layers.0.input_layernorm.weight",
                    post = "model.layers.0.post_attention_layernorm.weight";
  CHECK(names(sim::policy_family::llama) ==
        std::vector<std::string>{"model.embed_tokens.weight", input, a + "q_proj.weight",
                                 a + "k_proj.weight", a + "v_proj.weight", a + "o_proj.weight",
                                 post, m + "gate_proj.weight", m + "up_proj.weight",
                                 m + "down_proj.weight", "model.norm.weight", "lm_head.weight"});
  CHECK(names(sim::policy_family::qwen2) ==
        std::vector<std::string>{"model.embed_tokens.weight", input, a + "q_proj.weight",
                                 a + "k_proj.weight", a + "v_proj.weight", a + "q_proj.bias",
                                 a + "k_proj.bias", a + "v_proj.bias", a + "o_proj.weight", post,
                                 m + "gate_proj.weight", m + "up_proj.weight",
                                 m + "down_proj.weight", "model.norm.weight"});
  const std::vector<std::string> mixture = names(sim::policy_family::qwen3_moe);
  REQUIRE(mixture.size() == 11 + 3 * 7);
  CHECK(std::vector<std::string>(mixture.begin() + 8, mixture.begin() + 13) ==
        std::vector<std::string>{post, m + "gate.weight", m + "experts.0.gate_proj.weight",
                                 m + "experts.0.up_proj.weight", m + "experts.0.down_proj.weight"});
}

TEST_CASE("some_expert_has_no_token_in_the_batches_of_these_tests") {
  const tiny_policy policy(test::tiny_shape(sim::policy_family::qwen3_moe, 2));
  const auto batch = test::random_sequences(3, 2);
  sim::decoder decoder(policy.table, policy.rope);
  decoder.take(batch);
  decoder.forward(sim::prepare_forward(policy.table, policy.weights, {}), {});
  std::vector<std::size_t> rows;
  for (int e = 0; e < 7; ++e) rows.push_back(decoder.rows_of({1, sim::linear::gate, e}).size());
  CHECK(rows[4] == 0);
  CHECK(std::accumulate(rows.begin(), rows.end(), std::size_t{0}) == 2 * at(decoder.first_row(3)));
}

TEST_CASE("initial_biases_are_0") {
  const sim::parameter_table table(test::tiny_shape(sim::policy_family::qwen2, 2));
  const floats weights = sim::initial_weights(table, 1);
  for (int i = 0; i < 2; ++i) {
    const sim::parameter bias = table.layer(i).qkv_bias();
    CHECK(bias.columns == 4 * 32 + 2 * 2 * 32);
    for (int j = 0; j < bias.columns; ++j) REQUIRE(weights[at(bias.offset + j)] == 0);
  }
}

TEST_CASE("a_step_of_every_family_has_the_bits_of_the_slow_step") {
  const auto batch = test::random_sequences(5, 21);
  for (const tiny_policy& policy : policies(1)) {
    for (const auto& [name, formats] : test::all_arithmetics(policy.table.shape())) {
      const test::gradient_result found =
          test::gradient_of(policy, policy.weights, formats, batch, 3);
      test::slow_step slow(policy, test::at_some_step(formats));
      sim::gradient_tree tree(policy.table.count(), 5);
      floats outcomes;
      for (int i = 0; i < 5; ++i) {
        const test::slow_figures leaf = slow(batch[at(i)], i);
        tree.add_leaf(i, 0, policy.table.count(), leaf.gradient.data());
        outcomes.insert(outcomes.end(), leaf.outcomes.begin(), leaf.outcomes.end());
      }
      tree.complete(5);
      INFO(name_of(policy) << ", " << name);
      const bool same =
          test::bits(found.gradient) == test::bits(test::sum_in(tree, policy.table.count())) &&
          test::bits(found.outcomes) == test::bits(outcomes);
      CHECK(same);
    }
  }
}

TEST_CASE("rollouts_of_every_family_have_the_probabilities_of_the_training_pass") {
  const sim::column_addition task({1, 32});
  const std::vector<sim::sequence> prompts{task.prompt(1, 5, 0), task.prompt(1, 5, 1)};
  for (const tiny_policy& policy : policies(2)) {
    const auto weights = sim::prepare_forward(policy.table, policy.weights, {});
    const auto rollouts = sim::sample_responses({policy.table, policy.rope, {}}, weights, prompts,
                                                {sim::decoding::sampled, 2, 1, 9, 6});
    for (const sim::rollout& r : rollouts) {
      sim::decoder decoder(policy.table, policy.rope);
      decoder.take({&r.tokens, 1});
      decoder.forward(weights, {});
      floats expected;
      for (const sim::token_outcome& o : decoder.outcomes()) expected.push_back(o.log_probability);
      INFO(name_of(policy));
      CHECK(test::bits(r.log_probability) == test::bits(expected));
    }
  }
}

/// Sequences of more than 256 tokens.
std::vector<sim::sequence> long_sequences() {
  std::vector<sim::sequence> batch = test::random_sequences(2, 7);
  std::mt19937 random(5);
  for (const std::size_t length : {300U, 271U}) {
    sim::sequence s;
    s.prompt = static_cast<int>(length) - 40;
    for (std::size_t i = 0; i < length; ++i) {
      s.tokens.push_back(static_cast<sim::token_id>(random() % 32));
    }
    batch.push_back(std::move(s));
  }
  return batch;
}

TEST_CASE("attention_over_300_tokens_is_that_of_the_slow_decoder") {
  const tiny_policy policy(test::tiny_shape(sim::policy_family::llama, 1), 1, 320);
  const auto batch = long_sequences();
  CHECK(worst_distance(policy, batch) < 5e-5);
  // One direction: the slow decoder takes seconds.
  const std::vector<sim::sequence> one{batch.back()};
  const floats gradient = fixed_gradient(policy, one);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  CHECK(test::slopes_along(policy, one, gradient, draw).error() < 1e-4);
}

std::vector<std::uint32_t> gradient_bits(const tiny_policy& policy,
                                         const std::vector<sim::sequence>& batch, int micro_batch) {
  return test::bits(
      test::gradient_of(policy, policy.weights, test::arithmetics()[1].formats, batch, micro_batch)
          .gradient);
}

TEST_CASE("gradients_of_every_family_depend_on_no_split_no_thread_and_no_instruction_set") {
  const auto batch = long_sequences();
  for (const sim::family_features& f : sim::families) {
    const tiny_policy policy(test::tiny_shape(f.family, 1), 1, 320);
    const auto whole = gradient_bits(policy, batch, 4);
    for (const std::size_t threads : {1U, 3U}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      INFO(f.name << ", " << threads << " threads");
      CHECK(gradient_bits(policy, batch, 1) == whole);
    }
    for (const std::string& set : mx::instruction_sets()) {
      const test::instruction_set_of_scope scope(set);
      INFO(f.name << " on " << set);
      CHECK(gradient_bits(policy, batch, 3) == whole);
    }
  }
}

}  // namespace
