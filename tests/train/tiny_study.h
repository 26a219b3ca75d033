// SPDX-License-Identifier: Apache-2.0
// tests/train/tiny_study.h: a whole study that takes a fraction of a second: one-digit addition by
// a policy of width 32, which learns enough in its warm-up to be right at times.
#pragma once
#include <string>
#include <vector>

#include "sim/study/study.h"

namespace test {

inline mx::operand mxfp4() {
  return {mx::operand_numbers::coded, {{mx::block_formats::mxfp4, mx::scale_rule::rceil}}};
}

inline sim::arithmetic everywhere(const mx::operand& f) {
  const sim::pass_format both{f, f};
  return {both, both, both, both};
}

/// fp32, mxfp4, inj-s, mbs+of+aqn with TIS, mxfp4-rollout with TIS.
inline std::vector<sim::arm> tiny_arms() {
  mx::operand injected = mxfp4(), corrected = mxfp4();
  injected.toggle = mx::toggle::injection;
  injected.parts = mx::component::scale;
  corrected.recipe.corrections.macro_block = 128;
  corrected.recipe.corrections.fallback = mx::fallback_mode::all;
  corrected.recipe.corrections.alpha = 0.5F;
  sim::arithmetic rollout_alone;
  rollout_alone.rollout.data = rollout_alone.rollout.other = mxfp4();
  return {{"fp32", {}, {}, {}},
          {"mxfp4", everywhere(mxfp4()), {}, {}},
          {"inj-s", everywhere(injected), {}, {}},
          {"mbs+of+aqn", everywhere(corrected), sim::rollout_noise::adaptive,
           sim::mismatch::truncated_importance},
          {"mxfp4-rollout", rollout_alone, {}, sim::mismatch::truncated_importance}};
}

/// Codes of NVFP4 under a tensor core's model, W in square blocks, gradients rounded
/// stochastically, wgrad rotated.
inline sim::arm drawn_arm() {
  const auto recipe = [](const mx::block_format& format, mx::rounding rounding) {
    return mx::operand{mx::operand_numbers::coded, {{format, mx::scale_rule::ideal, rounding}}};
  };
  const mx::operand x = recipe(mx::block_formats::nvfp4, mx::rounding::ties_to_even),
                    w = recipe(mx::block_formats::nvfp4_2d, mx::rounding::ties_to_even),
                    dy = recipe(mx::block_formats::nvfp4, mx::rounding::stochastic);
  sim::arm a{"drawn", {{dy, w}, {x, w}, {dy, w}, {dy, x}}, {}, {}};
  for (sim::pass_format* f :
       {&a.formats.rollout, &a.formats.forward, &a.formats.dgrad, &a.formats.wgrad}) {
    f->model = mx::model_named("blackwell.mxf4nvf4");
  }
  a.formats.wgrad.rotation = {16, mx::rotation_signs::fixed};
  return a;
}

inline sim::study tiny_study() {
  sim::study s;
  s.name = "tiny";
  s.seed = 1;
  s.policy.width = s.policy.head_width = 32;
  s.policy.layers = 1;
  s.policy.heads = 2;
  s.policy.kv_heads = 1;
  s.policy.hidden = 64;
  s.task = {1, 32};
  s.warm_up.schedule = sim::rate_schedule::fixed;
  s.warm_up.steps = 96;
  s.warm_up.sequences = 16;
  s.warm_up.learning_rate = 1e-2F;
  s.warm_up.ramp_steps = 6;
  s.warm_up.gate_problems = 32;
  s.grpo.steps = 4;
  s.grpo.prompts = 4;
  s.grpo.samples = 8;
  s.grpo.ramp_steps = 2;
  s.grpo.learning_rate = 1e-3F;
  s.noise.sigmas = {1e-1F, 9e-2F, 8e-2F, 7e-2F, 6e-2F, 5e-2F, 4e-2F, 3e-2F, 2e-2F};
  s.outliers = {{1, 4}, {3, 17}, {5, 40}};
  s.measurement.frozen_batches = 2;
  s.measurement.evaluation_problems = 32;
  s.measurement.evaluation_interval = 2;
  s.measurement.final_problems = 48;
  s.arms = tiny_arms();
  return s;
}

}  // namespace test
