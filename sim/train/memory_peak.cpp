// SPDX-License-Identifier: Apache-2.0
// sim/train/memory_peak.cpp: see memory_peak.h.
#include "sim/train/memory_peak.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "sim/train/additivity.h"
#include "sim/train/trainer.h"

namespace sim {
namespace {

double round_up(double count, double step) { return std::ceil(count / step) * step; }

/// A batch of sequences of the task's greatest length.
struct batch_size {
  double sequences, length, responses;

  [[nodiscard]] double rows() const { return sequences * length; }
  [[nodiscard]] double response_rows() const { return sequences * responses; }
};

/// Counts bytes of one arm's work.
class arm_memory {
 public:
  arm_memory(const study& s, const arm& a, int threads)
      : s_(s),
        arm_(a),
        table_(s.policy),
        threads_(threads),
        length_(prompt_length(s.task) + response_limit(s.task)) {}

  [[nodiscard]] double vector() const { return bytes(static_cast<double>(table_.count())); }

  [[nodiscard]] batch_size batch(double sequences) const {
    return {sequences, length_, static_cast<double>(response_limit(s_.task))};
  }
  [[nodiscard]] double grpo_sequences() const {
    return static_cast<double>(s_.grpo.prompts) * s_.grpo.samples;
  }
  [[nodiscard]] double distributions(const batch_size& b) const {
    return bytes(b.response_rows() * s_.policy.vocabulary);
  }

  /// What batch_pass holds between its calls.
  [[nodiscard]] double rows(const batch_size& b) const {
    const policy_shape& p = s_.policy;
    const double part = part_rows(b), keeps_inputs = s_.run.kept == kept_rows::inputs ? 1 : 0;
    const double layers = keeps_inputs > 0 ? part : p.layers * b.rows();
    return bytes((p.layers + 2.0) * b.rows() * p.width + layers * row_of_layer() +
                 b.response_rows() * p.width + part * (row_of_workspace() + row_of_operands()));
  }

  /// Forward and backward pass of a layer, or of the head, with the tree of its gradients.
  [[nodiscard]] double layer_at_a_time(const batch_size& b) const {
    const double leaves = std::bit_width(static_cast<unsigned>(b.sequences));
    const double layer = bytes(layer_parameters() * (2 + leaves));
    return std::max(layer, head() + bytes(layer_parameters() * leaves)) + scratch(b);
  }
  /// Every layer at once, and caches of the prompts in work.
  [[nodiscard]] double sampling(double sequences, int samples) const {
    const policy_shape& p = s_.policy;
    const double rows = std::max(1, 64 / samples) * double(samples);
    const double span = round_up(length_, 16);
    const double cache = p.layers * p.kv_heads * 2.0 * span * p.head_width;
    const double groups = std::min<double>(threads_, std::ceil(sequences / rows));
    const double row = row_of_layer() + 2.0 * p.width + p.vocabulary + cache * (1 + 1.0 / samples);
    return bytes(p.layers * layer_parameters()) + head() + massive_embedding() +
           bytes(groups * std::min(rows, sequences) * row);
  }

  /// The distributions of an update's other policies.
  [[nodiscard]] double further_distributions(const batch_size& b) const {
    const grpo_constants& g = s_.grpo;
    const bool old = g.minibatches > 1 || arm_.correction == mismatch::sequence_mask;
    const bool exact = g.kl_coefficient > 0 && g.kl_estimator == kl_estimator::exact;
    return distributions(b) * ((old ? 1 : 0) + (g.kl_coefficient > 0 ? 1 : 0) + (exact ? 1 : 0));
  }

 private:
  [[nodiscard]] static double bytes(double numbers) { return numbers * sizeof(float); }
  [[nodiscard]] double layer_parameters() const {
    return static_cast<double>(table_.count_of_layer());
  }
  [[nodiscard]] double head() const {
    return bytes(s_.policy.width * round_up(s_.policy.vocabulary, 64));
  }
  [[nodiscard]] double massive_embedding() const {
    return s_.policy.outliers.massive_channels.empty()
               ? 0
               : bytes(static_cast<double>(table_.embedding().count()));
  }
  [[nodiscard]] double part_rows(const batch_size& b) const {
    return std::min<double>(b.sequences, micro_batch_of(s_)) * b.length;
  }
  /// Numbers of a token in layer_storage.
  [[nodiscard]] double row_of_layer() const {
    const policy_shape& p = s_.policy;
    const double queries = table_.query_width(), keys = table_.key_width();
    const double slots = p.parts_a_token();
    const double mixture = p.has_experts() ? slots * (2 + p.width) + p.experts.count : 0;
    return 2 + 3.0 * p.width + 3 * queries + 3 * keys + p.heads + p.kv_heads +
           slots * 3.0 * p.hidden + mixture;
  }
  [[nodiscard]] double row_of_workspace() const {
    const policy_shape& p = s_.policy;
    const double slots = p.parts_a_token(), router = p.has_experts() ? p.experts.count : 0;
    return table_.query_width() + 2.0 * table_.key_width() + p.width + router +
           slots * (p.width + 2.0 * p.hidden) + copies_of_row();
  }
  /// Of wgrad's operands that are quantized.
  [[nodiscard]] double row_of_operands() const {
    const auto is_changed = [](const mx::operand& f) {
      return f.numbers == mx::operand_numbers::fp32 ? 0.0 : 1.0;
    };
    const pass_format& f = arm_.formats.wgrad;
    const policy_shape& p = s_.policy;
    const double slots = p.parts_a_token();
    return is_changed(f.data) * (table_.query_width() + 2.0 * table_.key_width() + p.width +
                                 slots * (p.width + 2.0 * p.hidden)) +
           is_changed(f.other) * (p.width + table_.query_width() + slots * (p.width + p.hidden));
  }
  /// Of wgrad's operands of experts: X of gate and of down, dY of gate, up and down.
  [[nodiscard]] double copies_of_row() const {
    const policy_shape& p = s_.policy;
    if (!p.has_experts()) return 0;
    return p.experts.chosen * (2.0 * p.width + 5.0 * p.hidden);
  }
  [[nodiscard]] double row_of_scratch() const {
    const policy_shape& p = s_.policy;
    const double slots = p.has_experts() ? p.experts.chosen * double(p.width) : 0;
    return p.hidden + 3.0 * p.width + slots;
  }
  /// Of the tasks that run at once.
  [[nodiscard]] double scratch(const batch_size& b) const {
    const double group = std::min<double>(8, b.sequences);
    const double tasks = std::min<double>(threads_, std::ceil(b.sequences / 8));
    const double part =
        std::min<double>(group * b.responses, std::max(32, (1 << 20) / s_.policy.vocabulary));
    return bytes(tasks *
                 std::max(part * s_.policy.vocabulary, group * b.length * row_of_scratch()));
  }

  const study& s_;
  const arm& arm_;
  parameter_table table_;
  int threads_;
  double length_;
};

/// Training step of an arm: its state, and the larger of what rollouts and updates need.
std::vector<memory_part> step_parts(const study& s, const arm_memory& m) {
  const batch_size b = m.batch(m.grpo_sequences());
  const double pass = m.vector() + m.layer_at_a_time(b) + m.further_distributions(b);
  const bool moments = s.grpo.optimizer != optimizer_kind::sgd;
  std::vector<memory_part> parts{{"weights and moments", m.vector() * (moments ? 3 : 1)},
                                 {"activations", m.rows(b)},
                                 {"distributions of tokens", 2 * m.distributions(b)}};
  const double sampling = m.sampling(b.sequences, s.grpo.samples);
  if (pass > sampling) {
    parts.push_back({"gradient", m.vector()});
    parts.push_back({"a layer's weights and gradients", pass - m.vector()});
  } else {
    parts.push_back({"quantized weights and caches of rollouts", sampling});
  }
  if (s.grpo.minibatches > 1) parts.push_back({"state before the updates", m.vector() * 3});
  return parts;
}

double sum_of(const std::vector<memory_part>& parts) {
  double sum = 0;
  for (const memory_part& p : parts) sum += p.bytes;
  return sum;
}

memory_peak warm_up_peak(const study& s, int threads) {
  const arm_memory m(s, s.arms.front(), threads);
  const batch_size b = m.batch(s.warm_up.sequences);
  return {"warm-up",
          {{"weights and moments", m.vector() * 3},
           {"gradient", m.vector()},
           {"activations", m.rows(b)},
           {"distributions of tokens", m.distributions(b)},
           {"a layer's weights and gradients", m.layer_at_a_time(b)}}};
}

/// Gradients of all batches are compared with each other.
memory_peak frozen_peak(const study& s, int threads) {
  const arm_memory m(s, s.arms.front(), threads);
  const bool demonstrations = s.measurement.frozen_tokens == frozen_tokens::demonstrations;
  const batch_size b = m.batch(demonstrations ? s.warm_up.sequences : m.grpo_sequences());
  const double batches = s.measurement.frozen_batches;
  const std::size_t cells = s.arms.size() * s.outliers.factors.size();
  const double at_once = std::min<double>(threads, static_cast<double>(cells));
  // Five sets of passes, and their differences from the reference one set at a time.
  const double own = m.vector() * (1 + 6 * batches);
  return {"frozen weights",
          {{"weights", m.vector() * 2},
           {"gradients of the reference", m.vector() * batches},
           {"distributions of tokens", m.distributions(b) * (batches + at_once * 2)},
           {"gradients of cells", own * at_once},
           {"activations", m.rows(b) * at_once},
           {"a layer's weights and gradients", m.layer_at_a_time(b) * at_once}}};
}

/// Weights and gradient of each arm that additivity is defined by, and the state to start from.
double additivity_bytes(const study& s, const arm_memory& m) {
  if (s.measurement.additivity_steps.empty() || !has_additivity(s)) return 0;
  const double arms = static_cast<double>(compared_arms(s).size());
  return m.vector() * (3 + 2 * arms + 2);
}

memory_peak training_peak(const study& s, int threads) {
  std::vector<std::vector<memory_part>> steps;
  for (const arm& a : s.arms) {
    if (a.training == arm_training::none) continue;
    steps.push_back(step_parts(s, {s, a, threads}));
  }
  const arm_memory first(s, s.arms.front(), threads);
  std::ranges::sort(steps, std::greater(), sum_of);
  const auto at_once = std::min(steps.size(), static_cast<std::size_t>(threads));
  memory_peak peak{"training", {{"weights of the warm-up", first.vector()}}};
  const double finished = static_cast<double>(steps.size() - at_once);
  if (finished > 0) peak.parts.push_back({"weights of finished arms", finished * first.vector()});
  for (std::size_t i = 0; i < at_once; ++i) {
    for (const memory_part& part : steps[i]) {
      const auto known = std::ranges::find(peak.parts, part.what, &memory_part::what);
      if (known == peak.parts.end()) {
        peak.parts.push_back(part);
      } else {
        known->bytes += part.bytes;
      }
    }
  }
  const double replays = additivity_bytes(s, first);
  if (replays > 0) peak.parts.push_back({"replayed steps of additivity", replays});
  return peak;
}

}  // namespace

double memory_peak::bytes() const noexcept { return sum_of(parts); }

memory_peak step_peak(const study& s, const arm& a, int threads) {
  return {"training", step_parts(s, {s, a, threads})};
}

std::vector<memory_peak> memory_peaks(const study& s, int threads) {
  std::vector<memory_peak> peaks;
  if (s.warm_up.steps > 0) peaks.push_back(warm_up_peak(s, threads));
  if (!s.outliers.factors.empty()) peaks.push_back(frozen_peak(s, threads));
  peaks.push_back(training_peak(s, threads));
  return peaks;
}

memory_peak highest_peak(const study& s, int threads) {
  const std::vector<memory_peak> peaks = memory_peaks(s, threads);
  return *std::ranges::max_element(peaks, {}, &memory_peak::bytes);
}

}  // namespace sim
