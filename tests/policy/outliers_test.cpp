// SPDX-License-Identifier: Apache-2.0
// tests/policy/outliers_test.cpp: insert_outliers and gradient_without_outliers of
// sim/policy/parameters.h.
#include "catch.h"
#include "instruction_sets.h"
#include "tiny_policy.h"

namespace {

using floats = std::vector<float>;
using test::tiny_policy;

sim::outlier_constants some_channels() {
  sim::outlier_constants where;
  where.norm_channels = {3, 17, 30};
  where.hidden_units = {0, 33, 63};
  return where;
}

floats with_outliers(const tiny_policy& policy, int factor) {
  floats weights = policy.weights;
  sim::insert_outliers(policy.table, some_channels(), factor, weights);
  return weights;
}

TEST_CASE("outliers_change_the_chosen_channels_alone") {
  const tiny_policy policy(2);
  const floats weights = with_outliers(policy, 4);
  const auto ratio = [&](const sim::parameter& p, int row, int column) {
    const auto at = static_cast<std::size_t>(p.offset + row * p.columns + column);
    return weights[at] / policy.weights[at];
  };
  for (int i = 0; i < 2; ++i) {
    const sim::layer_parameters& layer = policy.table.layer(i);
    CHECK(ratio(layer.input_norm, 0, 17) == 4.0F);
    CHECK(ratio(layer.post_norm, 0, 30) == 4.0F);
    CHECK(ratio(layer.input_norm, 0, 16) == 1.0F);
    for (const sim::linear l :
         {sim::linear::q, sim::linear::k, sim::linear::v, sim::linear::gate}) {
      CHECK(ratio(layer.of(l), 5, 17) == 0.25F);
      CHECK(ratio(layer.of(l), 5, 16) == 1.0F);
    }
    CHECK(ratio(layer.of(sim::linear::up), 5, 17) == 0.25F);
    CHECK(ratio(layer.of(sim::linear::up), 33, 16) == 4.0F);
    CHECK(ratio(layer.of(sim::linear::up), 33, 17) == 1.0F);
    CHECK(ratio(layer.of(sim::linear::down), 9, 33) == 0.25F);
    CHECK(ratio(layer.of(sim::linear::down), 9, 32) == 1.0F);
    CHECK(ratio(layer.of(sim::linear::o), 3, 3) == 1.0F);
    CHECK(ratio(layer.q_norm, 0, 3) == 1.0F);
  }
  CHECK(ratio(policy.table.embedding(), 3, 3) == 1.0F);
  CHECK(ratio(policy.table.final_norm(), 0, 3) == 1.0F);
  CHECK(with_outliers(policy, 1) == policy.weights);
}

tiny_policy mixture_policy() {
  sim::policy_shape shape = test::tiny_shape(sim::policy_family::qwen3_moe, 2);
  shape.hidden = 64;
  return tiny_policy(shape);
}

void expect_same_function(const tiny_policy& policy) {
  const auto batch = test::random_sequences(10, 1);
  for (const int factor : {4, 16}) {
    const floats weights = with_outliers(policy, factor);
    for (const auto& [name, formats] : test::arithmetics()) {
      const auto plain = test::gradient_of(policy, policy.weights, formats, batch, 10),
                 changed = test::gradient_of(policy, weights, formats, batch, 10);
      const bool same = test::bits(plain.outcomes) == test::bits(changed.outcomes);
      INFO(name << " x" << factor);
      CHECK(same == (name == "fp32"));
    }
  }
}

TEST_CASE("outliers_leave_the_fp32_policy_bit_for_bit_as_it_is_and_change_a_quantized_one") {
  expect_same_function(tiny_policy(2));
  expect_same_function(mixture_policy());
}

void expect_same_gradient(const tiny_policy& policy) {
  const auto batch = test::random_sequences(10, 2);
  const floats plain = test::gradient_of(policy, policy.weights, {}, batch, 10).gradient;
  for (const int factor : {1, 4, 16}) {
    floats found = test::gradient_of(policy, with_outliers(policy, factor), {}, batch, 10).gradient;
    const bool differs = factor != 1 && found != plain;
    CHECK(differs == (factor != 1));
    sim::gradient_without_outliers(policy.table, some_channels(), factor, found);
    const bool same = test::bits(found) == test::bits(plain);
    CHECK(same);
  }
}

TEST_CASE("the_fp32_gradient_in_the_plain_coordinates_is_the_plain_gradient_bit_for_bit") {
  expect_same_gradient(tiny_policy(2));
  expect_same_gradient(mixture_policy());
}

}  // namespace
