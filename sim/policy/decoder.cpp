// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder.cpp: what forward and backward share, and the forward pass.
#include "sim/policy/decoder.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/policy/attention_rows.h"
#include "sim/policy/row_functions.h"
#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

/// Limits of what one task computes, at least one sequence: enough rows to use B again, and tasks
/// enough for all threads.
constexpr int rows_a_group = 256, sequences_a_group = 8;

/// Response tokens whose logits are in memory at once in one task: enough for a product of rows,
/// and no more than 2^20 numbers where that is enough.
int tokens_a_part(int vocabulary) { return std::max(32, (1 << 20) / vocabulary); }

}  // namespace

decoder::decoder(const parameter_table& table, const rope_table& rope, kept_rows kept,
                 std::shared_ptr<layer_workspace> shared)
    : table_(table),
      rope_(rope),
      kept_(kept),
      back_(std::move(shared)),
      inputs_(static_cast<std::size_t>(table.shape().layers) + 1),
      layers_(kept == kept_rows::inputs ? 0 : static_cast<std::size_t>(table.shape().layers)) {}

void decoder::take(std::span<const sequence> batch, int first) {
  batch_ = batch;
  first_sequence_ = first;
  first_row_.assign(1, 0);
  first_outcome_.assign(1, 0);
  responses_.clear();
  groups_.clear();
  span_ = 0;
  for (int i = 0; i < std::ssize(batch); ++i) {
    const sequence& s = batch[static_cast<std::size_t>(i)];
    for (int t = 0; t < s.response(); ++t) {
      responses_.push_back(
          {i, t, first_row_.back() + s.prompt + t - 1, s.tokens.data()[s.prompt + t]});
    }
    first_row_.push_back(first_row_.back() + s.length());
    first_outcome_.push_back(static_cast<int>(responses_.size()));
    span_ = std::max(span_, (s.length() + 15) / 16 * 16);
    add_to_groups(i);
  }
  if (span_ > max_span) throw std::length_error("a sequence is longer than attention is made for");
  const policy_shape& shape = table_.shape();
  const std::ptrdiff_t rows = first_row_.back(), responses = std::ssize(responses_);
  for (layer_storage& s : layers_) s.resize(table_, rows);
  for (std::vector<float>& v : inputs_) provide(v, matrix_size(rows, shape.width));
  provide(dx_, matrix_size(rows, shape.width));
  provide(final_inverse_rms_, matrix_size(rows, 1));
  provide(final_normed_, matrix_size(responses, shape.width));
  for (auto* v : {&unbounded_logit_, &weight_}) v->resize(responses_.size());
  outcomes_.resize(responses_.size());
}

void decoder::add_to_groups(int sequence) {
  const auto has_room = [&](const group& g) {
    return sequence - g.first < sequences_a_group &&
           first_row(sequence + 1) - first_row(g.first) <= rows_a_group;
  };
  if (groups_.empty() || !has_room(groups_.back())) groups_.push_back({sequence, sequence});
  groups_.back().last = sequence + 1;
}

void decoder::for_each_group(const std::function<void(const group&)>& work) const {
  // Isolated: a thread that waits here must not start another arm's step meanwhile.
  tbb::this_task_arena::isolate(
      [&] { whole_loop(std::ssize(groups_), [&](std::ptrdiff_t g) { work(groups_.data()[g]); }); });
}

row_tokens decoder::tokens_of(const group& g, const draw_key& key) const {
  row_tokens tokens;
  for (int s = g.first; s < g.last; ++s) {
    const int length = batch_[static_cast<std::size_t>(s)].length();
    for (int t = 0; t < length; ++t) tokens.append(key, first_sequence_ + s, t);
  }
  return tokens;
}

void decoder::forward(const forward_weights& weights, const pass_products& products) {
  start_forward(weights, products);
  for (int i = 0; i < table_.shape().layers; ++i) forward_through(weights.layer(i), i);
  forward_head(weights, *weights.head());
}

void decoder::start_forward(const forward_weights& weights, const pass_products& products) {
  forward_products_ = products;
  for_each_group([&](const group& g) { embed(weights, g); });
}

void decoder::forward_through(const forward_layer& w, int layer) {
  if (kept_ == kept_rows::inputs) back_->rows.resize(table_, first_row_.back());
  std::vector<float>& next = inputs_[static_cast<std::size_t>(layer) + 1];
  for_each_group([&](const group& g) {
    layer_forward(w, layer, g, tokens_of(g, forward_products_.key),
                  next.data() + std::ptrdiff_t{first_row(g.first)} * table_.shape().width);
  });
}

void decoder::layer_forward(const forward_layer& w, int layer, const group& g,
                            const row_tokens& tokens, float* next) {
  const std::ptrdiff_t row = first_row(g.first);
  const float* x = input_rows(layer).data() + row * table_.shape().width;
  layer_storage& s = state_of(layer);
  forward_layer_rows({table_, rope_, forward_products_}, w, layer, tokens,
                     s.from(table_, row, x, next), [&] {
                       for (int i = g.first; i < g.last; ++i) attend_sequence(s, i);
                     });
}

void decoder::embed(const forward_weights& weights, const group& g) {
  const int d = table_.shape().width;
  float* x = inputs_.front().data() + static_cast<std::ptrdiff_t>(first_row(g.first)) * d;
  for (int s = g.first; s < g.last; ++s) {
    for (const token_id t : batch_[static_cast<std::size_t>(s)].tokens) {
      std::copy_n(weights.embedding() + static_cast<std::ptrdiff_t>(t) * d, d, x);
      x += d;
    }
  }
}

void decoder::attend_sequence(layer_storage& s, int sequence) {
  const policy_shape& shape = table_.shape();
  const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
  const int width = queries + 2 * keys, first = first_row(sequence);
  const int length = batch_[static_cast<std::size_t>(sequence)].length();
  std::vector<float> transposed(matrix_size(hd, span_)), probability(matrix_size(1, span_));
  for (int head = 0; head < shape.heads; ++head) {
    const int shared = head / (shape.heads / shape.kv_heads);
    const float* k = s.k.data() + static_cast<std::ptrdiff_t>(first) * keys + shared * hd;
    const float* v =
        s.qkv.data() + static_cast<std::ptrdiff_t>(first) * width + queries + keys + shared * hd;
    transpose_head(length, hd, span_, k, keys, transposed.data());
    for (int t = 0; t < length; ++t) {
      const std::ptrdiff_t row = first + t;
      attend({.width = hd, .keys = t + 1, .span = span_, .score_scale = score_scale(shape)},
             {.query = s.q.data() + row * queries + head * hd,
              .keys_transposed = transposed.data(),
              .values = {v, width}},
             {.probability = probability.data(),
              .out = s.attention.data() + row * queries + head * hd});
    }
  }
}

void decoder::forward_head(const forward_weights& weights, const right_factor& head) {
  const int d = table_.shape().width;
  log_probability_.resize(matrix_size(std::ssize(responses_), table_.shape().vocabulary));
  for_each_group([&](const group& g) {
    const std::ptrdiff_t first = first_row(g.first);
    std::vector<float> normed(matrix_size(rows_of(g), d));
    rms_norm(rows_of(g), d, {inputs_.back().data() + first * d, d}, weights.final_norm(),
             table_.shape().norm_epsilon, {normed.data(), d}, final_inverse_rms_.data() + first);
    for_each_part(g, [&](const response_part& part) {
      for (int i = part.first; i < part.last; ++i) {
        const std::ptrdiff_t row = responses_.data()[i].row - first;
        std::copy_n(normed.data() + row * d, d, final_normed_.data() + std::ptrdiff_t{i} * d);
      }
      take_distributions(head, part);
    });
  });
}

void decoder::for_each_part(const group& g,
                            const std::function<void(const response_part&)>& work) const {
  const int step = tokens_a_part(table_.shape().vocabulary), end = first_outcome_.data()[g.last];
  for (int first = first_outcome_.data()[g.first]; first < end; first += step) {
    work({first, std::min(end, first + step)});
  }
}

std::vector<float> decoder::logits_of(const right_factor& head, const response_part& part) const {
  const int d = table_.shape().width;
  std::vector<float> logits(matrix_size(part.count(), table_.shape().vocabulary));
  head.multiply(part.count(), final_normed_.data() + std::ptrdiff_t{part.first} * d, d,
                logits.data());
  return logits;
}

void decoder::take_distributions(const right_factor& head, const response_part& part) {
  const int vocabulary = table_.shape().vocabulary;
  const std::vector<float> logits = logits_of(head, part);
  for (int i = part.first; i < part.last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float* row = logits.data() + row_at(at - static_cast<std::size_t>(part.first));
    const float* unbounded =
        std::find_if(row, row + vocabulary, [](float v) { return !std::isfinite(v); });
    unbounded_logit_[at] = unbounded == row + vocabulary ? 0 : *unbounded;
    float* log_p = log_probability_.data() + row_at(at);
    outcomes_[at].entropy = log_softmax(vocabulary, row, log_p, nullptr);
    outcomes_[at].log_probability = log_p[responses_[at].token];
  }
}

std::vector<float> decoder::response_logits(const forward_weights& weights) const {
  return logits_of(*weights.head(), {0, static_cast<int>(responses_.size())});
}

std::optional<float> decoder::unbounded_logit() const {
  const auto found = std::ranges::find_if(unbounded_logit_, [](float v) { return v != 0; });
  return found == unbounded_logit_.end() ? std::nullopt : std::optional(*found);
}

}  // namespace sim
