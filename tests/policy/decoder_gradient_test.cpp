// SPDX-License-Identifier: Apache-2.0
// tests/policy/decoder_gradient_test.cpp: sim/policy/decoder.h: distributions and gradients of the
// whole policy against a decoder in binary64; quantized weight gradients against the core.
#include <cmath>
#include <map>
#include <random>

#include "all_linears.h"
#include "catch.h"
#include "fixed_loss.h"
#include "instruction_sets.h"
#include "tiny_policy.h"
#include "tree_sum.h"

namespace {

using floats = std::vector<float>;
using test::doubles;
using test::fixed_gradient;
using test::slow_loss;
using test::tiny_policy;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

TEST_CASE("distributions_and_entropies_are_those_of_the_slow_decoder") {
  for (const int layers : {1, 2}) {
    const tiny_policy policy(layers);
    const auto batch = test::random_sequences(9, 1);
    const auto weights = sim::prepare_forward(policy.table, policy.weights, {});
    const doubles wide = test::widened(policy.weights);
    sim::decoder decoder(policy.table, policy.rope);
    decoder.take(batch);
    decoder.forward(weights, {});
    auto outcome = decoder.outcomes().begin();
    for (int i = 0; i < 9; ++i) {
      const sim::sequence& s = batch[at(i)];
      const auto expected = test::slow_decoder(policy.table, wide).log_distributions(s.tokens);
      for (int t = 0; t < s.response(); ++t, ++outcome) {
        const doubles& exact = expected[at(s.prompt + t - 1)];
        double entropy = 0;
        for (int v = 0; v < 32; ++v) {
          REQUIRE(std::fabs(double{decoder.log_distribution(i, t)[v]} - exact[at(v)]) < 2e-5);
          entropy -= std::exp(exact[at(v)]) * exact[at(v)];
        }
        const auto token = s.tokens[at(s.prompt + t)];
        REQUIRE(outcome->log_probability == decoder.log_distribution(i, t)[token]);
        REQUIRE(std::fabs(double{outcome->entropy} - entropy) < 2e-5);
      }
    }
    CHECK(outcome == decoder.outcomes().end());
  }
}

TEST_CASE("the_gradient_of_every_parameter_is_that_of_the_slow_decoder") {
  for (const int layers : {1, 2}) {
    const tiny_policy policy(layers);
    const auto batch = test::random_sequences(3, 2);
    const floats gradient = fixed_gradient(policy, batch);
    const doubles weights = test::widened(policy.weights);
    const auto loss = [&](const doubles& w) { return slow_loss(policy.table, w, batch); };
    std::mt19937 random(3);
    for (const sim::parameter& p : policy.table.all()) {
      double worst = 0, largest = 0;
      for (std::ptrdiff_t i = 0; i < p.count(); ++i) {
        largest = std::max(largest, std::fabs(double{gradient[at(p.offset + i)]}));
      }
      for (int i = 0; i < 24; ++i) {
        const std::size_t j = at(p.offset) + random() % at(p.count());
        worst = std::max(worst, std::fabs(test::slope(loss, weights, j) - double{gradient[j]}));
      }
      INFO(p.name);
      CHECK(largest > 1e-3);
      CHECK(worst < 2e-5 * largest);
    }
  }
}

TEST_CASE("the_gradient_predicts_the_loss_along_random_directions") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(4, 4);
  const floats gradient = fixed_gradient(policy, batch);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(random); };
  for (int repeat = 0; repeat < 10; ++repeat) {
    CHECK(test::slopes_along(policy, batch, gradient, draw).error() < 1e-4);
  }
}

// ---- quantized products ------------------------------------------------------------------------

/// The arithmetics that multiply values.
std::vector<test::named_arithmetic> value_products() {
  std::vector<test::named_arithmetic> all = test::arithmetics();
  for (const test::named_arithmetic& more : test::value_arithmetics()) all.push_back(more);
  return all;
}

/// One sequence's operand of wgrad: rows of +0 after its tokens, lines down the columns, rotated
/// one by one, quantized together.
floats padded_and_quantized(const sim::pass_products& p, sim::operand_role role,
                            const sim::product_place& place, const sim::operand_view& m, int first,
                            int rows, int sequence) {
  floats result(at(32 * m.columns));
  for (int column = 0; column < m.columns; ++column) {
    floats x(32);
    for (int t = 0; t < rows; ++t) x[at(t)] = m.data[(first + t) * m.stride + column];
    mx::rotate(p.format_at(place).rotation, x.data(), 32);
    for (int t = 0; t < 32; ++t) result[at(t * m.columns + column)] = x[at(t)];
  }
  const mx::operand f = p.operand(role, place);
  const int blocks = (32 + f.recipe.format().columns - 1) / f.recipe.format().columns;
  mx::fake_quantize(f,
                    mx::operand_columns{32, m.columns, result.data(), m.columns,
                                        static_cast<std::uint64_t>(sequence * blocks * m.columns)},
                    {result.data(), m.columns});
  return result;
}

/// dW of one linear: 32 fused steps a sequence, then a tree over the sequences.
floats expected_weight_gradient(const sim::pass_products& wgrad, const sim::decoder& decoder,
                                const std::vector<sim::sequence>& batch, int layer, sim::linear l) {
  const auto dy = decoder.output_gradient_of({layer, l}), x = decoder.input_of({layer, l});
  const auto leaves = static_cast<int>(batch.size());
  sim::gradient_tree tree(std::ptrdiff_t{dy.columns} * x.columns, leaves);
  for (int i = 0; i < leaves; ++i) {
    const int first = decoder.first_row(i), rows = batch[at(i)].length();
    const floats left = padded_and_quantized(wgrad, sim::operand_role::data, {layer, l}, dy, first,
                                             rows, i),
                 right = padded_and_quantized(wgrad, sim::operand_role::other,
                                              {layer, owner_of_input(l)}, x, first, rows, i);
    floats leaf;
    for (int row = 0; row < dy.columns; ++row) {
      for (int column = 0; column < x.columns; ++column) {
        float sum = 0;
        for (int t = 0; t < 32; ++t) {
          sum = mx::fused_multiply_add(left[at(t * dy.columns + row)],
                                       right[at(t * x.columns + column)], sum);
        }
        leaf.push_back(sum);
      }
    }
    tree.add_leaf(i, 0, static_cast<std::ptrdiff_t>(leaf.size()), leaf.data());
  }
  tree.complete(leaves);
  return test::sum_in(tree, std::ptrdiff_t{dy.columns} * x.columns);
}

TEST_CASE("a_weight_gradient_is_the_product_of_both_operands_quantized_along_the_tokens") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(5, 6);
  for (const auto& [name, formats] : value_products()) {
    if (formats.wgrad.source == sim::operand_source::forward) continue;  // along the features
    const sim::step_arithmetic a = test::at_some_step(formats);
    const test::prepared_policy w(policy.table, policy.weights, a);
    sim::batch_pass pass(policy.table, policy.rope, 5);
    std::map<std::ptrdiff_t, floats> expected;
    pass.watch([&](const sim::decoder& decoder, int layer) {
      if (layer == 2) return;
      for (const sim::linear l : test::all_linears) {
        expected[policy.table.layer(layer).of(l).offset] =
            expected_weight_gradient(a.of(sim::pass::wgrad), decoder, batch, layer, l);
      }
    });
    pass.take(batch);
    pass.forward(w.forward, a.of(sim::pass::forward));
    const floats gradient = pass.gradient(w.forward, w.backward, a, test::some_weight);
    CHECK(expected.size() == 2 * test::all_linears.size());
    for (const auto& [offset, wanted] : expected) {
      INFO(name << " at " << offset);
      const bool same =
          test::bits({gradient.begin() + offset,
                      gradient.begin() + offset + static_cast<std::ptrdiff_t>(wanted.size())}) ==
          test::bits(wanted);
      CHECK(same);
    }
  }
}

/// Weights whose linears went through the operand format of a pass.
floats quantized_weights(const tiny_policy& policy, const sim::pass_products& p, int axis) {
  floats result = policy.weights;
  for (int layer = 0; layer < policy.table.shape().layers; ++layer) {
    for (const sim::linear l : test::all_linears) {
      const sim::parameter& w = policy.table.layer(layer).of(l);
      mx::fake_quantize(
          p.operand(sim::operand_role::other, {layer, l}),
          mx::operand_matrix{w.rows, w.columns, axis, policy.weights.data() + w.offset},
          {result.data() + w.offset, w.columns});
    }
  }
  return result;
}

TEST_CASE("quantized_weights_are_those_of_each_linear_along_the_axis_of_the_product") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(3, 7);
  for (const auto& [name, formats] : value_products()) {
    if (formats.forward.rotation.size > 0) continue;  // of W alone: another function
    const sim::step_arithmetic a = test::at_some_step(formats);
    const auto gradient = [&](const sim::forward_weights& forward,
                              const sim::backward_weights& backward) {
      sim::batch_pass pass(policy.table, policy.rope, 2);
      pass.take(batch);
      pass.forward(forward, a.of(sim::pass::forward));
      return pass.gradient(forward, backward, a, test::some_weight);
    };
    const sim::pass dgrad_source =
        formats.dgrad.source == sim::operand_source::own ? sim::pass::dgrad : sim::pass::forward;
    const floats forward = quantized_weights(policy, a.of(sim::pass::forward), 1),
                 dgrad = quantized_weights(policy, a.of(dgrad_source),
                                           dgrad_source == sim::pass::dgrad ? 0 : 1);
    const test::prepared_policy w(policy.table, policy.weights, a);
    const floats found = gradient(w.forward, w.backward);
    const floats expected = gradient(sim::prepare_forward(policy.table, forward, {}),
                                     sim::prepare_backward(policy.table, dgrad, {}));
    INFO(name);
    const bool same = test::bits(found) == test::bits(expected);
    CHECK(same);
  }
}

TEST_CASE("each_pass_of_an_arithmetic_changes_the_gradient_by_itself") {
  const tiny_policy policy(1);
  const auto batch = test::random_sequences(4, 8);
  const sim::arithmetic mxfp4 = test::arithmetics()[1].formats;
  std::vector<sim::arithmetic> variants(7);
  variants[1].forward.data = mxfp4.forward.data;
  variants[2].forward.other = mxfp4.forward.other;
  variants[3].dgrad.data = mxfp4.dgrad.data;
  variants[4].dgrad.other = mxfp4.dgrad.other;
  variants[5].wgrad.data = mxfp4.wgrad.data;
  variants[6].wgrad.other = mxfp4.wgrad.other;
  std::vector<floats> gradients;
  for (const sim::arithmetic& formats : variants) {
    gradients.push_back(test::gradient_of(policy, policy.weights, formats, batch, 4).gradient);
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(gradients[i] != gradients[j]);
  }
}

}  // namespace
