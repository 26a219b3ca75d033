// SPDX-License-Identifier: Apache-2.0
// tests/policy/decoder_bits_test.cpp: independence of the decoder's bits.
#include <tbb/global_control.h>

#include "catch.h"
#include "instruction_sets.h"
#include "tiny_policy.h"

namespace {

using test::tiny_policy;
using words = std::vector<std::uint32_t>;

words bits_of(const test::gradient_result& r) {
  words result = test::bits(r.gradient), outcomes = test::bits(r.outcomes);
  result.insert(result.end(), outcomes.begin(), outcomes.end());
  return result;
}

words gradient_bits(const tiny_policy& policy, const sim::arithmetic& formats,
                    std::span<const sim::sequence> batch, int micro_batch) {
  return bits_of(test::gradient_of(policy, policy.weights, formats, batch, micro_batch));
}

TEST_CASE("results_do_not_depend_on_the_micro_batch") {
  const tiny_policy policy(2);
  // More than one group of sequences, and lengths on both sides of 16.
  const auto batch = test::random_sequences(19, 1);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const words whole = gradient_bits(policy, formats, batch, 19);
    for (const int micro_batch : {1, 2, 5, 8, 11, 100}) {
      INFO(name << ", micro-batch " << micro_batch);
      const bool same = gradient_bits(policy, formats, batch, micro_batch) == whole;
      CHECK(same);
    }
  }
}

TEST_CASE("products_of_several_sequences_depend_on_neither_micro_batch_nor_threads") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(12, 8);
  for (auto [name, formats] : test::all_arithmetics()) {
    formats.wgrad.sequences = 4;
    const words whole = gradient_bits(policy, formats, batch, 12);
    for (const auto& [threads, micro_batch] : {std::pair{1, 4}, {3, 8}}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
      INFO(name << ", " << threads << " threads, micro-batch " << micro_batch);
      const bool same = gradient_bits(policy, formats, batch, micro_batch) == whole;
      CHECK(same);
    }
  }
}

TEST_CASE("results_do_not_depend_on_the_number_of_threads") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(30, 2);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    words first;
    for (const std::size_t threads : {1U, 2U, 3U}) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const words found = gradient_bits(policy, formats, batch, 30);
      if (first.empty()) first = found;
      INFO(name << ", " << threads << " threads");
      const bool same = found == first;
      CHECK(same);
    }
  }
}

TEST_CASE("results_do_not_depend_on_the_instruction_set") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(5, 3);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const words widest = gradient_bits(policy, formats, batch, 5);
    for (const std::string& set : mx::instruction_sets()) {
      const test::instruction_set_of_scope scope(set);
      INFO(name << " on " << set);
      const bool same = gradient_bits(policy, formats, batch, 5) == widest;
      CHECK(same);
    }
  }
}

TEST_CASE("a_decoder_carries_nothing_from_one_batch_to_the_next") {
  const tiny_policy policy(2);
  const auto first = test::random_sequences(7, 4), second = test::random_sequences(3, 5);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const sim::step_arithmetic a = test::at_some_step(formats);
    const test::prepared_policy w(policy.table, policy.weights, a);
    sim::batch_pass pass(policy.table, policy.rope, 4);
    const auto gradient = [&](const std::vector<sim::sequence>& batch) {
      pass.take(batch);
      pass.forward(w.forward, a.of(sim::pass::forward));
      return test::bits(pass.gradient(w.forward, w.backward, a, test::some_weight));
    };
    const words fresh = gradient(second);
    const words other = gradient(first), again = gradient(second), other_again = gradient(first);
    INFO(name);
    const bool same = again == fresh && other_again == other;
    CHECK(same);
  }
}

TEST_CASE("rows_that_are_computed_again_give_the_same_bits") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(3, 8);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const sim::step_arithmetic a = test::at_some_step(formats);
    const test::prepared_policy w(policy.table, policy.weights, a);
    const auto gradient = [&](sim::kept_rows kept) {
      sim::batch_pass pass(policy.table, policy.rope, 2, kept);
      pass.take(batch);
      pass.forward(w.forward, a.of(sim::pass::forward));
      return test::bits(pass.gradient(w.forward, w.backward, a, test::some_weight));
    };
    INFO(name);
    const bool same = gradient(sim::kept_rows::inputs) == gradient(sim::kept_rows::every_layer);
    CHECK(same);
  }
}

TEST_CASE("one_forward_pass_serves_any_number_of_backward_passes") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(5, 6);
  const sim::step_arithmetic fp32, mxfp4 = test::at_some_step(test::arithmetics()[1].formats);
  const auto forward = sim::prepare_forward(policy.table, policy.weights, {});
  const auto plain = sim::prepare_backward(policy.table, policy.weights, fp32);
  const auto quantized = sim::prepare_backward(policy.table, policy.weights, mxfp4);
  sim::batch_pass pass(policy.table, policy.rope, 2);
  const auto backward = [&](const sim::backward_weights& transposed,
                            const sim::step_arithmetic& a) {
    return test::bits(pass.gradient(forward, transposed, a, test::some_weight));
  };
  pass.take(batch);
  pass.forward(forward, {});
  const words alone = backward(quantized, mxfp4);
  pass.forward(forward, {});
  const words before = backward(plain, fp32), after = backward(quantized, mxfp4),
              repeated = backward(quantized, mxfp4);
  const bool unchanged_by_another = after == alone, unchanged_by_itself = repeated == alone;
  CHECK(before != alone);
  CHECK(unchanged_by_another);
  CHECK(unchanged_by_itself);
}

TEST_CASE("a_sequence_s_outcomes_do_not_depend_on_its_neighbours") {
  const tiny_policy policy(2);
  const auto batch = test::random_sequences(12, 7);
  for (const auto& [name, formats] : test::all_arithmetics()) {
    const sim::pass_products products = test::at_some_step(formats).of(sim::pass::forward);
    const auto weights = sim::prepare_forward(policy.table, policy.weights, products);
    sim::decoder together(policy.table, policy.rope), alone(policy.table, policy.rope);
    together.take(batch);
    together.forward(weights, products);
    for (int i = 0; i < 12; ++i) {
      const sim::sequence& s = batch[static_cast<std::size_t>(i)];
      alone.take({&s, 1}, i);
      alone.forward(weights, products);
      for (int t = 0; t < s.response(); ++t) {
        const float *a = together.log_distribution(i, t), *b = alone.log_distribution(0, t);
        INFO(name << ", sequence " << i << ", position " << t);
        const bool same = test::bits({a, a + 32}) == test::bits({b, b + 32});
        REQUIRE(same);
      }
    }
  }
}

TEST_CASE("noise_goes_to_the_norms_of_the_policy_s_width_alone") {
  const tiny_policy policy(2);
  const std::vector<float> noise = sim::norm_noise(policy.table, 1, 3, 0.5F);
  for (const sim::parameter& p : policy.table.all()) {
    const bool wanted = p.rows == 1 && p.columns == 32 &&
                        p.name.find("q_norm") == std::string::npos &&
                        p.name.find("k_norm") == std::string::npos;
    int changed = 0;
    for (std::ptrdiff_t i = 0; i < p.count(); ++i) {
      changed += noise[static_cast<std::size_t>(p.offset + i)] != 0 ? 1 : 0;
    }
    INFO(p.name);
    CHECK(changed == (wanted ? 32 : 0));
  }
  CHECK(sim::norm_noise(policy.table, 1, 3, 0.5F) == noise);
  CHECK(sim::norm_noise(policy.table, 1, 4, 0.5F) != noise);
  const auto noisy = sim::prepare_forward(policy.table, policy.weights, {}, noise);
  const sim::parameter& norm = policy.table.layer(1).post_norm;
  const auto first = static_cast<std::size_t>(norm.offset);
  CHECK(noisy.layer(1).post_norm[0] == policy.weights[first] + noise[first]);
}

TEST_CASE("initial_weights_have_the_shape_s_deviations_and_their_own_random_numbers") {
  sim::policy_shape shape = test::tiny_shape(2);
  shape.input_std = 0.125F;
  const sim::parameter_table table(shape);
  const std::vector<float> weights = sim::initial_weights(table, 1);
  for (const sim::parameter& p : table.all()) {
    double squares = 0;
    for (std::ptrdiff_t i = 0; i < p.count(); ++i) {
      const double w = double{weights[static_cast<std::size_t>(p.offset + i)]};
      squares += w * w;
    }
    const bool output =
        p.name.find("o_proj") != std::string::npos || p.name.find("down_proj") != std::string::npos;
    const double expected = p.rows == 1                                 ? 1.0
                            : p.name.find("embed") != std::string::npos ? 0.2
                            : output                                    ? 0.2
                                                                        : 0.125;
    INFO(p.name);
    CHECK(std::sqrt(squares / static_cast<double>(p.count())) == Approx(expected).epsilon(0.12));
  }
  CHECK(sim::initial_weights(table, 2) != weights);
  // A third layer leaves the first two unchanged.
  const sim::parameter_table deeper(test::tiny_shape(3)), shallower(test::tiny_shape(2));
  const std::vector<float> more = sim::initial_weights(deeper, 1),
                           fewer = sim::initial_weights(shallower, 1);
  const auto end = static_cast<std::ptrdiff_t>(shallower.final_norm().offset);
  CHECK(std::equal(fewer.begin(), fewer.begin() + end, more.begin()));
}

}  // namespace
