// SPDX-License-Identifier: Apache-2.0
// sim/train/evaluation.cpp: see evaluation.h.
#include "sim/train/evaluation.h"

#include <algorithm>

#include "sim/train/shared_rollouts.h"

namespace sim {
namespace {

/// The first problems of a stream, and the stream that their answers are sampled with.
struct problem_set {
  stream prompts, samples;
  int count;
};

problem_set evaluation_problems(int count) {
  return {stream::evaluation_prompts, stream::evaluation_samples, count};
}

/// Whether the answer to each problem is right.
std::vector<bool> right_ones(const setting& s, const pass_products& products,
                             const std::vector<float>& weights, decoding how,
                             const problem_set& problems, const std::vector<float>& noise = {}) {
  if (weights.empty()) return std::vector<bool>(static_cast<std::size_t>(problems.count));
  const forward_weights prepared = prepare_forward(s.table, weights, products, noise);
  return shared_answers(s, products, prepared, s.prompts(problems.prompts, 0, problems.count),
                        s.sampled(how, 1, problems.samples, 0));
}

/// Share of right answers among the first `count`.
double share_of(const std::vector<bool>& right, int count) {
  return static_cast<double>(std::count(right.begin(), right.begin() + count, true)) / count;
}

}  // namespace

std::vector<slice_answers> answers_by_slice(const setting& s, const pass_products& products,
                                            const std::vector<float>& weights, decoding how,
                                            int slices, const std::vector<float>& noise) {
  const int count = s.constants.measurement.evaluation_problems;
  const std::vector<bool> right =
      right_ones(s, products, weights, how, evaluation_problems(count), noise);
  const std::size_t problems = std::min(right.size(), s.distinct_evaluation_problems());
  const auto most = static_cast<std::size_t>(slices);
  const std::size_t slice = (problems + most - 1) / most;
  std::vector<slice_answers> result((problems + slice - 1) / slice);
  for (std::size_t i = 0; i < right.size(); ++i) {
    slice_answers& of = result[i % problems / slice];
    ++of.all;
    if (right[i]) ++of.right;
  }
  return result;
}

double accuracy(const setting& s, const arithmetic& formats, const training_state& state,
                decoding how) {
  const int count = s.constants.measurement.evaluation_problems;
  const pass_products products =
      s.at_step(formats, stream::evaluation_operands, state.step).of(pass::rollout);
  return share_of(right_ones(s, products, state.weights, how, evaluation_problems(count)), count);
}

double accuracy_in_fp32(const setting& s, const std::vector<float>& weights, int problems) {
  return share_of(right_ones(s, {}, weights, decoding::sampled, evaluation_problems(problems)),
                  problems);
}

double gate_accuracy(const setting& s, const std::vector<float>& weights) {
  const int count = s.constants.warm_up.gate_problems;
  return share_of(right_ones(s, {}, weights, decoding::sampled,
                             {stream::gate_prompts, stream::gate_samples, count}),
                  count);
}

namespace {

class evaluator {
 public:
  evaluator(const setting& s, const arm& a, const training_state& state)
      : s_(s), arm_(a), state_(state) {}

  std::vector<metric_row> run() {
    const measurement_constants& m = s_.constants.measurement;
    const bool last = state_.step == s_.constants.grpo.steps;
    if (state_.step % m.evaluation_interval != 0 && !last) return {};
    if (state_.step == 0 || last) {
      add(arm_, "accuracy_greedy", accuracy(s_, arm_.formats, state_, decoding::greedy));
    }
    const int problems = last ? m.final_problems : m.evaluation_problems;
    const std::vector<bool> right =
        right_ones(s_, {}, state_.weights, decoding::sampled, evaluation_problems(problems));
    known_.emplace_back(pass_format{}, share_of(right, m.evaluation_problems));
    add(arm_, "accuracy_sampled", sampled_under(arm_.formats));
    add(arm_, "accuracy_sampled_in_fp32", known_.front().second);
    if (last) add(arm_, "accuracy_final_in_fp32", share_of(right, problems));
    if (arm_.name == s_.constants.arms.front().name) add_inference();
    return std::move(rows_);
  }

 private:
  void add_inference() {
    for (const arm& a : s_.constants.arms) {
      if (a.training == arm_training::none) continue;
      add(a, "accuracy_sampled_of_fp32", sampled_under(a.formats));
    }
  }

  /// Arms that share a rollout arithmetic share its random bits too, and so the answers.
  double sampled_under(const arithmetic& formats) {
    for (const auto& [format, value] : known_) {
      if (format == formats.rollout) return value;
    }
    const double value = accuracy(s_, formats, state_, decoding::sampled);
    known_.emplace_back(formats.rollout, value);
    return value;
  }

  void add(const arm& a, const char* metric, double value) {
    rows_.push_back({"train", a.name, state_.step, std::nullopt, "", "", metric, value, {}});
  }

  const setting& s_;
  const arm& arm_;
  const training_state& state_;
  std::vector<std::pair<pass_format, double>> known_;
  std::vector<metric_row> rows_;
};

}  // namespace

std::vector<metric_row> evaluation_rows(const setting& s, const arm& a,
                                        const training_state& state) {
  return evaluator(s, a, state).run();
}

}  // namespace sim
