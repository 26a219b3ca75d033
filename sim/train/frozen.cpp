// SPDX-License-Identifier: Apache-2.0
// sim/train/frozen.cpp: replayed rollouts, exact divergences, gradients by pass and layer.
#include "sim/train/frozen.h"

#include <algorithm>

#include "sim/task/random_streams.h"
#include "sim/train/distribution_sums.h"
#include "sim/train/evaluation.h"
#include "sim/train/gradient_bias.h"
#include "sim/train/gradient_comparison.h"
#include "sim/train/grpo.h"
#include "sim/train/kl_matrix.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/rewards.h"
#include "sim/train/shared_rollouts.h"
#include "sim/train/warm_up.h"

namespace sim {

namespace {

std::vector<sequence> frozen_rollouts(const setting& s, const forward_weights& weights, int batch) {
  const grpo_constants& c = s.constants.grpo;
  const pass_products fp32;
  std::vector<sequence> result;
  for (rollout& r :
       shared_responses(s, fp32, weights, s.prompts(stream::frozen_prompts, batch, c.prompts),
                        s.sampled(decoding::sampled, c.samples, stream::frozen_samples, batch))) {
    result.push_back(std::move(r.tokens));
  }
  return result;
}

/// Counters of batches at frozen weights in streams of training: beyond those of its steps.
constexpr int first_frozen_step = 0x800000;

/// Batch b, with the advantage of each sequence.
void add_batch(const setting& s, const forward_weights& weights, int b, frozen_reference& r) {
  r.batches.push_back(frozen_batch(s, weights, b));
  const std::vector<sequence>& batch = r.batches.back();
  if (s.constants.measurement.frozen_tokens == frozen_tokens::demonstrations) {
    r.advantage.emplace_back(batch.size(), 1.0F);
    r.share.emplace_back(batch.size(), token_share(batch));
    return;
  }
  const grpo_constants& c = s.constants.grpo;
  std::vector<float> rewards;
  for (const sequence& q : batch) rewards.push_back(reward_of(s, q));
  r.advantage.push_back(advantages(rewards, c));
  r.share.push_back(token_shares(batch, c.aggregation, response_limit(s.constants.task)));
}

}  // namespace

std::vector<sequence> frozen_batch(const setting& s, const forward_weights& fp32, int b) {
  return s.constants.measurement.frozen_tokens == frozen_tokens::demonstrations
             ? demonstrations(s, first_frozen_step + b)
             : frozen_rollouts(s, fp32, b);
}

std::vector<float> frozen_noise(const setting& s, std::size_t batch) {
  return norm_noise(s.table, s.constants.seed, first_frozen_step + static_cast<int>(batch),
                    s.constants.noise.frozen_sigma);
}

frozen_reference make_reference(const setting& s, std::vector<float> weights) {
  frozen_reference r;
  r.weights = std::move(weights);
  const forward_weights forward = prepare_forward(s.table, r.weights, {});
  const backward_weights backward = prepare_backward(s.table, r.weights, {});
  gradient_computer gradient(s);
  for (int b = 0; b < s.constants.measurement.frozen_batches; ++b) {
    add_batch(s, forward, b, r);
    const std::vector<sequence>& batch = r.batches.back();
    r.gradients.push_back(gradient(
        {}, forward, backward, batch,
        [&](int i, int, const token_outcome&) { return r.weight_of(r.share.size() - 1, i); }));
    r.log_distributions.push_back(gradient.scored().log_distributions);
  }
  return r;
}

namespace {

/// Sum of `value` over all batches but `left_out`.
template <class Sum, class Value>
double sum_without(const std::vector<Sum>& batches, std::size_t left_out, const Value& value) {
  double sum = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (b != left_out) sum += value(batches[b]);
  }
  return sum;
}

class cell_measurer {
 public:
  cell_measurer(const setting& s, const frozen_reference& reference, const arm& a, int factor,
                gradient_detail detail)
      : s_(s),
        reference_(reference),
        arm_(a),
        factor_(factor),
        detail_(detail),
        weights_(reference.weights),
        pass_(s.table, s.rope, micro_batch_of(s.constants), s.constants.run.kept) {
    insert_outliers(s.table, s.constants.outliers, factor, weights_);
  }

  cell_figures run() {
    measure_divergence();
    measure_gradients();
    measure_accuracy("accuracy_greedy", decoding::greedy);
    measure_accuracy("accuracy_sampled", decoding::sampled);
    figures_.merge(kl_matrix(s_, reference_, arm_, weights_));
    return std::move(figures_);
  }

 private:
  void measure_divergence() {
    std::vector<distribution_sums> batches;
    for (std::size_t b = 0; b < reference_.batches.size(); ++b) batches.push_back(divergence_of(b));
    const auto mean = [](double distribution_sums::*figure) {
      return [figure](const std::vector<distribution_sums>& all, std::size_t out) {
        return sum_without(all, out, [&](const distribution_sums& b) { return b.*figure; }) /
               sum_without(all, out, [](const distribution_sums& b) { return b.tokens; });
      };
    };
    figures_[{"kl", "", ""}] = replicate(batches, mean(&distribution_sums::kl));
    figures_[{"entropy", "", ""}] = replicate(batches, mean(&distribution_sums::entropy));
  }

  distribution_sums divergence_of(std::size_t batch) {
    const pass_products products = at_batch(batch).of(pass::rollout);
    const std::vector<float> noise =
        arm_.noise == rollout_noise::adaptive ? frozen_noise(s_, batch) : std::vector<float>{};
    const forward_weights forward = prepare_forward(s_.table, weights_, products, noise);
    pass_.take(reference_.batches[batch]);
    pass_.forward(forward, products);
    return distributions_beside(pass_, s_.table.shape().vocabulary,
                                reference_.log_distributions[batch]);
  }

  void measure_accuracy(const std::string& metric, decoding how) {
    const int slices = static_cast<int>(reference_.batches.size());
    const step_arithmetic formats = s_.at_step(arm_.formats, stream::evaluation_operands, 0);
    const std::vector<slice_answers> answers =
        answers_by_slice(s_, formats.of(pass::rollout), weights_, how, slices);
    figures_[{metric, "", ""}] =
        replicate(answers, [](const std::vector<slice_answers>& all, std::size_t out) {
          return sum_without(all, out, [](const slice_answers& a) { return a.right; }) /
                 sum_without(all, out, [](const slice_answers& a) { return a.all; });
        });
  }

  void measure_gradients() {
    plain_forward_ = prepare_forward(s_.table, weights_, {});
    plain_backward_ = prepare_backward(s_.table, weights_, {});
    std::map<gradient_passes, std::vector<std::vector<float>>> by_passes;
    for (std::size_t b = 0; b < reference_.batches.size(); ++b) {
      for (auto& [passes, gradient] : gradients_of(b)) {
        by_passes[passes].push_back(std::move(gradient));
      }
    }
    for (const auto& [passes, batches] : by_passes) compare_gradients(passes, batches);
  }

  using gradient_set = std::map<gradient_passes, std::vector<float>>;

  gradient_set gradients_of(std::size_t batch) {
    gradient_set result;
    pass_.take(reference_.batches[batch]);
    for_each_restriction(
        s_, at_batch(batch), {weights_, plain_forward_, plain_backward_}, detail_, pass_,
        [&](const restricted_pass& r) {
          result[r.passes] = pass_.gradient(
              r.forward, r.backward, r.formats,
              [&](int i, int, const token_outcome&) { return reference_.weight_of(batch, i); });
        });
    for (auto& [p, gradient] : result) {
      gradient_without_outliers(s_.table, s_.constants.outliers, factor_, gradient);
    }
    return result;
  }

  [[nodiscard]] step_arithmetic at_batch(std::size_t batch) const {
    return s_.at_step(arm_.formats, stream::frozen_operands, static_cast<int>(batch));
  }
  /// Figures over parameters, of the whole policy and of each layer.
  template <class Comparison, class Note>
  void compare_parts(const Comparison& comparison, const Note& note) {
    const parameter& embedding = s_.table.embedding();
    auto whole = comparison.over(embedding.offset, embedding.offset + embedding.count());
    for (int i = 0; i < s_.table.shape().layers; ++i) {
      const std::ptrdiff_t first = s_.table.first_of_layer(i);
      const auto share = comparison.over(first, first + s_.table.count_of_layer());
      if (detail_ == gradient_detail::full) note(std::to_string(i), share);
      whole += share;
    }
    whole += comparison.over(s_.table.final_norm().offset, s_.table.count());
    note("all", whole);
  }

  void compare_gradients(gradient_passes passes, const std::vector<std::vector<float>>& gradients) {
    compare_parts(gradient_comparison(gradients, reference_.gradients),
                  [&](const std::string& layer, const gradient_comparison::share& share) {
                    figures_[{"gradient_cosine", name_of(passes), layer}] = share.cosine();
                    figures_[{"gradient_projection", name_of(passes), layer}] = share.projection();
                    figures_[{"gradient_log2_norm", name_of(passes), layer}] = share.log2_norm();
                  });
    compare_parts(gradient_bias(gradients, reference_.gradients),
                  [&](const std::string& layer, const gradient_bias::share& share) {
                    const auto note = [&](const char* metric, std::optional<replicated> figure) {
                      if (figure) figures_[{metric, name_of(passes), layer}] = std::move(*figure);
                    };
                    note("gradient_bias_squared", share.bias_squared());
                    note("gradient_error_variance", share.error_variance());
                  });
  }

  const setting& s_;
  const frozen_reference& reference_;
  const arm& arm_;
  int factor_;
  gradient_detail detail_;
  std::vector<float> weights_;
  batch_pass pass_;
  forward_weights plain_forward_;
  backward_weights plain_backward_;
  cell_figures figures_;
};

}  // namespace

cell_figures measure_cell(const setting& s, const frozen_reference& reference, const arm& a,
                          int factor, gradient_detail detail) {
  return cell_measurer(s, reference, a, factor, detail).run();
}

std::vector<metric_row> rows_of(const std::string& arm, int factor, const cell_figures& figures) {
  std::vector<metric_row> rows;
  for (const auto& [key, figure] : figures) {
    const estimate e = jackknife(figure);
    rows.push_back({"frozen", arm, std::nullopt, factor, key.passes, key.layer, key.metric, e.value,
                    e.standard_error});
  }
  return rows;
}

}  // namespace sim
