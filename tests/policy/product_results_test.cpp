// SPDX-License-Identifier: Apache-2.0
// tests/policy/product_results_test.cpp: sim/policy/product_results.h against the definition,
// sequence by sequence.
#include "sim/policy/product_results.h"

#include "all_linears.h"
#include "catch.h"
#include "instruction_sets.h"
#include "slow_products.h"

namespace {

using test::floats;

/// Rows [first, last) of a matrix, dense.
floats rows_of(const sim::operand_view& m, int first, int last) {
  floats result;
  for (int row = first; row < last; ++row) {
    const float* x = m.data + row * m.stride;
    result.insert(result.end(), x, x + m.columns);
  }
  return result;
}

/// The X of wgrad over the sequences of one product.
floats wgrad_input(const test::slow_products& slow, const sim::decoder& d, sim::linear l,
                   int sequence, int last, int first) {
  floats result;
  for (; sequence < last; ++sequence) {
    const int begin = d.first_row(sequence), end = d.first_row(sequence + 1);
    const floats x = slow.input_of_wgrad({0, l}, test::first_rows(first + sequence, end - begin),
                                         rows_of(d.input_of({0, l}), begin, end));
    result.insert(result.end(), x.begin(), x.end());
  }
  return result;
}

/// The results by the definition, sequence by sequence, or product by product of wgrad.
floats slow_results(const test::slow_products& slow, const sim::decoder& d, sim::pass p,
                    sim::linear l, const std::vector<int>& first_row, int first) {
  floats result;
  for (int i = 0; i + 1 < static_cast<int>(first_row.size()); ++i) {
    const int begin = first_row[static_cast<std::size_t>(i)],
              end = first_row[static_cast<std::size_t>(i + 1)], rows = end - begin;
    const floats x = rows_of(d.input_of({0, l}), begin, end),
                 dy = rows_of(d.output_gradient_of({0, l}), begin, end);
    const test::slow_rows places = test::first_rows(first + i, rows);
    const floats part =
        p == sim::pass::dgrad ? slow.dgrad({0, l}, places, dy)
        : p == sim::pass::wgrad
            ? slow.wgrad({0, l}, first + i, rows, dy, wgrad_input(slow, d, l, 2 * i, 2 * i + 2, 4))
            : slow.forward(p, {0, l}, places, x);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

TEST_CASE("results_of_a_micro_batch_are_those_of_products_by_their_definition") {
  const test::tiny_policy policy(1);
  const auto batch = test::random_sequences(4, 31);
  for (auto [name, formats] : test::all_arithmetics()) {
    formats.wgrad.sequences = 2;
    const sim::step_arithmetic a = test::at_some_step(formats);
    const test::prepared_policy w(policy.table, policy.weights, a);
    const test::slow_products slow(policy, a);
    sim::decoder decoder(policy.table, policy.rope);
    decoder.take(batch, 4);
    decoder.forward(w.forward, a.of(sim::pass::forward));
    decoder.backward(w.forward, w.backward, a.of(sim::pass::dgrad), test::some_weight);
    for (const sim::pass p : sim::all_passes) {
      const int sequences = p == sim::pass::wgrad ? 2 : 1;
      for (const sim::linear l : {sim::linear::k, sim::linear::up, sim::linear::down}) {
        INFO(name << ", pass " << static_cast<int>(p) << " of " << sim::name_of(l));
        const floats found = product_results({policy.table, policy.weights, decoder}, a, p, {0, l});
        const bool same = test::bits(found) ==
                          test::bits(slow_results(slow, decoder, p, l,
                                                  decoder.product_rows(sequences), 4 / sequences));
        CHECK(same);
      }
    }
  }
}

TEST_CASE("exempt_products_have_their_own_format_and_all_others_are_unchanged") {
  const test::tiny_policy policy(4);
  const auto batch = test::random_sequences(4, 32);
  sim::decoder decoder(policy.table, policy.rope);
  decoder.take(batch);
  const test::prepared_policy w(policy.table, policy.weights, {});
  decoder.forward(w.forward, {});
  const sim::computed_sequences done{policy.table, policy.weights, decoder};
  const mx::operand bf16{mx::operand_numbers::bf16};
  const sim::step_arithmetic of_bf16 = test::at_some_step(test::everywhere(bf16));
  const auto check_layer = [&](int layer, const sim::exempt_products& e, const auto& is_exempt) {
    for (const auto& [name, plain] : test::model_arithmetics()) {
      if (!plain.forward.exempt.is_empty() || !plain.forward.rules.empty()) continue;
      const sim::step_arithmetic all = test::at_some_step(plain),
                                 some = test::at_some_step(test::exempting(plain, e));
      for (const sim::pass p : sim::all_passes) {
        for (const sim::linear l : {sim::linear::q, sim::linear::o, sim::linear::up}) {
          INFO(name << ", pass " << static_cast<int>(p) << " of " << layer << sim::name_of(l));
          const floats found = product_results(done, some, p, {layer, l});
          const auto& as = is_exempt(layer, l) ? of_bf16 : all;
          CHECK(test::bits(found) == test::bits(product_results(done, as, p, {layer, l})));
        }
      }
    }
  };
  const auto check = [&](const sim::exempt_products& e, const auto& is_exempt) {
    int layers = 0;
    decoder.backward(w.forward, w.backward, {}, test::some_weight, [&](int layer) {
      check_layer(layer, e, is_exempt);
      ++layers;
    });
    CHECK(layers == 4);
  };
  check({.first = 1, .last = 2, .layers = 4, .format = bf16},
        [](int layer, sim::linear) { return layer != 1; });
  check({.last = 1, .layers = 4, .part = sim::layer_part::attention, .format = bf16},
        [](int layer, sim::linear l) { return layer == 3 || l != sim::linear::up; });
}

TEST_CASE("operands_with_a_rule_have_its_format_and_all_others_are_unchanged") {
  const test::tiny_policy policy(4);
  const mx::operand bf16{mx::operand_numbers::bf16}, mxfp4 = test::mxfp4();
  sim::format_rule rule = test::rule(policy.table.shape(), R"(model\.layers\.(0|2)\..*)", bf16);
  rule.passes = {false, true, false, true};
  rule.operands = {false, true};
  const sim::step_arithmetic ruled =
      test::at_some_step(test::ruled(test::everywhere(mxfp4), {rule}));
  const sim::pass_format plain{mxfp4, mxfp4}, half{mxfp4, bf16};
  for (const sim::pass p : sim::all_passes) {
    for (int layer = 0; layer < 4; ++layer) {
      for (const sim::linear l : test::all_linears) {
        INFO("pass " << static_cast<int>(p) << " of " << layer << sim::name_of(l));
        const bool about = (p == sim::pass::forward || p == sim::pass::wgrad) && layer % 2 == 0;
        CHECK(ruled.of(p).format_at({layer, l}) == (about ? half : plain));
      }
    }
  }
}

TEST_CASE("the_first_rule_about_an_operand_counts_before_exempt_products") {
  const test::tiny_policy policy(4);
  const sim::policy_shape& shape = policy.table.shape();
  const mx::operand bf16{mx::operand_numbers::bf16},
      mxfp4 = test::mxfp4(), nvfp4 = test::coded(mx::block_formats::nvfp4, mx::scale_rule::ideal);
  const std::vector<sim::format_rule> rules{test::rule(shape, ".*down_proj", nvfp4),
                                            test::rule(shape, ".*mlp.*", mxfp4)};
  const sim::step_arithmetic a = test::at_some_step(
      test::ruled(test::exempting(test::everywhere(test::under("blackwell.mxf4", mxfp4, mxfp4)),
                                  {.last = 1, .layers = 4, .format = bf16}),
                  rules));
  const auto format_of = [&](int layer, sim::linear l) {
    return a.of(sim::pass::dgrad).format_at({layer, l});
  };
  for (const int layer : {1, 3}) {
    CHECK(format_of(layer, sim::linear::down) == sim::pass_format{nvfp4, nvfp4});
    CHECK(format_of(layer, sim::linear::gate) == sim::pass_format{mxfp4, mxfp4});
  }
  CHECK(format_of(1, sim::linear::q) == test::under("blackwell.mxf4", mxfp4, mxfp4));
  CHECK(format_of(3, sim::linear::q) == sim::pass_format{bf16, bf16});
}

}  // namespace
