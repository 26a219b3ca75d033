// SPDX-License-Identifier: Apache-2.0
// sim/rollout/sampler.cpp: position by position for a group of rows; prompts are processed once and
// their cache is copied to every sample.
#include "sim/rollout/sampler.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <map>

#include "mx/number/philox.h"
#include "sim/policy/attention_rows.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"
#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

constexpr int rows_a_group = 64;

/// Keys (transposed) and values of every row, layer and shared head.
class key_value_cache {
 public:
  key_value_cache(const parameter_table& table, int span, int rows)
      : head_width_(table.shape().head_width),
        span_(span),
        heads_(table.shape().kv_heads),
        row_size_(static_cast<std::ptrdiff_t>(table.shape().layers) * heads_ * 2 * span *
                  head_width_),
        storage_(matrix_size(rows, row_size_)) {}

  [[nodiscard]] int span() const noexcept { return span_; }
  [[nodiscard]] float* keys(int row, int layer, int head) {
    return storage_.data() + row * row_size_ +
           static_cast<std::ptrdiff_t>(layer * heads_ + head) * 2 * span_ * head_width_;
  }
  [[nodiscard]] float* values(int row, int layer, int head) {
    return keys(row, layer, head) + static_cast<std::ptrdiff_t>(span_) * head_width_;
  }
  void put(int row, int layer, int head, int position, const float* key, const float* value) {
    float* k = keys(row, layer, head);
    for (int c = 0; c < head_width_; ++c) k[c * span_ + position] = key[c];
    std::copy_n(value, head_width_, values(row, layer, head) + position * head_width_);
  }
  /// A cache in which row i is row i / copies of this one.
  [[nodiscard]] key_value_cache repeated(int copies) const {
    key_value_cache result = *this;
    const auto rows = static_cast<std::ptrdiff_t>(storage_.size()) / row_size_;
    result.storage_.resize(storage_.size() * static_cast<std::size_t>(copies));
    for (std::ptrdiff_t row = 0; row < rows * copies; ++row) {
      std::copy_n(storage_.begin() + row / copies * row_size_, row_size_,
                  result.storage_.begin() + row * row_size_);
    }
    return result;
  }

 private:
  int head_width_, span_, heads_;
  std::ptrdiff_t row_size_;
  std::vector<float> storage_;
};

/// Storage for the rows of one position, reused by every layer.
struct position_rows : layer_storage {
  std::vector<float> x, next, logits, probability;

  position_rows(const parameter_table& table, int rows, int span)
      : x(matrix_size(rows, table.shape().width)),
        next(x.size()),
        logits(matrix_size(rows, table.shape().vocabulary)),
        probability(static_cast<std::size_t>(span)) {
    resize(table, rows);
  }
};

/// The weights of all layers: every position returns to them.
struct kept_weights {
  explicit kept_weights(const forward_weights& weights, int count)
      : embedding(weights.embedding()), final_norm(weights.final_norm()), head(weights.head()) {
    for (int i = 0; i < count; ++i) layers.push_back(weights.layer(i));
  }

  const float *embedding, *final_norm;
  std::unique_ptr<const right_factor> head;
  std::vector<forward_layer> layers;
};

/// One group of prompts of one length with all their samples.
class group_sampler {
 public:
  group_sampler(const forward_context& context, const kept_weights& weights, const sampling& how,
                int longest)
      : context_(context), weights_(weights), how_(how), span_((longest + 15) / 16 * 16) {}

  void run(std::span<const sequence> prompts, int first_prompt, rollout* out) {
    const int count = static_cast<int>(prompts.size()), rows = count * how_.samples;
    key_value_cache prompt_cache(context_.table, span_, count);
    position_rows state(context_.table, rows, span_);
    std::vector<int> active(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) active[static_cast<std::size_t>(i)] = i;
    const int prompt_length = prompts.front().length();
    // A prompt's tokens draw the random bits of its first sample.
    const auto first_sample = [&](int i) { return place_of(first_prompt + i) * how_.samples; };
    for (int position = 0; position + 1 < prompt_length; ++position) {
      const auto token = [&](int row) {
        return prompts[static_cast<std::size_t>(row)].tokens[static_cast<std::size_t>(position)];
      };
      advance(state, prompt_cache, active, position, token, first_sample);
    }
    key_value_cache cache = prompt_cache.repeated(how_.samples);
    active.clear();
    for (int row = 0; row < rows; ++row) {
      out[row].tokens = prompts[static_cast<std::size_t>(row / how_.samples)];
      if (how_.keep == kept_figures::distributions) {
        out[row].log_distributions.reserve(
            matrix_size(how_.response_limit, context_.table.shape().vocabulary));
      }
      active.push_back(row);
    }
    const auto last_token = [&](int row) { return out[row].tokens.tokens.back(); };
    const auto sequence_of = [&](int row) {
      return first_sample(row / how_.samples) + row % how_.samples;
    };
    for (int t = 0; t < how_.response_limit && !active.empty(); ++t) {
      advance(state, cache, active, prompt_length - 1 + t, last_token, sequence_of);
      respond(state, active, first_prompt, t, out);
      std::erase_if(active, [&](int row) { return out[row].tokens.tokens.back() == how_.end; });
    }
  }

 private:
  /// Runs the tokens of the active rows at one position through the policy.
  ///   sequence_of  index of a row's sequence among all samples
  template <class TokenOf, class SequenceOf>
  void advance(position_rows& state, key_value_cache& cache, const std::vector<int>& active,
               int position, const TokenOf& token_of, const SequenceOf& sequence_of) {
    const policy_shape& shape = context_.table.shape();
    const int rows = static_cast<int>(active.size()), d = shape.width;
    row_tokens tokens;
    for (int i = 0; i < rows; ++i) {
      const int t = token_of(active[static_cast<std::size_t>(i)]);
      tokens.append(context_.products.key, sequence_of(active[static_cast<std::size_t>(i)]),
                    position);
      std::copy_n(weights_.embedding + static_cast<std::ptrdiff_t>(t) * d, d,
                  state.x.begin() + static_cast<std::ptrdiff_t>(i) * d);
    }
    for (int layer = 0; layer < shape.layers; ++layer) {
      forward_layer_rows(context_, weights_.layers[static_cast<std::size_t>(layer)], layer, tokens,
                         state.from(context_.table, 0, state.x.data(), state.next.data()),
                         [&] { attend_rows(state, cache, active, layer, position); });
      std::swap(state.x, state.next);
    }
    rms_norm(rows, d, {state.x.data(), d}, weights_.final_norm, shape.norm_epsilon,
             {state.normed.data(), d}, state.x_inverse_rms.data());
    weights_.head->multiply(rows, state.normed.data(), d, state.logits.data());
  }

  void attend_rows(position_rows& state, key_value_cache& cache, const std::vector<int>& active,
                   int layer, int position) {
    const policy_shape& shape = context_.table.shape();
    const int hd = shape.head_width, queries = context_.table.query_width(),
              keys = context_.table.key_width();
    for (std::size_t i = 0; i < active.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      const float* k = state.k.data() + at * keys;
      const float* v = state.qkv.data() + at * (queries + 2 * keys) + queries + keys;
      for (int head = 0; head < shape.kv_heads; ++head) {
        cache.put(active[i], layer, head, position, k + head * hd, v + head * hd);
      }
      for (int head = 0; head < shape.heads; ++head) {
        const int shared = head / (shape.heads / shape.kv_heads);
        attend(
            {.width = hd, .keys = position + 1, .span = span_, .score_scale = score_scale(shape)},
            {.query = state.q.data() + at * queries + head * hd,
             .keys_transposed = cache.keys(active[i], layer, shared),
             .values = {cache.values(active[i], layer, shared), hd}},
            {.probability = state.probability.data(),
             .out = state.attention.data() + at * queries + head * hd});
      }
    }
  }

  void respond(const position_rows& state, const std::vector<int>& active, int first_prompt, int t,
               rollout* out) {
    const int vocabulary = context_.table.shape().vocabulary;
    std::vector<float> log_p(static_cast<std::size_t>(vocabulary));
    for (std::size_t i = 0; i < active.size(); ++i) {
      rollout& r = out[active[i]];
      const float* logits = state.logits.data() + static_cast<std::ptrdiff_t>(i) * vocabulary;
      const int next = choose(logits, place_of(first_prompt + active[i] / how_.samples),
                              active[i] % how_.samples, t);
      r.entropy.push_back(log_softmax(vocabulary, logits, log_p.data(), nullptr));
      r.log_probability.push_back(log_p[static_cast<std::size_t>(next)]);
      if (how_.keep == kept_figures::distributions) {
        r.log_distributions.insert(r.log_distributions.end(), log_p.begin(), log_p.end());
      }
      r.tokens.tokens.push_back(static_cast<token_id>(next));
    }
  }

  [[nodiscard]] int place_of(int prompt) const {
    return how_.places.empty() ? prompt : how_.places[static_cast<std::size_t>(prompt)];
  }

  ///   place  of the prompt
  [[nodiscard]] int choose(const float* logits, int place, int sample, int position) const {
    const int vocabulary = context_.table.shape().vocabulary;
    std::vector<float> score(logits, logits + vocabulary);
    if (how_.how == decoding::sampled) {
      std::vector<float> noise(score.size());
      for (int v = 0; v < vocabulary; v += 4) {
        const auto words = mx::philox(
            how_.key,
            {{how_.counter, how_.first_index + static_cast<std::uint32_t>(place),
              static_cast<std::uint32_t>(sample),
              static_cast<std::uint32_t>(position) << 16 | static_cast<std::uint32_t>(v / 4)}});
        for (int j = 0; j < 4; ++j) noise.data()[v + j] = mx::uniform_of(words.word[j]);
      }
      gumbel(vocabulary, noise.data(), noise.data());
      add(vocabulary, noise.data(), score.data());
    }
    return static_cast<int>(std::ranges::max_element(score) - score.begin());
  }

  const forward_context& context_;
  const kept_weights& weights_;
  const sampling& how_;
  int span_;
};

std::vector<rollout> sample_responses_of_one_length(const forward_context& context,
                                                    const forward_weights& weights,
                                                    std::span<const sequence> prompts,
                                                    const sampling& how) {
  std::vector<rollout> result(prompts.size() * static_cast<std::size_t>(how.samples));
  const int prompts_a_group = std::max(1, rows_a_group / how.samples);
  const int count = static_cast<int>(prompts.size());
  const int groups = (count + prompts_a_group - 1) / prompts_a_group;
  const kept_weights kept(weights, context.table.shape().layers);
  tbb::this_task_arena::isolate([&] {
    whole_loop(groups, [&](std::ptrdiff_t g) {
      const int first = static_cast<int>(g) * prompts_a_group;
      const int last = std::min(count, first + prompts_a_group);
      group_sampler sampler(context, kept, how,
                            prompts[static_cast<std::size_t>(first)].length() + how.response_limit);
      sampler.run(
          prompts.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
          first, result.data() + static_cast<std::ptrdiff_t>(first) * how.samples);
    });
  });
  return result;
}

/// Prompts of one length, by their indices among all.
std::vector<rollout> sample_responses_to(const std::vector<std::size_t>& chosen,
                                         const forward_context& context,
                                         const forward_weights& weights,
                                         std::span<const sequence> prompts, const sampling& how) {
  sampling same = how;
  same.places.clear();
  std::vector<sequence> of_one_length;
  for (const std::size_t i : chosen) {
    of_one_length.push_back(prompts[i]);
    same.places.push_back(how.places.empty() ? static_cast<int>(i) : how.places[i]);
  }
  return sample_responses_of_one_length(context, weights, of_one_length, same);
}

}  // namespace

std::vector<rollout> sample_responses(const forward_context& context,
                                      const forward_weights& weights,
                                      std::span<const sequence> prompts, const sampling& how) {
  std::map<int, std::vector<std::size_t>> by_length;
  for (std::size_t i = 0; i < prompts.size(); ++i) by_length[prompts[i].length()].push_back(i);
  if (by_length.size() <= 1) return sample_responses_of_one_length(context, weights, prompts, how);
  const auto samples = static_cast<std::size_t>(how.samples);
  std::vector<rollout> result(prompts.size() * samples);
  for (const auto& [length, chosen] : by_length) {
    std::vector<rollout> drawn = sample_responses_to(chosen, context, weights, prompts, how);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      result[chosen[i / samples] * samples + i % samples] = std::move(drawn[i]);
    }
  }
  return result;
}

}  // namespace sim
