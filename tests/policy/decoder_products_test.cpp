// SPDX-License-Identifier: Apache-2.0
// tests/policy/decoder_products_test.cpp: every quantized product of a step (forward, dgrad, wgrad,
// rollout) is by definition the product of its operands: values, or codes under a model, with the
// random bits and the tensor scales of its place.
#include "catch.h"
#include "instruction_sets.h"
#include "sim/rollout/sampler.h"
#include "sim/task/column_addition.h"
#include "slow_step.h"
#include "tree_sum.h"

namespace {

using test::floats;
using test::tiny_policy;

/// Sums of the gradients of sequences, and of wgrad's products.
struct slow_gradient {
  floats by_sequence, by_product, outcomes;
};

slow_gradient slow_gradient_of(const tiny_policy& policy, const sim::arithmetic& formats,
                               const std::vector<sim::sequence>& batch) {
  const sim::step_arithmetic a = test::at_some_step(formats);
  const int sequences = formats.wgrad.sequences, size = static_cast<int>(batch.size());
  const std::ptrdiff_t count = policy.table.count();
  test::slow_step slow(policy, a);
  sim::gradient_tree leaves(count, size), products(count, size / sequences);
  slow_gradient result;
  for (int i = 0; i < size; ++i) {
    const test::slow_figures figures = slow(batch[static_cast<std::size_t>(i)], i);
    leaves.add_leaf(i, 0, count, figures.gradient.data());
    if ((i + 1) % sequences == 0) {
      products.add_leaf(i / sequences, 0, count, figures.gradient.data());
    }
    result.outcomes.insert(result.outcomes.end(), figures.outcomes.begin(), figures.outcomes.end());
  }
  leaves.complete(size);
  products.complete(size / sequences);
  result.by_sequence = test::sum_in(leaves, count);
  result.by_product = test::sum_in(products, count);
  return result;
}

/// Compares a batch's gradient and outcomes, computed in micro-batches, with the slow ones.
void check_step(const tiny_policy& policy, const sim::arithmetic& formats,
                const std::vector<sim::sequence>& batch, int micro_batch) {
  const slow_gradient slow = slow_gradient_of(policy, formats, batch);
  const test::gradient_result found =
      test::gradient_of(policy, policy.weights, formats, batch, micro_batch);
  const bool same_outcomes = test::bits(found.outcomes) == test::bits(slow.outcomes);
  CHECK(same_outcomes);
  for (const sim::parameter& p : policy.table.all()) {
    INFO(p.name);
    const bool linear = p.rows > 1 && p.offset != policy.table.embedding().offset;
    const auto part = [&](const floats& v) {
      return test::bits({v.begin() + p.offset, v.begin() + p.offset + p.count()});
    };
    const bool same = part(found.gradient) == part(linear ? slow.by_product : slow.by_sequence);
    CHECK(same);
  }
}

TEST_CASE("outcomes_and_gradients_are_those_of_products_by_their_definition") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(5, 21);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    INFO(name);
    check_step(policy, formats, batch, 3);
  }
}

TEST_CASE("a_product_of_wgrad_contracts_over_the_packed_tokens_of_its_sequences") {
  const tiny_policy policy(1);
  const auto batch = test::random_sequences(12, 24);
  for (auto [name, formats] : test::all_arithmetics()) {
    formats.wgrad.sequences = 4;
    INFO(name);
    check_step(policy, formats, batch, 8);
  }
}

TEST_CASE("a_product_of_wgrad_has_macro_blocks_and_blocks_across_its_sequences") {
  const tiny_policy policy(1);
  const auto batch = test::random_sequences(256, 25);
  int tokens = 0;
  for (const sim::sequence& s : batch) tokens += s.length();
  CHECK(tokens > 2048);
  sim::arithmetic formats = test::arithmetics()[3].formats;
  for (const int sequences : {16, 256}) {
    formats.wgrad.sequences = sequences;
    INFO(sequences << " sequences");
    check_step(policy, formats, batch, 256);
  }
}

TEST_CASE("a_micro_batch_that_splits_a_product_of_wgrad_is_refused") {
  const tiny_policy policy(1);
  const auto batch = test::random_sequences(8, 26);
  sim::arithmetic formats = test::everywhere(test::mxfp4());
  formats.wgrad.sequences = 4;
  for (const int micro_batch : {2, 6}) {
    CHECK_THROWS_AS(test::gradient_of(policy, policy.weights, formats, batch, micro_batch),
                    std::invalid_argument);
  }
}

TEST_CASE("a_rollout_s_products_are_those_by_definition_in_the_pass_rollout") {
  const tiny_policy policy(2);
  const sim::column_addition task({1, 32});
  std::vector<sim::sequence> prompts;
  for (std::uint32_t i = 0; i < 3; ++i) prompts.push_back(task.prompt(1, 5, i));
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const sim::step_arithmetic a = test::at_some_step(formats);
    const sim::pass_products products = a.of(sim::pass::rollout);
    const auto weights = sim::prepare_forward(policy.table, policy.weights, products);
    const auto rollouts = sim::sample_responses({policy.table, policy.rope, products}, weights,
                                                prompts, {sim::decoding::sampled, 1, 1, 9, 6});
    test::slow_step slow(policy, a);
    for (int i = 0; i < 3; ++i) {
      const sim::rollout& r = rollouts[static_cast<std::size_t>(i)];
      floats outcomes;
      for (std::size_t t = 0; t < r.entropy.size(); ++t) {
        outcomes.insert(outcomes.end(), {r.log_probability[t], r.entropy[t]});
      }
      INFO(name << ", sequence " << i);
      const bool same =
          test::bits(outcomes) == test::bits(slow(r.tokens, i, sim::pass::rollout).outcomes);
      CHECK(same);
    }
  }
}

TEST_CASE("samples_of_a_prompt_draw_their_own_random_bits_and_share_those_of_the_prompt") {
  const tiny_policy policy(2);
  const sim::column_addition task({1, 32});
  const std::vector<sim::sequence> prompts{task.prompt(1, 5, 0), task.prompt(1, 5, 1)};
  const sim::step_arithmetic a = test::at_some_step(test::everywhere(test::drawn(test::mxfp4())));
  const sim::pass_products products = a.of(sim::pass::rollout);
  const auto weights = sim::prepare_forward(policy.table, policy.weights, products);
  const auto sampled = [&](int samples) {
    return sim::sample_responses({policy.table, policy.rope, products}, weights, prompts,
                                 {sim::decoding::greedy, samples, 1, 9, 6});
  };
  const auto all = sampled(4), alone = sampled(1);
  CHECK(test::bits(all[0].log_probability) == test::bits(alone[0].log_probability));
  for (std::size_t i = 1; i < 8; ++i) {
    INFO(i);
    CHECK(test::bits(all[i].log_probability) != test::bits(all[i - 1].log_probability));
  }
  // The second prompt's first sample is sequence 4 of a batch whose tokens all draw as that one.
  test::slow_step slow(policy, a);
  floats outcomes;
  for (std::size_t t = 0; t < all[4].entropy.size(); ++t) {
    outcomes.insert(outcomes.end(), {all[4].log_probability[t], all[4].entropy[t]});
  }
  CHECK(test::bits(outcomes) == test::bits(slow(all[4].tokens, 4, sim::pass::rollout).outcomes));
}

TEST_CASE("square_blocks_give_forward_and_dgrad_the_same_weights") {
  const tiny_policy policy(1);
  const mx::operand square = test::coded(mx::block_formats::nvfp4_2d, mx::scale_rule::ideal);
  const sim::parameter& p = policy.table.layer(0).of(sim::linear::down);
  const float* w = policy.weights.data() + p.offset;
  std::vector<float> by_rows(static_cast<std::size_t>(p.count())), by_columns = by_rows;
  mx::fake_quantize(square, mx::operand_matrix{p.rows, p.columns, 1, w},
                    {by_rows.data(), p.columns});
  mx::fake_quantize(square, mx::operand_matrix{p.rows, p.columns, 0, w},
                    {by_columns.data(), p.columns});
  CHECK(test::bits(by_rows) == test::bits(by_columns));
  sim::arithmetic own = test::everywhere(test::mxfp4());
  own.forward.other = own.dgrad.other = square;
  sim::arithmetic shared = own;
  shared.dgrad.source = sim::operand_source::forward;
  const auto batch = test::random_sequences(3, 22);
  const auto gradient = [&](const sim::arithmetic& a) {
    return test::bits(test::gradient_of(policy, policy.weights, a, batch, 3).gradient);
  };
  CHECK(gradient(own) == gradient(shared));
}

TEST_CASE("a_step_s_random_bits_depend_on_its_key_alone") {
  const tiny_policy policy(1);
  const auto batch = test::random_sequences(3, 23);
  const sim::arithmetic formats = test::everywhere(test::drawn(test::mxfp4()));
  const auto outcome = [&](const sim::draw_key& key) {
    const sim::pass_products p = sim::step_arithmetic{formats, key}.of(sim::pass::forward);
    const auto weights = sim::prepare_forward(policy.table, policy.weights, p);
    sim::decoder decoder(policy.table, policy.rope);
    decoder.take(batch);
    decoder.forward(weights, p);
    return decoder.outcomes().back().log_probability;
  };
  const sim::draw_key key = test::some_key;
  CHECK(outcome(key) == outcome(key));
  CHECK(outcome(key) != outcome({key.seed + 1, key.step, key.tokens}));
  CHECK(outcome(key) != outcome({key.seed, key.step + 1, key.tokens}));
}

}  // namespace
