// SPDX-License-Identifier: Apache-2.0
// sim/train/frozen.cpp: replayed rollouts, exact divergences, gradients by pass and layer.
#include "sim/train/frozen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/policy/row_functions.h"
#include "sim/task/random_streams.h"
#include "sim/train/grpo.h"

namespace sim {

const char* name_of(gradient_passes p) noexcept {
  constexpr std::array<const char*, 5> names{"all", "forward", "dgrad", "wgrad", "backward"};
  return names[static_cast<std::size_t>(p)];
}

arithmetic restricted(const arithmetic& formats, gradient_passes passes) {
  arithmetic result;
  const bool all = passes == gradient_passes::all, backward = passes == gradient_passes::backward;
  if (all || passes == gradient_passes::forward) result.forward = formats.forward;
  if (all || backward || passes == gradient_passes::dgrad) result.dgrad = formats.dgrad;
  if (all || backward || passes == gradient_passes::wgrad) result.wgrad = formats.wgrad;
  return result;
}

namespace {

float share_of(std::span<const sequence> batch) {
  int count = 0;
  for (const sequence& s : batch) count += s.response();
  return 1.0F / static_cast<float>(count);
}

/// Distributions of all response tokens of the micro-batch a decoder holds.
void append_distributions(const decoder& d, std::span<const sequence> batch, int vocabulary,
                          std::vector<float>& out) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (int t = 0; t < batch[i].response(); ++t) {
      const float* log_p = d.log_distribution(static_cast<int>(i), t);
      out.insert(out.end(), log_p, log_p + vocabulary);
    }
  }
}

/// The batch in micro-batches: `work(micro-batch, index of its first sequence)`.
void for_each_micro_batch(const setting& s, std::span<const sequence> batch,
                          const std::function<void(std::span<const sequence>, int)>& work) {
  const auto step = static_cast<std::size_t>(micro_batch_of(s.constants));
  for (std::size_t first = 0; first < batch.size(); first += step) {
    work(batch.subspan(first, std::min(step, batch.size() - first)), static_cast<int>(first));
  }
}

std::vector<sequence> frozen_rollouts(const setting& s, const forward_weights& weights, int batch) {
  const study& c = s.constants;
  std::vector<sequence> prompts, result;
  for (int i = 0; i < c.grpo.prompts; ++i) {
    prompts.push_back(s.task.prompt(c.seed, counter_word(stream::frozen_prompts, batch),
                                    static_cast<std::uint32_t>(i)));
  }
  const mx::operand_format fp32;
  for (rollout& r :
       sample_responses(s.context(fp32), weights, prompts,
                        {decoding::sampled, c.grpo.samples, c.seed,
                         counter_word(stream::frozen_samples, batch), s.task.response_length()})) {
    result.push_back(std::move(r.tokens));
  }
  return result;
}

}  // namespace

frozen_reference make_reference(const setting& s, std::vector<float> weights) {
  const grpo_constants& constants = s.constants.grpo;
  frozen_reference r;
  r.weights = std::move(weights);
  const forward_weights forward = prepare_forward(s.table, r.weights, {});
  const backward_weights backward = prepare_backward(s.table, r.weights, {});
  gradient_computer gradient(s);
  decoder distributions(s.table, s.rope);
  for (int b = 0; b < s.constants.measurement.frozen_batches; ++b) {
    r.batches.push_back(frozen_rollouts(s, forward, b));
    const std::vector<sequence>& batch = r.batches.back();
    std::vector<float> rewards;
    for (const sequence& q : batch) rewards.push_back(s.task.solved(q) ? 1.0F : 0.0F);
    r.advantage.push_back(advantages(rewards, constants.samples, constants.advantage_epsilon));
    const std::vector<float>& advantage = r.advantage.back();
    const float share = share_of(batch);
    r.gradients.push_back(
        gradient({}, forward, backward, batch, [&](int i, int, const token_outcome&) {
          return share * advantage[static_cast<std::size_t>(i)];
        }));
    r.log_distributions.emplace_back();
    for_each_micro_batch(s, batch, [&](std::span<const sequence> part, int) {
      distributions.take(part);
      distributions.forward(forward, {});
      append_distributions(distributions, part, s.table.shape().vocabulary,
                           r.log_distributions.back());
    });
  }
  return r;
}

namespace {

/// Sums over the response tokens of one batch.
struct divergence_sum {
  double kl = 0, entropy = 0;
  int tokens = 0;
};

/// A figure that is a quotient of sums over batches, with and without each batch.
template <class Sum, class Quotient>
replicated replicate(const std::vector<Sum>& batches, const Quotient& quotient) {
  replicated result;
  result.full = quotient(batches, batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    result.without.push_back(quotient(batches, b));
  }
  return result;
}

/// sum over all batches but `left_out` of what `value` gives.
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
        decoder_(s.table, s.rope) {
    insert_outliers(s.table, s.constants.outliers, factor, weights_);
  }

  cell_figures run() {
    measure_divergence();
    measure_gradients();
    measure_accuracy("accuracy_greedy", decoding::greedy);
    measure_accuracy("accuracy_sampled", decoding::sampled);
    return std::move(figures_);
  }

 private:
  void measure_divergence();
  divergence_sum divergence_of(std::size_t batch);
  void measure_accuracy(const std::string& metric, decoding how);
  void measure_gradients();
  using gradient_set = std::map<gradient_passes, std::vector<float>>;
  gradient_set gradients_of(std::size_t batch);
  void add_gradients(const std::vector<gradient_passes>& passes, const forward_weights& forward,
                     const mx::operand_format& data, std::size_t batch, int first,
                     std::map<gradient_passes, gradient_tree>& trees);
  void compare_gradients(gradient_passes passes, const std::vector<std::vector<float>>& gradients);

  const setting& s_;
  const frozen_reference& reference_;
  const arm& arm_;
  int factor_;
  gradient_detail detail_;
  std::vector<float> weights_;
  decoder decoder_;
  struct {
    forward_weights forward, plain_forward;
    backward_weights backward, plain_backward;
  } weights_of_;
  cell_figures figures_;
};

/// A fresh noise for every batch, from counters behind those of training.
std::vector<float> frozen_noise(const setting& s, std::size_t batch) {
  return norm_noise(s.table, s.constants.seed, 0x800000 + static_cast<int>(batch),
                    s.constants.noise.frozen_sigma);
}

divergence_sum cell_measurer::divergence_of(std::size_t batch) {
  const int vocabulary = s_.table.shape().vocabulary;
  const pass_format& format = arm_.formats.rollout;
  const std::vector<float> noise =
      arm_.noise == rollout_noise::adaptive ? frozen_noise(s_, batch) : std::vector<float>{};
  const forward_weights forward = prepare_forward(s_.table, weights_, format.other, noise);
  std::vector<float> log_p;
  divergence_sum sum;
  for_each_micro_batch(s_, reference_.batches[batch], [&](std::span<const sequence> part, int) {
    decoder_.take(part);
    decoder_.forward(forward, format.data);
    append_distributions(decoder_, part, vocabulary, log_p);
    for (const token_outcome& t : decoder_.outcomes()) sum.entropy += double{t.entropy};
  });
  std::vector<float> p(static_cast<std::size_t>(vocabulary));
  const float* log_q = reference_.log_distributions[batch].data();
  for (std::size_t at = 0; at < log_p.size(); at += static_cast<std::size_t>(vocabulary)) {
    exponential(vocabulary, log_p.data() + at, p.data());
    sum.kl += double{relative_entropy(vocabulary, p.data(), log_p.data() + at, log_q + at)};
    ++sum.tokens;
  }
  return sum;
}

void cell_measurer::measure_divergence() {
  std::vector<divergence_sum> batches;
  for (std::size_t b = 0; b < reference_.batches.size(); ++b) batches.push_back(divergence_of(b));
  const auto mean = [](double divergence_sum::*figure) {
    return [figure](const std::vector<divergence_sum>& all, std::size_t out) {
      return sum_without(all, out, [&](const divergence_sum& b) { return b.*figure; }) /
             sum_without(all, out, [](const divergence_sum& b) { return double(b.tokens); });
    };
  };
  figures_[{"kl", "", ""}] = replicate(batches, mean(&divergence_sum::kl));
  figures_[{"entropy", "", ""}] = replicate(batches, mean(&divergence_sum::entropy));
}

void cell_measurer::measure_accuracy(const std::string& metric, decoding how) {
  const int problems = s_.constants.measurement.evaluation_problems;
  const int slices = static_cast<int>(reference_.batches.size());
  const int slice = (problems + slices - 1) / slices;
  const std::vector<int> right = right_answers(s_, arm_.formats.rollout, weights_, how, slice);
  std::vector<std::pair<double, double>> counts;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const int begin = static_cast<int>(i) * slice;
    counts.emplace_back(right[i], std::min(slice, problems - begin));
  }
  figures_[{metric, "", ""}] =
      replicate(counts, [](const std::vector<std::pair<double, double>>& all, std::size_t out) {
        return sum_without(all, out, [](const auto& c) { return c.first; }) /
               sum_without(all, out, [](const auto& c) { return c.second; });
      });
}

cell_measurer::gradient_set cell_measurer::gradients_of(std::size_t batch) {
  using enum gradient_passes;
  const bool full = detail_ == gradient_detail::full;
  const std::vector<gradient_passes> quantized_forward =
      full ? std::vector{forward, all} : std::vector{all};
  const std::vector<gradient_passes> plain_forward =
      full ? std::vector{dgrad, wgrad, backward} : std::vector<gradient_passes>{};
  const std::vector<sequence>& sequences = reference_.batches[batch];
  std::map<gradient_passes, gradient_tree> trees;
  for (const auto* passes : {&quantized_forward, &plain_forward}) {
    for (const gradient_passes p : *passes) {
      trees.try_emplace(p, s_.table.count(), static_cast<int>(sequences.size()));
    }
  }
  for_each_micro_batch(s_, sequences, [&](std::span<const sequence> part, int first) {
    decoder_.take(part);
    add_gradients(quantized_forward, weights_of_.forward, arm_.formats.forward.data, batch, first,
                  trees);
    if (full) add_gradients(plain_forward, weights_of_.plain_forward, {}, batch, first, trees);
  });
  gradient_set result;
  for (const auto& [p, tree] : trees) {
    result[p] = tree.total();
    gradient_without_outliers(s_.table, s_.constants.outliers, factor_, result[p]);
  }
  return result;
}

/// Restrictions that have the forward pass in common. Those that quantize X come last: X stays
/// quantized where it lies.
void cell_measurer::add_gradients(const std::vector<gradient_passes>& passes,
                                  const forward_weights& forward, const mx::operand_format& data,
                                  std::size_t batch, int first,
                                  std::map<gradient_passes, gradient_tree>& trees) {
  const std::vector<float>& advantage = reference_.advantage[batch];
  const float share = share_of(reference_.batches[batch]);
  decoder_.forward(forward, data);
  for (const gradient_passes p : passes) {
    const arithmetic formats = restricted(arm_.formats, p);
    const bool quantized = formats.dgrad == arm_.formats.dgrad;
    decoder_.backward(forward, quantized ? weights_of_.backward : weights_of_.plain_backward,
                      formats.dgrad.data, [&](int s, int, const token_outcome&) {
                        return share * advantage[static_cast<std::size_t>(first + s)];
                      });
    decoder_.add_weight_gradients(formats.wgrad, trees.at(p));
  }
}

void cell_measurer::measure_gradients() {
  const mx::operand_format fp32;
  weights_of_ = {prepare_forward(s_.table, weights_, arm_.formats.forward.other),
                 prepare_forward(s_.table, weights_, fp32),
                 prepare_backward(s_.table, weights_, arm_.formats.dgrad.other),
                 prepare_backward(s_.table, weights_, fp32)};
  std::map<gradient_passes, std::vector<std::vector<float>>> by_passes;
  for (std::size_t b = 0; b < reference_.batches.size(); ++b) {
    for (auto& [passes, gradient] : gradients_of(b)) {
      by_passes[passes].push_back(std::move(gradient));
    }
  }
  for (const auto& [passes, batches] : by_passes) compare_gradients(passes, batches);
}

/// Sum of products in binary64 over 16 virtual lanes and a fixed tree.
double inner_product(const float* a, const float* b, std::ptrdiff_t count) {
  double lane[16] = {};
  for (std::ptrdiff_t i = 0; i < count; i += 16) {
    for (int j = 0; j < 16; ++j) lane[j] += double{a[i + j]} * double{b[i + j]};
  }
  for (int distance = 8; distance > 0; distance /= 2) {
    for (int i = 0; i < distance; ++i) lane[i] += lane[i + distance];
  }
  return lane[0];
}

/// Products of one batch's gradient g and reference r with each other and with the sums G and R.
struct gradient_products {
  double gr = 0, gg = 0, rr = 0, gr_sum = 0, g_sum_r = 0, gg_sum = 0, rr_sum = 0;
  gradient_products& operator+=(const gradient_products& o) {
    gr += o.gr, gg += o.gg, rr += o.rr, gr_sum += o.gr_sum, g_sum_r += o.g_sum_r;
    gg_sum += o.gg_sum, rr_sum += o.rr_sum;
    return *this;
  }
};

std::vector<float> sum_of(const std::vector<std::vector<float>>& vectors) {
  std::vector<float> sum = vectors.front();
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    add(static_cast<std::ptrdiff_t>(sum.size()), vectors[i].data(), sum.data());
  }
  return sum;
}

/// Cosine and projection of G - g to R - r from products; all batches where `b` is their count.
struct comparison {
  double dot, gg, rr;
  [[nodiscard]] double cosine() const { return dot / std::sqrt(gg * rr); }
  [[nodiscard]] double projection() const { return dot / rr; }
};

comparison compared(const std::vector<gradient_products>& p, std::size_t b) {
  comparison c{0, 0, 0};
  for (const gradient_products& x : p) c.dot += x.gr_sum, c.gg += x.gg_sum, c.rr += x.rr_sum;
  if (b == p.size()) return c;
  const gradient_products& x = p[b];
  // The same operations in the same order, so that equal gradients have a cosine of exactly 1.
  return {c.dot - x.gr_sum - x.g_sum_r + x.gr, c.gg - x.gg_sum - x.gg_sum + x.gg,
          c.rr - x.rr_sum - x.rr_sum + x.rr};
}

void cell_measurer::compare_gradients(gradient_passes passes,
                                      const std::vector<std::vector<float>>& gradients) {
  const std::vector<float> sum = sum_of(gradients), reference_sum = sum_of(reference_.gradients);
  const std::size_t batches = gradients.size();
  const auto products = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<gradient_products> result;
    for (std::size_t b = 0; b < batches; ++b) {
      const float* g = gradients[b].data() + begin;
      const float* r = reference_.gradients[b].data() + begin;
      const float* gs = sum.data() + begin;
      const float* rs = reference_sum.data() + begin;
      const std::ptrdiff_t n = end - begin;
      result.push_back({inner_product(g, r, n), inner_product(g, g, n), inner_product(r, r, n),
                        inner_product(g, rs, n), inner_product(gs, r, n), inner_product(g, gs, n),
                        inner_product(r, rs, n)});
    }
    return result;
  };
  const auto note = [&](const std::string& layer, const std::vector<gradient_products>& p) {
    figures_[{"gradient_cosine", name_of(passes), layer}] =
        replicate(p, [](const auto& all, std::size_t b) { return compared(all, b).cosine(); });
    figures_[{"gradient_projection", name_of(passes), layer}] =
        replicate(p, [](const auto& all, std::size_t b) { return compared(all, b).projection(); });
  };
  std::vector<gradient_products> whole(batches);
  const auto take = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<gradient_products> p = products(begin, end);
    for (std::size_t b = 0; b < batches; ++b) whole[b] += p[b];
    return p;
  };
  const parameter& embedding = s_.table.embedding();
  take(embedding.offset, embedding.offset + embedding.count());
  for (int i = 0; i < s_.table.shape().layers; ++i) {
    const layer_parameters& layer = s_.table.layer(i);
    const parameter& last = layer.of(linear::down);
    const auto p = take(layer.input_norm.offset, last.offset + last.count());
    if (detail_ == gradient_detail::full) note(std::to_string(i), p);
  }
  take(s_.table.final_norm().offset, s_.table.count());
  note("all", whole);
}

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

namespace {

struct factorial_figure {
  const char* name;
  cell_key key;
};

void append_terms(const std::string& prefix, int factor, const std::string& passes,
                  const factorial<estimate>& f, std::vector<metric_row>& rows) {
  const auto row = [&](const std::string& term, const estimate& e) {
    rows.push_back({"frozen", "factorial", std::nullopt, factor, passes, "", prefix + term, e.value,
                    e.standard_error});
  };
  for (std::size_t i = 1; i < cells; ++i)
    row(fmt::format("moebius.{}", cell_names[i]), f.moebius[i]);
  for (std::size_t i = 0; i < 3; ++i) {
    row(fmt::format("shapley.{}", cell_names[std::size_t{1} << i]), f.shapley[i]);
  }
  row("total", f.total);
  row("non_additivity", f.non_additivity);
}

}  // namespace

std::vector<metric_row> factorial_rows(const std::map<std::string, cell_figures>& by_arm,
                                       int factor) {
  // In the order of the bits scale, deadzone, grid. Operation with the scale alone is the identity,
  // and without the scale it equals injection, so those cells are shared.
  constexpr std::array<const char*, cells> injection{"fp32",  "inj-s",  "inj-d",  "inj-sd",
                                                     "inj-g", "inj-sg", "inj-dg", "mxfp4"};
  constexpr std::array<const char*, cells> operation{"fp32",  "fp32",  "inj-d",  "op-sd",
                                                     "inj-g", "op-sg", "inj-dg", "mxfp4"};
  const std::array<factorial_figure, 7> wanted{
      {{"kl", {"kl", "", ""}},
       {"entropy", {"entropy", "", ""}},
       {"accuracy_sampled", {"accuracy_sampled", "", ""}},
       {"accuracy_greedy", {"accuracy_greedy", "", ""}},
       {"gradient_cosine", {"gradient_cosine", "all", "all"}},
       {"gradient_projection", {"gradient_projection", "all", "all"}},
       {"gradient_cosine_backward", {"gradient_cosine", "backward", "all"}}}};
  std::vector<metric_row> rows;
  for (const factorial_figure& figure : wanted) {
    for (const auto& [meaning, names] :
         {std::pair{"injection", injection}, std::pair{"operation", operation}}) {
      std::array<replicated, cells> values;
      std::size_t found = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        const auto cell = by_arm.find(names[i]);
        if (cell == by_arm.end()) break;
        const auto value = cell->second.find(figure.key);
        if (value == cell->second.end()) break;
        values[i] = value->second;
        ++found;
      }
      if (found < cells) continue;
      append_terms(fmt::format("{}.{}.", figure.name, meaning), factor,
                   figure.key.passes == "backward" ? "backward" : "all", factorial_of(values),
                   rows);
    }
  }
  return rows;
}

}  // namespace sim
