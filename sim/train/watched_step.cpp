// SPDX-License-Identifier: Apache-2.0
// sim/train/watched_step.cpp: see watched_step.h.
#include "sim/train/watched_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/ranks/packed_values.h"
#include "sim/report/divergences.h"
#include "sim/train/evaluation.h"

namespace sim {
namespace {

/// A norm's mean square, from 1 / sqrt(it + epsilon), where it is not finite.
std::optional<double> mean_square_outside(const std::vector<float>& inverse_rms) {
  for (const float r : inverse_rms) {
    if (r == 0) return std::numeric_limits<double>::infinity();
    if (std::isnan(r)) return double{r};
  }
  return {};
}

std::optional<double> not_finite_in(const std::vector<float>& values) {
  const auto found = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
  return found == values.end() ? std::nullopt : std::optional(double{*found});
}

/// "model.layers.0.input_layernorm.mean_square" of that norm's weight.
std::string mean_square_of(const parameter& norm) {
  return norm.name.substr(0, norm.name.rfind('.')) + ".mean_square";
}

void expect_finite(const rollout_step& step, double loss) {
  for (const rollout& r : step.rollouts) {
    if (const auto v = not_finite_in(r.log_probability)) {
      throw divergence("rollout", "log_probability", *v);
    }
  }
  if (!std::isfinite(loss)) throw divergence("forward", "loss", loss);
}

}  // namespace

forward_watch::forward_watch(const parameter_table& table, gradient_computer& gradient)
    : table_(table), gradient_(gradient) {
  gradient_.watch([this](const decoder& d, int layer) { look_at(d, layer); });
}

void forward_watch::note(int place, const std::string& tensor, double value) {
  if (found_ && place_ <= place) return;
  place_ = place;
  found_.emplace("forward", tensor, value);
}

void forward_watch::look_at(const decoder& d, int layer) {
  constexpr int norms = 4;
  int place = layer * norms;
  const auto look = [&](const parameter& norm, const std::vector<float>& inverse_rms) {
    if (const auto v = mean_square_outside(inverse_rms)) note(place, mean_square_of(norm), *v);
    ++place;
  };
  if (layer == table_.shape().layers) {
    look(table_.final_norm(), d.final_inverse_rms());
    if (const auto v = d.unbounded_logit()) note(place, "logits", double{*v});
    return;
  }
  const layer_parameters& p = table_.layer(layer);
  const layer_storage& rows = d.rows_of_layer(layer);
  look(p.input_norm, rows.x_inverse_rms);
  // Without values where the family has no such norms.
  look(p.q_norm, rows.q_inverse_rms);
  look(p.k_norm, rows.k_inverse_rms);
  look(p.post_norm, rows.middle_inverse_rms);
}

void forward_watch::exchange(const rank_group& ranks) {
  if (ranks.size() == 1) return;
  packed_values mine;
  if (found_) {
    mine.put(std::span(&place_, 1));
    mine.put(std::span(&found_->value, 1));
    mine.put(found_->tensor);
  }
  found_.reset();
  for (const std::string& bytes : ranks.gather(mine.bytes())) {
    if (bytes.empty()) continue;
    unpacked_values of_rank(bytes);
    const int place = of_rank.take<int>().front();
    const double value = of_rank.take<double>().front();
    const std::vector<char> tensor = of_rank.take<char>();
    note(place, {tensor.begin(), tensor.end()}, value);
  }
}

std::variant<rollout_step, divergence> watched_step(const setting& s, const arm& a,
                                                    gradient_computer& gradient,
                                                    training_state& state) {
  // The first update fails before it changes the state; only later ones need what was before.
  std::optional<training_state> before;
  if (s.constants.grpo.minibatches > 1) before = state;
  forward_watch watch(s.table, gradient);
  std::optional<divergence> later;
  try {
    return grpo_step(s, a, gradient, state, [&](const rollout_step& batch, double loss) {
      watch.exchange(s.ranks);
      if (watch.found()) throw *watch.found();
      expect_finite(batch, loss);
    });
  } catch (const divergence& d) {
    later = d;
  }
  watch.exchange(s.ranks);
  if (before) state = std::move(*before);
  return watch.found() ? *watch.found() : *later;
}

bool has_diverged(const std::vector<metric_row>& rows) {
  return std::ranges::find(rows, diverged_metric, &metric_row::metric) != rows.end();
}

metric_row diverged_row(const std::string& arm, int step, const divergence& why) {
  return {"train", arm, step, {}, why.pass, why.tensor, diverged_metric, why.value, {}};
}

std::vector<metric_row> rows_after_divergence(const setting& s, const arm& a,
                                              const std::vector<metric_row>& rows, int last_step) {
  const auto mark = std::ranges::find(rows, diverged_metric, &metric_row::metric);
  if (mark == rows.end()) return {};
  long long first = *mark->step;
  for (auto row = mark + 1; row != rows.end(); ++row) first = std::max(first, *row->step + 1);
  std::vector<metric_row> result;
  for (auto step = static_cast<int>(first); step <= last_step; ++step) {
    result.push_back({"train", a.name, step, {}, "", "", "reward", 0, {}});
    const auto evaluated = evaluation_rows(s, a, {{}, {}, step});
    result.insert(result.end(), evaluated.begin(), evaluated.end());
  }
  return result;
}

}  // namespace sim
