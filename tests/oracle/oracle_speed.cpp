// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_speed.cpp: how long passes over texts take, as a program:
//   oracle_speed MODEL TEXTS
// Each line of the input, `forward ARITHMETIC` or `step ARITHMETIC`, gives a line with its seconds.
//   forward  log-probabilities of every predicted token
//   step     the same, the gradient of the mean cross entropy, and an update of Adam
// Arithmetics are those of every product: fp32; MXFP4 under a model, by the model's name. Each pass
// quantizes the weights anew, as a training step does.
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "mx/spelling.h"
#include "sim/assess/text_file.h"
#include "sim/policy/batch_pass.h"
#include "sim/pretrained/model_weights.h"
#include "sim/train/optimizer.h"
#include "sim/train/trainer.h"

namespace {

constexpr int micro_batch = 4;

sim::step_arithmetic arithmetic_named(const std::string& name) {
  if (name == "fp32") return {};
  const mx::operand mxfp4{mx::operand_numbers::coded,
                          {{mx::block_formats::mxfp4, mx::scale_rule::rceil}}};
  const sim::pass_format both{mxfp4, mxfp4, sim::operand_source::own, &mx::model_spelled(name)};
  return {{both, both, both, both}, {}};
}

class timed_policy {
 public:
  timed_policy(const sim::model_file& model, const char* texts)
      : table_(model.shape),
        weights_(sim::read_weights(model, table_)),
        texts_(
            sim::read_texts(texts, {model.shape.vocabulary, sim::longest_sequence(model)}).texts),
        rope_(longest(), model.shape.head_width, model.shape.rope_theta),
        pass_(table_, rope_, micro_batch) {
    pass_.take(texts_);
  }

  void forward(const sim::step_arithmetic& a) {
    const sim::pass_products products = a.of(sim::pass::forward);
    pass_.forward(sim::prepare_forward(table_, weights_, products), products);
  }

  void step(const sim::step_arithmetic& a) {
    const sim::pass_products products = a.of(sim::pass::forward);
    const auto weights = sim::prepare_forward(table_, weights_, products);
    pass_.forward(weights, products);
    const float share = sim::token_share(texts_);
    auto gradient = pass_.gradient(weights, sim::prepare_backward(table_, weights_, a), a,
                                   [&](int, int, const sim::token_outcome&) { return share; });
    // The rate is 0, so that every step has the same weights.
    sim::update(table_, {.learning_rate = 0, .clip = 1}, std::move(gradient), adam_, weights_);
  }

 private:
  [[nodiscard]] int longest() const {
    int length = 0;
    for (const sim::sequence& s : texts_) length = std::max(length, s.length());
    return length;
  }

  sim::parameter_table table_;
  std::vector<float> weights_;
  std::vector<sim::sequence> texts_;
  sim::rope_table rope_;
  sim::batch_pass pass_;
  sim::adam_state adam_;
};

void answer(timed_policy& policy, const std::string& line) {
  std::istringstream words(line);
  std::string what, name;
  words >> what >> name;
  const sim::step_arithmetic a = arithmetic_named(name);
  const auto begin = std::chrono::steady_clock::now();
  if (what == "forward") {
    policy.forward(a);
  } else if (what == "step") {
    policy.step(a);
  } else {
    throw std::invalid_argument("neither forward nor step: " + line);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%.6f\n", taken.count());
  std::fflush(stdout);
}

void run(int count, char** words) {
  if (count != 3) throw std::invalid_argument("usage: oracle_speed MODEL TEXTS");
  timed_policy policy(sim::open_model(words[1]), words[2]);
  for (std::string line; std::getline(std::cin, line);) answer(policy, line);
}

}  // namespace

int main(int count, char** words) {
  try {
    run(count, words);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "oracle_speed: %s\n", e.what());
    return 1;
  }
  return 0;
}
