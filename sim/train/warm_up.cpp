// SPDX-License-Identifier: Apache-2.0
// sim/train/warm_up.cpp: see warm_up.h.
#include "sim/train/warm_up.h"

#include "mx/number/philox.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/train/evaluation.h"

namespace sim {

warm_up_schedule::warm_up_schedule(const warm_up_constants& constants)
    : constants_(constants),
      decay_begin_(has_target() ? constants.steps - constants.decay_steps : constants.ramp_steps),
      decay_steps_(has_target() ? constants.decay_steps : constants.steps - constants.ramp_steps) {}

bool warm_up_schedule::measures_after(int steps) const {
  return has_target() && !reached_ && steps <= decay_begin_ &&
         steps % constants_.gate_interval == 0;
}

void warm_up_schedule::take(int steps, double accuracy) {
  if (!measures_after(steps)) return;
  if (static_cast<float>(accuracy) < constants_.target_accuracy) return;
  reached_ = true;
  decay_begin_ = steps;
}

float warm_up_schedule::rate(int step) const {
  const float ramped = ramped_rate(constants_.learning_rate, constants_.ramp_steps, step);
  if (step < decay_begin_) return ramped;
  const auto past = static_cast<float>(step - decay_begin_ + 1);
  const auto whole = static_cast<float>(decay_steps_);
  return ramped * (1.0F - (1.0F - constants_.final_fraction) * (past / whole));
}

namespace {

/// Replaces each digit of a response by a random digit with the study's probability. Tokens of a
/// listed task are no digits.
void add_digit_noise(const setting& s, int step, int index, sequence& demonstration) {
  if (is_listed(s.constants.task)) return;
  for (int t = demonstration.prompt; t < demonstration.length(); ++t) {
    token_id& token = demonstration.tokens[static_cast<std::size_t>(t)];
    const auto words = mx::philox(
        s.constants.seed, {{counter_word(stream::demonstration_noise, step),
                            static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(t), 0}});
    if (token < 10 && mx::uniform_of(words.word[0]) < s.constants.warm_up.digit_noise) {
      token = static_cast<token_id>((std::uint64_t{words.word[1]} * 10) >> 32);
    }
  }
}

}  // namespace

std::vector<sequence> demonstrations(const setting& s, int step) {
  std::vector<sequence> result =
      s.prompts(stream::demonstration_prompts, step, s.constants.warm_up.sequences);
  for (std::size_t i = 0; i < result.size(); ++i) {
    s.task->append_solution(result[i]);
    add_digit_noise(s, step, static_cast<int>(i), result[i]);
  }
  return result;
}

namespace {

void measure_gate(const setting& s, const training_state& state, warm_up_schedule& schedule,
                  std::vector<figure>& figures) {
  if (!schedule.measures_after(state.step) && !schedule.is_over(state.step)) return;
  const double accuracy = gate_accuracy(s, state.weights);
  figures.push_back({"accuracy_sampled", accuracy});
  schedule.take(state.step, accuracy);
  if (!schedule.has_target() || !schedule.is_over(state.step)) return;
  figures.push_back({"target_reached", schedule.reached() ? 1.0 : 0.0});
}

}  // namespace

std::vector<figure> warm_up_step(const setting& s, gradient_computer& gradient,
                                 training_state& state, warm_up_schedule& schedule) {
  const warm_up_constants& constants = s.constants.warm_up;
  const step_arithmetic fp32;
  const std::vector<sequence> batch = demonstrations(s, state.step);
  const float share = token_share(batch);
  const forward_weights forward = prepare_forward(s.table, state.weights, {});
  const backward_weights backward = prepare_backward(s.table, state.weights, fp32);
  std::vector<float> g = gradient(fp32, forward, backward, batch,
                                  [&](int, int, const token_outcome&) { return share; });
  double loss = 0;
  for (const token_outcome& t : gradient.scored().outcomes) loss -= double{t.log_probability};
  const float rate = schedule.rate(state.step);
  const float norm = update(s.table, {optimizer_kind::adam, constants.adam, rate, constants.clip},
                            std::move(g), state.optimizer, state.weights);
  ++state.step;
  std::vector<figure> figures{
      {"loss", loss / static_cast<double>(gradient.scored().outcomes.size())},
      {"learning_rate", double{rate}},
      {"grad_norm", double{norm}}};
  measure_gate(s, state, schedule, figures);
  return figures;
}

training_state warmed_up_policy(const setting& s) {
  training_state state{starting_weights(s.table, s.constants.seed), {}, 0};
  gradient_computer gradient(s);
  warm_up_schedule schedule(s.constants.warm_up);
  while (!schedule.is_over(state.step)) warm_up_step(s, gradient, state, schedule);
  return state;
}

}  // namespace sim
