// SPDX-License-Identifier: Apache-2.0
// sim/train/model_differences.cpp: see model_differences.h.
#include "sim/train/model_differences.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "sim/policy/product_results.h"
#include "sim/policy/whole_loop.h"
#include "sim/study/study_words.h"
#include "sim/train/grpo.h"
#include "sim/train/loss_aggregation.h"
#include "sim/train/rewards.h"

namespace sim {
namespace {

class difference_counter {
 public:
  difference_counter(const setting& s, const arm& a, const std::vector<float>& weights)
      : s_(s),
        weights_(weights),
        formats_(s.at_step(a.formats, stream::training_operands, 0)),
        plain_{under_fma(a.formats), formats_.key},
        decoder_(s.table, s.rope) {
    for (const pass p : all_passes) {
      if (!formats_of(a.formats, p).multiplies_values()) found_.push_back({p});
    }
  }

  std::vector<model_difference> count() {
    if (found_.empty()) return {};
    const pass_products rollout = formats_.of(pass::rollout), forward = formats_.of(pass::forward);
    const forward_weights rolled = prepare_forward(s_.table, weights_, rollout),
                          weights = prepare_forward(s_.table, weights_, forward);
    const backward_weights transposed = prepare_backward(s_.table, weights_, formats_);
    const std::vector<sequence> batch = responses(rollout, rolled);
    const std::vector<float> weight = token_weights(batch);
    for_each_micro_batch(s_.constants, batch, [&](std::span<const sequence> part, int first) {
      const computed_sequences done{s_.table, weights_, decoder_};
      decoder_.take(part, first);
      decoder_.forward(rolled, rollout);
      for (int i = 0; i < s_.table.shape().layers; ++i) compare(done, {pass::rollout}, i);
      decoder_.forward(weights, forward);
      decoder_.backward(
          weights, transposed, formats_.of(pass::dgrad),
          [&](int i, int, const token_outcome&) { return weight.data()[first + i]; },
          [&](int layer) {
            compare(done, {pass::forward, pass::dgrad, pass::wgrad}, layer);
          });
    });
    return found_;
  }

 private:
  [[nodiscard]] std::vector<sequence> responses(const pass_products& rollout,
                                                const forward_weights& weights) const {
    const grpo_constants& c = s_.constants.grpo;
    std::vector<sequence> batch;
    for (sim::rollout& r : sample_responses(
             s_.context(rollout), weights, s_.prompts(stream::training_prompts, 0, c.prompts),
             s_.sampled(decoding::sampled, c.samples, stream::training_samples, 0))) {
      batch.push_back(std::move(r.tokens));
    }
    return batch;
  }

  /// Of each sequence.
  [[nodiscard]] std::vector<float> token_weights(std::span<const sequence> batch) const {
    std::vector<float> rewards;
    for (const sequence& q : batch) rewards.push_back(reward_of(s_, q));
    const grpo_constants& c = s_.constants.grpo;
    std::vector<float> result = advantages(rewards, c);
    // Products of zeros would agree under every model.
    if (std::ranges::all_of(result, [](float w) { return w == 0; }))
      std::ranges::fill(result, 1.0F);
    const std::vector<float> share =
        token_shares(batch, c.aggregation, response_limit(s_.constants.task));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] *= share[i];
    return result;
  }

  void compare(const computed_sequences& done, std::initializer_list<pass> passes, int layer) {
    for (model_difference& d : found_) {
      if (std::ranges::find(passes, d.pass) != passes.end()) compare(done, layer, d);
    }
  }

  /// Of one linear.
  [[nodiscard]] model_difference difference(const computed_sequences& done, pass p,
                                            const product_place& at) const {
    const auto model = product_results(done, formats_, p, at),
               fma = product_results(done, plain_, p, at);
    model_difference result{p, std::ssize(model)};
    for (std::size_t i = 0; i < model.size(); ++i) {
      result.different += mx::bits_of(model[i]) != mx::bits_of(fma[i]) ? 1 : 0;
    }
    return result;
  }

  /// All linears of a layer that the model multiplies, each as one task; no other arm's task runs
  /// while one waits.
  void compare(const computed_sequences& done, int layer, model_difference& total) const {
    const std::vector<product_place> linears = s_.table.linears_of(layer);
    std::vector<model_difference> found(linears.size());
    tbb::this_task_arena::isolate([&] {
      whole_loop(std::ssize(found), [&](std::ptrdiff_t i) {
        const product_place& at = linears[static_cast<std::size_t>(i)];
        if (formats_.of(total.pass).format_at(at).multiplies_values()) return;  // exempt
        found[static_cast<std::size_t>(i)] = difference(done, total.pass, at);
      });
    });
    for (const model_difference& d : found) {
      total.results += d.results;
      total.different += d.different;
    }
  }

  const setting& s_;
  const std::vector<float>& weights_;
  step_arithmetic formats_, plain_;
  decoder decoder_;
  std::vector<model_difference> found_;
};

/// The arm with the same operands, all of whose results are those of `fp32.fma`.
std::string repeated_arm(const study& s, const arm& a) {
  arm repeated = a;
  repeated.formats = under_fma(a.formats);
  for (const arm& other : s.arms) {
    repeated.name = other.name;
    if (other == repeated) return "arm " + other.name;
  }
  return "this arm under fp32.fma";
}

}  // namespace

std::vector<model_difference> model_differences(const setting& s, const arm& a,
                                                const std::vector<float>& weights) {
  return difference_counter(s, a, weights).count();
}

std::string line_of(const study& s, const arm& a,
                    const std::vector<model_difference>& differences) {
  std::string shares;
  bool equal = true;
  for (const model_difference& d : differences) {
    shares += fmt::format("{}{} {:.3g} %", shares.empty() ? "" : ", ", text_of(pass_words, d.pass),
                          100 * d.share());
    equal = equal && d.different == 0;
  }
  const std::string line =
      fmt::format("{}: results of step 1 that differ from fp32.fma's: {}", a.name, shares);
  if (!equal) return line;
  return fmt::format("{}; every result equals fp32.fma's: training would repeat {}", line,
                     repeated_arm(s, a));
}

}  // namespace sim
