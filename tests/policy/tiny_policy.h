// SPDX-License-Identifier: Apache-2.0
// tests/policy/tiny_policy.h: a policy small enough to be computed many times, sequences for it,
// and its gradient in any arithmetic and any micro-batches.
#pragma once
#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sim/policy/batch_pass.h"
#include "sim/study/format_rules.h"

namespace test {

inline sim::policy_shape tiny_shape(int layers) {
  sim::policy_shape shape;
  shape.width = 32;
  shape.layers = layers;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_width = 32;
  shape.hidden = 64;
  shape.vocabulary = 32;
  shape.embedding_std = 0.2F;
  shape.input_std = shape.output_std = 0.2F;
  return shape;
}

/// The tiny policy of another family: heads together wider than the policy, and a head of its own
/// where a family is mostly published with one.
inline sim::policy_shape tiny_shape(sim::policy_family family, int layers) {
  sim::policy_shape shape = tiny_shape(layers);
  shape.family = family;
  if (family == sim::policy_family::qwen3) return shape;
  shape.heads = 4;
  shape.kv_heads = 2;
  if (family == sim::policy_family::llama) shape.head = sim::output_head::own;
  if (shape.has_experts()) {
    // As many as short sequences leave some of them without tokens.
    shape.experts = {7, 2};
    shape.hidden = 32;
  }
  return shape;
}

struct tiny_policy {
  explicit tiny_policy(int layers, unsigned seed = 1) : tiny_policy(tiny_shape(layers), seed) {}
  explicit tiny_policy(const sim::policy_shape& shape, unsigned seed = 1, int positions = 32)
      : table(shape),
        rope(positions, shape.head_width, shape.rope_theta),
        weights(sim::initial_weights(table, seed)) {
    // Norm weights that are not all 1 and biases that are not all 0, so that a wrong one is
    // detected.
    std::mt19937 random(seed);
    for (const sim::parameter& p : table.all()) {
      if (p.rows > 1) continue;
      for (int i = 0; i < p.columns; ++i) {
        weights[static_cast<std::size_t>(p.offset + i)] =
            0.5F + static_cast<float>(random() % 1024) / 1024;
      }
    }
  }
  sim::parameter_table table;
  sim::rope_table rope;
  std::vector<float> weights;
};

/// Prompts of 1 to 4 tokens, responses of 1 to 16.
inline std::vector<sim::sequence> random_sequences(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<sim::sequence> result(static_cast<std::size_t>(count));
  for (sim::sequence& s : result) {
    s.prompt = static_cast<int>(1 + random() % 4);
    const auto length = static_cast<std::size_t>(s.prompt) + 1 + random() % 16;
    for (std::size_t i = 0; i < length; ++i) {
      s.tokens.push_back(static_cast<sim::token_id>(random() % 32));
    }
  }
  return result;
}

struct named_arithmetic {
  std::string name;
  sim::arithmetic formats;
};

inline sim::arithmetic everywhere(const mx::operand& f) {
  const sim::pass_format both{f, f};
  return {both, both, both, both};
}

inline mx::operand coded(const mx::block_format& format, mx::scale_rule rule) {
  return {mx::operand_numbers::coded, {{format, rule}}};
}
inline mx::operand mxfp4() { return coded(mx::block_formats::mxfp4, mx::scale_rule::rceil); }

/// Rounded stochastically.
inline mx::operand drawn(mx::operand f) {
  f.recipe.rules.rounding = mx::rounding::stochastic;
  return f;
}

/// fp32, mxfp4, inj-s and mbs+of; the arms that differ most in how they transform an operand.
inline std::vector<named_arithmetic> arithmetics() {
  mx::operand injected = mxfp4(), corrected = mxfp4();
  injected.toggle = mx::toggle::injection;
  injected.parts = mx::component::scale;
  corrected.recipe.corrections.macro_block = 128;
  corrected.recipe.corrections.fallback = mx::fallback_mode::all;
  corrected.recipe.corrections.alpha = 0.5F;
  return {{"fp32", {}},
          {"mxfp4", everywhere(mxfp4())},
          {"inj-s", everywhere(injected)},
          {"mbs+of", everywhere(corrected)}};
}

inline sim::pass_format under(const char* model, const mx::operand& data,
                              const mx::operand& other) {
  return {data, other, sim::operand_source::own, mx::model_named(model)};
}
inline sim::arithmetic everywhere(const sim::pass_format& f) { return {f, f, f, f}; }

inline sim::arithmetic exempting(sim::arithmetic a, const sim::exempt_products& e) {
  for (sim::pass_format* f : {&a.rollout, &a.forward, &a.dgrad, &a.wgrad}) f->exempt = e;
  return a;
}

/// A rule about linears of a policy of this shape.
inline sim::format_rule rule(const sim::policy_shape& shape, const std::string& names,
                             const mx::operand& format) {
  return {.names = names,
          .format = format,
          .linears_a_layer = linears_of(shape, 0).size(),
          .matches = sim::linears_named(names, shape)};
}

inline sim::arithmetic ruled(sim::arithmetic a, const std::vector<sim::format_rule>& rules) {
  for (sim::pass_format* f : {&a.rollout, &a.forward, &a.dgrad, &a.wgrad}) f->rules = rules;
  return a;
}

/// W of o; both operands of gate and up, in the passes that contract over features; X and dY of
/// wgrad.
inline std::vector<sim::format_rule> some_rules(const sim::policy_shape& shape) {
  const mx::operand square = coded(mx::block_formats::nvfp4_2d, mx::scale_rule::ideal),
                    nvfp4 = coded(mx::block_formats::nvfp4, mx::scale_rule::ideal);
  std::vector<sim::format_rule> rules{
      rule(shape, R"(.*\.o_proj)", square),
      rule(shape, R"(.*\.0\.mlp\.(experts\.[0246]\.)?(gate|up)_proj)", drawn(nvfp4)),
      rule(shape, R"(.*\.(mlp|self_attn)\..*)", drawn(mxfp4()))};
  rules[0].passes = {true, true, true, false};
  rules[0].operands = {false, true};
  rules[1].passes = {true, true, false, true};
  rules[2].passes = {false, false, false, true};
  return rules;
}

/// Tensor scales, random bits, square blocks, rotations, forward's W and X, exempt products, rules.
///   shape  of two layers
inline std::vector<named_arithmetic> value_arithmetics(
    const sim::policy_shape& shape = tiny_shape(2)) {
  const mx::operand nvfp4 = coded(mx::block_formats::nvfp4, mx::scale_rule::ideal),
                    square = coded(mx::block_formats::nvfp4_2d, mx::scale_rule::ideal);
  mx::operand residual = drawn(mxfp4()), twice = mxfp4();
  residual.recipe.corrections.fallback = mx::fallback_mode::all;
  twice.recipe.passes = mx::passes::twice;
  sim::arithmetic recipe{
      {nvfp4, square}, {nvfp4, square}, {drawn(nvfp4), square}, {drawn(nvfp4), nvfp4}};
  recipe.wgrad.rotation = {16, mx::rotation_signs::fixed};
  sim::arithmetic rotated = everywhere(mxfp4()), shared = everywhere(drawn(mxfp4()));
  for (sim::pass_format* f : {&rotated.rollout, &rotated.forward, &rotated.dgrad}) {
    f->rotation = {32, mx::rotation_signs::random, 5};
  }
  rotated.wgrad = {{}, mxfp4(), sim::operand_source::own, mx::model_named("fp32.fma"), {32}};
  shared.dgrad.source = sim::operand_source::forward;
  const mx::operand bf16{mx::operand_numbers::bf16};
  const auto forward = sim::operand_source::forward;
  const sim::arithmetic dequantized{{drawn(nvfp4), square},
                                    {drawn(nvfp4), square},
                                    {bf16, square, forward},
                                    {bf16, drawn(nvfp4), forward}};
  return {{"nvfp4", everywhere(nvfp4)},
          {"forward-wx, exempt", exempting(dequantized, {.last = 1,
                                                         .layers = 2,
                                                         .part = sim::layer_part::feed_forward,
                                                         .format = drawn(mxfp4())})},
          {"forward-wx, ruled", ruled(dequantized, some_rules(shape))},
          {"rotated, ruled", ruled(rotated, some_rules(shape))},
          {"drawn", everywhere(drawn(nvfp4))},
          {"drawn-of", everywhere(residual)},
          {"square", recipe},
          {"rotated", rotated},
          {"forward-w", shared},
          {"double-w", {{mxfp4(), twice}, {mxfp4(), twice}, {mxfp4(), twice}, {mxfp4(), mxfp4()}}},
          {"bf16", everywhere(mx::operand{mx::operand_numbers::bf16})}};
}

/// Products under models.
inline std::vector<named_arithmetic> model_arithmetics(
    const sim::policy_shape& shape = tiny_shape(2)) {
  const mx::operand nvfp4 = coded(mx::block_formats::nvfp4, mx::scale_rule::ideal),
                    square = coded(mx::block_formats::nvfp4_2d, mx::scale_rule::ideal),
                    mxfp8 = coded(mx::block_formats::mxfp8_e4m3, mx::scale_rule::floor),
                    bf16{mx::operand_numbers::bf16};
  sim::arithmetic mxf4nvf4 = everywhere(under("blackwell.mxf4nvf4", nvfp4, nvfp4));
  mxf4nvf4.forward.other = mxf4nvf4.rollout.other = mxf4nvf4.dgrad.other = square;
  mxf4nvf4.dgrad.data = mxf4nvf4.wgrad.data = drawn(nvfp4);
  mxf4nvf4.wgrad.rotation = {16, mx::rotation_signs::fixed};
  return {
      {"mxf4", everywhere(under("blackwell.mxf4", drawn(mxfp4()), mxfp4()))},
      {"mxf4nvf4", mxf4nvf4},
      {"mxf4nvf4, exempt",
       exempting(mxf4nvf4,
                 {.first = 1, .layers = 2, .part = sim::layer_part::attention, .format = bf16})},
      {"mxf4nvf4, ruled", ruled(mxf4nvf4, some_rules(shape))},
      {"sequential", everywhere(under("fp32.sequential", mxfp4(), mxfp4()))},
      {"mxf8", everywhere(under("blackwell.mxf8f6f4.e4m3.e4m3", mxfp8, mxfp8))},
      {"tensor core bf16", everywhere(under("ampere.mma.bf16.f32", bf16, bf16))}};
}

inline std::vector<named_arithmetic> all_arithmetics(
    const sim::policy_shape& shape = tiny_shape(2)) {
  std::vector<named_arithmetic> all = arithmetics();
  for (const auto& more : {value_arithmetics(shape), model_arithmetics(shape)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Random bits of a step for the tiny policy.
inline constexpr sim::draw_key some_key{7, 11, 32};

inline sim::step_arithmetic at_some_step(const sim::arithmetic& formats) {
  return {formats, some_key};
}

/// The weights of a policy in all passes.
struct prepared_policy {
  prepared_policy(const sim::parameter_table& table, const std::vector<float>& weights,
                  const sim::step_arithmetic& a)
      : forward(sim::prepare_forward(table, weights, a.of(sim::pass::forward))),
        backward(sim::prepare_backward(table, weights, a)) {}
  sim::forward_weights forward;
  sim::backward_weights backward;
};

struct gradient_result {
  std::vector<float> gradient, outcomes;
};

/// A weight for each token that depends on its place and its outcome.
inline float some_weight(int sequence, int position, const sim::token_outcome& outcome) {
  return 0.25F * static_cast<float>(sequence % 3 - 1) + 0.0625F * static_cast<float>(position) +
         0.125F * outcome.entropy;
}

/// Gradient and outcomes of a batch that is computed in micro-batches.
inline gradient_result gradient_of(const tiny_policy& policy, const std::vector<float>& weights,
                                   const sim::arithmetic& formats,
                                   std::span<const sim::sequence> batch, int micro_batch) {
  const sim::step_arithmetic a = at_some_step(formats);
  const prepared_policy w(policy.table, weights, a);
  sim::batch_pass pass(policy.table, policy.rope, micro_batch);
  gradient_result result;
  pass.take(batch);
  pass.forward(w.forward, a.of(sim::pass::forward));
  result.gradient = pass.gradient(w.forward, w.backward, a, some_weight);
  for (const sim::token_outcome& o : pass.outcomes()) {
    result.outcomes.insert(result.outcomes.end(), {o.log_probability, o.entropy});
  }
  return result;
}

}  // namespace test
