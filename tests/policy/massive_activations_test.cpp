// SPDX-License-Identifier: Apache-2.0
// tests/policy/massive_activations_test.cpp: the constant that `+` carries in chosen channels of
// the residual stream (sim/policy/prepared_weights.h).
#include <cmath>
#include <memory>

#include "catch.h"
#include "instruction_sets.h"
#include "sim/rollout/sampler.h"
#include "tiny_policy.h"

namespace {

using floats = std::vector<float>;
constexpr int width = 32, layers = 2;

/// The tiny policy with or without massive channels, and its forward pass over one sequence.
struct passed_policy {
  explicit passed_policy(std::vector<int> channels) {
    sim::policy_shape shape = test::tiny_shape(layers);
    shape.outliers.massive_channels = std::move(channels);
    shape.outliers.massive_value = 100.0F;
    table = std::make_unique<sim::parameter_table>(shape);
    rope = std::make_unique<sim::rope_table>(32, 32, shape.rope_theta);
    weights = sim::initial_weights(*table, 1);
    prepared = sim::prepare_forward(*table, weights, {});
    decoder = std::make_unique<sim::decoder>(*table, *rope);
    decoder->take(batch);
    decoder->forward(prepared, {});
  }
  [[nodiscard]] floats stream(int layer, int row) const {
    const float* x = decoder->input_rows(layer).data() + row * width;
    return {x, x + width};
  }
  /// Of the token after a row.
  [[nodiscard]] floats logits(int row) const {
    const floats all = decoder->response_logits(prepared);
    return {all.begin() + row * 32, all.begin() + (row + 1) * 32};
  }

  std::vector<sim::sequence> batch{
      {{1, 2, sim::token::plus, 3, 4, sim::token::equals, 5, 6, 7}, 1}};
  std::unique_ptr<sim::parameter_table> table;
  std::unique_ptr<sim::rope_table> rope;
  floats weights;
  sim::forward_weights prepared;
  std::unique_ptr<sim::decoder> decoder;
};

constexpr int plus_row = 2, rows = 8;

TEST_CASE("the_chosen_channels_are_massive_at_every_layer_of_plus_and_nowhere_else") {
  const passed_policy policy({3, 17});
  for (int layer = 0; layer < layers; ++layer) {
    for (int row = 0; row < rows; ++row) {
      const floats x = policy.stream(layer, row);
      for (int c = 0; c < width; ++c) {
        INFO("layer " << layer << ", row " << row << ", channel " << c);
        const bool chosen = row == plus_row && (c == 3 || c == 17);
        const float size = std::fabs(x[static_cast<std::size_t>(c)]);
        CHECK((chosen ? size > 95.0F : size < 10.0F));
      }
    }
  }
}

TEST_CASE("tokens_before_the_first_plus_and_the_head_keep_every_bit") {
  const passed_policy plain({}), massive({3, 17});
  for (int row = 0; row < rows; ++row) {
    const bool same = test::bits(plain.logits(row)) == test::bits(massive.logits(row));
    INFO(row);
    CHECK(same == (row < plus_row));
  }
}

TEST_CASE("the_weights_and_the_final_rows_of_other_tokens_stay_of_ordinary_size") {
  const passed_policy massive({3, 17});
  CHECK(massive.weights == passed_policy({}).weights);
  for (int row = 0; row < rows; ++row) {
    for (const float l : massive.logits(row)) CHECK(std::fabs(l) < 50.0F);
  }
}

TEST_CASE("a_rollout_has_the_log_probabilities_of_the_forward_pass_with_massive_channels") {
  passed_policy policy({3, 17});
  const std::vector<sim::sequence> prompts{{{1, 2, sim::token::plus, 3, sim::token::equals}, 5}};
  const sim::pass_products fp32;
  const auto rollouts = sim::sample_responses({*policy.table, *policy.rope, fp32}, policy.prepared,
                                              prompts, {sim::decoding::sampled, 3, 1, 9, 6});
  for (const sim::rollout& r : rollouts) {
    policy.decoder->take({&r.tokens, 1});
    policy.decoder->forward(policy.prepared, {});
    floats passed;
    for (const sim::token_outcome& o : policy.decoder->outcomes()) {
      passed.push_back(o.log_probability);
    }
    const bool same = test::bits(r.log_probability) == test::bits(passed);
    CHECK(same);
  }
}

}  // namespace
