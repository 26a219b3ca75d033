// SPDX-License-Identifier: Apache-2.0
// sim/sweep/swept_policy.cpp: see swept_policy.h.
#include "sim/sweep/swept_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/policy/attention_rows.h"
#include "sim/pretrained/starting_policy.h"
#include "sim/study/sha256.h"
#include "sim/study/study_file.h"
#include "sim/sweep/part_of.h"
#include "sim/sweep/point_arm.h"
#include "sim/sweep/warmed_up_file.h"
#include "sim/train/available_memory.h"
#include "sim/train/memory_peak.h"

namespace sim {
namespace {

/// The study without what no measure of a sweep depends on: its name, its arms, and what it
/// measures of them.
study study_in(const std::string& file) {
  study s = read_study(file);
  load_problems(s);
  load_policy(s);
  s.name.clear();
  s.arms.resize(1);
  s.noise = {};
  s.outliers = {{1}, {}, {}, {}};
  s.measurement.additivity_steps.clear();
  s.measurement.mismatch_rollouts = 0;
  return s;
}

/// Refuses steps that the study's schedules do not allow.
void expect_steps(const input_policy& p) {
  static_cast<void>(read_study(p.study, {fmt::format("grpo.steps={}", p.steps)}));
}

text_list texts_of(const input_policy& p, const policy_shape& policy) {
  const std::string& checkpoint = policy.source.file;
  const int length = checkpoint.empty() ? max_span : longest_sequence(open_model(checkpoint));
  text_list list = read_texts(p.texts, {policy.vocabulary, length});
  keep_tokens(list, p.tokens > 0 ? p.tokens : std::numeric_limits<long long>::max(), p.texts);
  return list;
}

}  // namespace

swept_policy::swept_policy(const sweep_input& of, std::vector<sweep_measure> measures,
                           std::filesystem::path kept)
    : of_(of),
      measures_(std::move(measures)),
      kept_(std::move(kept)),
      study_(study_in(of.policy->study)) {
  if (of_.policy->steps > 0) expect_steps(*of_.policy);
  if (!of_.policy->texts.empty()) texts_ = texts_of(*of_.policy, study_.policy);
  for (const sweep_measure m : measures_) hash_ += (hash_.empty() ? "" : " ") + hash_of(m);
}

bool swept_policy::measures(sweep_measure m) const {
  return std::ranges::find(measures_, m) != measures_.end();
}

std::string swept_policy::hash_of(sweep_measure m) const {
  if (m == sweep_measure::training) return study_hash(study_of_training());
  if (!texts_) return study_hash(study_);
  return sha256_of(fmt::format("{} {} {} {}", study_hash(study_), texts_->sha256,
                               texts_->texts.size(), of_.policy->batch));
}

study swept_policy::study_of_texts() const {
  study s = study_;
  s.task = task_of_texts(*texts_);
  return s;
}

study swept_policy::study_of_training() const {
  study s = study_;
  if (of_.policy->steps > 0) s.grpo.steps = of_.policy->steps;
  return s;
}

std::string swept_policy::refusal_of(const sweep_point& p) const {
  const std::vector<pass> passes = measures(sweep_measure::training)
                                       ? std::vector(all_passes.begin(), all_passes.end())
                                       : std::vector{pass::rollout};
  const std::string why = sim::refusal_of(p, study_.policy, passes);
  return why.empty() ? "" : fmt::format("input {}: {}", of_.name, why);
}

bool swept_policy::has_room_for(const sweep_point& p, int points) const {
  const arm a = arm_of(p).of;
  double most = step_peak(study_, a, 1).bytes();
  if (texts_) most = std::max(most, step_peak(study_of_texts(), a, 1).bytes());
  return points * most <= available_memory() / 2;
}

void swept_policy::prepare(double share) {
  if (!weights_) weights_ = warmed_up(study_, kept_);
  if (measures(sweep_measure::frozen)) prepare_frozen();
  if (measures(sweep_measure::training)) prepare_training(share);
}

void swept_policy::prepare_frozen() {
  if (frozen_) return;
  const study s = texts_ ? study_of_texts() : study_;
  frozen_ = std::make_unique<const frozen_policy>(
      s, weights_, texts_ ? batches_of(*texts_, of_.policy->batch) : frozen_batches(s, *weights_));
}

void swept_policy::prepare_training(double share) {
  const study s = study_of_training();
  if (!training_) {
    training_ = std::make_unique<const short_training>(s, weights_);
    accuracy_at_start_ = training_->accuracy_at_start();
  }
  const int steps = part_of(s.grpo.steps, share);
  if (accuracy_of_fp32_.contains(steps)) return;
  accuracy_of_fp32_[steps] = training_->under({}, steps).accuracy;
}

void swept_policy::measure(const sweep_point& p, double share, sweep_row& row) const {
  const point_arm a = arm_of(p);
  if (frozen_) set_frozen(a.of, share, row);
  if (training_) set_training(a.of, share, row);
}

void swept_policy::set_frozen(const arm& a, double share, sweep_row& row) const {
  const frozen_policy::comparison c = frozen_->under(a, share);
  const auto mean = [](const distribution_sums& sums, double distribution_sums::*figure) {
    return sums.*figure / sums.tokens;
  };
  const double entropy = mean(c.of_arm, &distribution_sums::entropy);
  const double cross_entropy = mean(c.of_arm, &distribution_sums::cross_entropy);
  row.set("kl", mean(c.of_arm, &distribution_sums::kl));
  row.set("entropy", entropy);
  row.set("entropy_change", entropy - mean(c.of_fp32, &distribution_sums::entropy));
  row.set("cross_entropy", cross_entropy);
  row.set("cross_entropy_change",
          cross_entropy - mean(c.of_fp32, &distribution_sums::cross_entropy));
  row.set("greedy_agreement", mean(c.of_arm, &distribution_sums::agreeing));
}

void swept_policy::set_training(const arm& a, double share, sweep_row& row) const {
  const int steps = part_of(study_of_training().grpo.steps, share);
  const training_end end = training_->under(a, steps);
  row.set("accuracy_final_in_fp32", end.accuracy);
  row.set("accuracy_gap", accuracy_of_fp32_.at(steps) - end.accuracy);
  row.set("accuracy_at_start", accuracy_at_start_);
  row.set("rollout_entropy", end.entropy);
  row.set("diverged", end.diverged ? 1 : 0);
}

}  // namespace sim
