// SPDX-License-Identifier: Apache-2.0
// sim/train/additivity.cpp: see additivity.h.
#include "sim/train/additivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/study/toggle_cells.h"
#include "sim/train/grpo.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/rate_schedule.h"

namespace sim {

void change_sums::take(const std::array<double, 5>& element) {
  std::array<double, 5> change{};
  for (std::size_t x = 1; x < change.size(); ++x) {
    change[x] = element[x] - element[0];
    changes_[x] += change[x] * change[x];
  }
  const double remainder = change[4] - (change[1] + change[2] + change[3]);
  remainder_ += remainder * remainder;
  reference_ += element[0] * element[0];
}

namespace {

double share_of_norm(double square, double of) { return square == 0 ? 0 : std::sqrt(square / of); }

}  // namespace

double change_sums::remainder_share() const { return share_of_norm(remainder_, changes_[4]); }

double change_sums::relative_change(std::size_t x) const {
  return share_of_norm(changes_[x], reference_);
}

namespace {

/// Of none, each part alone, and all.
constexpr std::array<std::size_t, 5> compared_cells{0, 1, 2, 4, 7};

}  // namespace

bool has_additivity(const study& s) {
  return std::ranges::all_of(both_meanings, [&](const toggle_cells& meaning) {
    return std::ranges::all_of(
        compared_cells, [&](std::size_t cell) { return cell_arm(s, meaning, cell) != nullptr; });
  });
}

std::vector<const arm*> compared_arms(const study& s) {
  std::vector<const arm*> result;
  for (const toggle_cells& meaning : both_meanings) {
    for (const std::size_t cell : compared_cells) {
      const arm* a = find_arm(s, meaning.arms[cell]);
      if (a == nullptr) return {};
      if (std::ranges::find(result, a) == result.end()) result.push_back(a);
    }
  }
  return result;
}

bool is_replayed(const study& s, const arm& a, int step) {
  const std::vector<int>& steps = s.measurement.additivity_steps;
  return a.name == both_meanings.front().reference() &&
         std::ranges::find(steps, step) != steps.end() && has_additivity(s);
}

namespace {

/// The arms of one meaning by which additivity is defined; null where there is none of that name.
template <class Found>
std::array<const Found*, 5> compared(const toggle_cells& meaning,
                                     const std::map<std::string, Found>& by_name) {
  const std::array<const char*, 5> names{meaning.reference(), meaning.part(0), meaning.part(1),
                                         meaning.part(2), meaning.whole()};
  std::array<const Found*, 5> result{};
  for (std::size_t x = 0; x < names.size(); ++x) {
    const auto found = by_name.find(names[x]);
    if (found != by_name.end()) result[x] = &found->second;
  }
  return result;
}

/// Rows of one quantity, under both meanings.
///   value  of an arm's quantity at an index
template <class Found, class Value>
void append_rows_of(const std::string& quantity, int step, std::size_t count,
                    const std::map<std::string, Found>& by_name, const Value& value,
                    std::vector<metric_row>& rows) {
  const auto row = [&](const std::string& arm, const std::string& metric, double v) {
    rows.push_back({"additivity", arm, step, {}, "", "", metric, v, {}});
  };
  for (const toggle_cells& meaning : both_meanings) {
    const std::array<const Found*, 5> arms = compared(meaning, by_name);
    if (std::ranges::find(arms, nullptr) != arms.end()) continue;
    change_sums sums;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<double, 5> element{};
      for (std::size_t x = 0; x < arms.size(); ++x) element[x] = value(*arms[x], i);
      sums.take(element);
    }
    row(meaning.whole(), fmt::format("additivity.{}.{}", meaning.meaning, quantity),
        sums.remainder_share());
    if (&meaning != &both_meanings.front()) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      row(meaning.part(i), "change." + quantity, sums.relative_change(i + 1));
    }
    row(meaning.whole(), "change." + quantity, sums.relative_change(4));
  }
}

/// A training step under one arithmetic.
///   clip_factor  of the gradient in the update
struct replayed_step {
  std::vector<float> logits, gradient, weights;
  float clip_factor = 1;
};

/// The rollouts of a step's first update, and what weighs their tokens.
struct replayed_batch {
  std::vector<sequence> sequences;
  std::vector<float> advantage, share;
};

replayed_batch first_update_of(const setting& s, const rollout_step& step) {
  const grpo_constants& c = s.constants.grpo;
  replayed_batch batch;
  batch.advantage = advantages(step.rewards, c);
  batch.advantage.resize(step.rollouts.size() / static_cast<std::size_t>(c.minibatches));
  for (std::size_t i = 0; i < batch.advantage.size(); ++i) {
    batch.sequences.push_back(step.rollouts[i].tokens);
  }
  batch.share = token_shares(batch.sequences, c.aggregation, response_limit(s.constants.task));
  return batch;
}

class step_replayer {
 public:
  step_replayer(const setting& s, const training_state& before, const rollout_step& step)
      : s_(s), before_(before), batch_(first_update_of(s, step)), gradient_(s) {}

  replayed_step under(const arithmetic& arms) {
    replayed_step result;
    const step_arithmetic formats = s_.at_step(arms, stream::training_operands, before_.step);
    const forward_weights forward =
        prepare_forward(s_.table, before_.weights, formats.of(pass::forward));
    gradient_.watch([&](const decoder& d, int layer) {
      if (layer < s_.table.shape().layers) return;
      const std::vector<float> logits = d.response_logits(forward);
      result.logits.insert(result.logits.end(), logits.begin(), logits.end());
    });
    result.gradient = gradient_of(formats, forward);
    gradient_.watch({});
    result.weights = before_.weights;
    adam_state moments = before_.optimizer;
    const grpo_constants& c = s_.constants.grpo;
    const float rate = learning_rate_at({}, c, before_.step);
    const update_rule rule{optimizer_kind::adam, c.adam, rate, c.clip};
    const float norm = update(s_.table, rule, result.gradient, moments, result.weights);
    if (norm > c.clip) result.clip_factor = c.clip / norm;
    return result;
  }

 private:
  std::vector<float> gradient_of(const step_arithmetic& formats, const forward_weights& forward) {
    const backward_weights backward = prepare_backward(s_.table, before_.weights, formats);
    return gradient_(formats, forward, backward, batch_.sequences,
                     [&](int i, int, const token_outcome&) {
                       const auto at = static_cast<std::size_t>(i);
                       return batch_.share[at] * batch_.advantage[at];
                     });
  }

  const setting& s_;
  const training_state& before_;
  replayed_batch batch_;
  gradient_computer gradient_;
};

}  // namespace

std::vector<metric_row> replayed_rows(const setting& s, const training_state& before,
                                      const rollout_step& step) {
  step_replayer replayer(s, before, step);
  std::map<std::string, replayed_step> by_name;
  for (const arm* a : compared_arms(s.constants)) by_name[a->name] = replayer.under(a->formats);
  if (by_name.empty()) return {};
  const replayed_step& any = by_name.begin()->second;
  std::vector<metric_row> rows;
  const auto append = [&](const char* quantity, std::size_t count, const auto& value) {
    append_rows_of(quantity, before.step + 1, count, by_name, value, rows);
  };
  append("logits", any.logits.size(),
         [](const replayed_step& r, std::size_t i) { return double{r.logits[i]}; });
  append("gradient", any.gradient.size(),
         [](const replayed_step& r, std::size_t i) { return double{r.gradient[i]}; });
  append("sgd", any.gradient.size(), [](const replayed_step& r, std::size_t i) {
    return double{r.clip_factor} * double{r.gradient[i]};
  });
  append("adam", any.weights.size(), [&](const replayed_step& r, std::size_t i) {
    return double{r.weights[i]} - double{before.weights[i]};
  });
  return rows;
}

study with_other_rollouts(study s) {
  s.seed ^= std::uint64_t{1} << 63U;  // seeds of study files are below it
  return s;
}

metric_row floor_row(const std::vector<float>& initial, const std::vector<float>& reference,
                     const std::vector<float>& on_other_rollouts, int step) {
  change_sums sums;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const double way = double{reference[i]} - double{initial[i]},
                 other = double{on_other_rollouts[i]} - double{initial[i]};
    sums.take({way, way, way, way, other});
  }
  return {"additivity",     both_meanings.front().reference(), step, {}, "", "",
          "change.weights", sums.relative_change(4),           {}};
}

std::vector<metric_row> trained_rows(const std::vector<float>& initial,
                                     const std::vector<trained_weights>& arms, int step) {
  std::map<std::string, std::span<const float>> by_name;
  for (const trained_weights& a : arms) by_name[a.arm] = a.weights;
  std::vector<metric_row> rows;
  append_rows_of(
      "weights", step, initial.size(), by_name,
      [&](std::span<const float> w, std::size_t i) { return double{w[i]} - double{initial[i]}; },
      rows);
  return rows;
}

}  // namespace sim
