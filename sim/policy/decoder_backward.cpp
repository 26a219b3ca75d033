// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_backward.cpp: the backward pass of the decoder.
#include <algorithm>

#include "sim/policy/attention_rows.h"
#include "sim/policy/decoder.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {

void decoder::backward(const forward_weights& weights, const backward_weights& transposed,
                       const pass_products& dgrad, const token_weight& weight,
                       const layer_visit& visit) {
  backward_head(weights, *transposed.head(), weight);
  for (int i = table_.shape().layers - 1; i >= 0; --i) {
    backward_through(weights.layer(i), transposed.layer(i), dgrad, i);
    if (visit) visit(i);
  }
}

float* decoder::gradient_rows(const group& g) {
  return dx_.data() + static_cast<std::ptrdiff_t>(first_row(g.first)) * table_.shape().width;
}

void decoder::cross_entropy_gradient(std::size_t outcome, int first, int last, float* out) const {
  const int token = responses_[outcome].token;
  exponential(last - first, log_probability_.data() + row_at(outcome) + first, out);
  if (token >= first && token < last) out[token - first] -= 1.0F;
  scale(last - first, weight_[outcome], out);
}

void decoder::weigh(std::size_t outcome, const token_weight& weight, const logit_gradient& logits) {
  const response_token& at = responses_[outcome];
  weight_[outcome] = weight(at.sequence, at.position, outcomes_[outcome]);
  if (!logits) return;
  const int vocabulary = table_.shape().vocabulary;
  const float* log_p = log_probability_.data() + row_at(outcome);
  std::vector<float> p(matrix_size(1, vocabulary));
  exponential(vocabulary, log_p, p.data());
  float* dlogits = dlogits_.data() + row_at(outcome);
  cross_entropy_gradient(outcome, 0, vocabulary, dlogits);
  logits(at.sequence, at.position, {p.data(), log_p}, dlogits);
}

void decoder::loss_gradient(const response_part& part, int first, int last, float* out) const {
  for (int i = part.first; i < part.last; ++i, out += last - first) {
    const auto at = static_cast<std::size_t>(i);
    if (dlogits_.empty()) {
      cross_entropy_gradient(at, first, last, out);
    } else {
      std::copy_n(dlogits_.data() + row_at(at) + first, last - first, out);
    }
  }
}

void decoder::backward_head(const forward_weights& weights, const right_factor& transposed_head,
                            const token_weight& weight, const logit_gradient& logits) {
  const int d = table_.shape().width, vocabulary = table_.shape().vocabulary;
  final_norm_gradients_.resize(matrix_size(std::ssize(batch_), d));
  dlogits_.resize(logits ? matrix_size(std::ssize(responses_), vocabulary) : 0);
  for_each_group([&](const group& g) {
    float* dx = gradient_rows(g);
    std::fill_n(dx, std::ptrdiff_t{rows_of(g)} * d, 0.0F);
    for_each_part(g, [&](const response_part& part) {
      for (int i = part.first; i < part.last; ++i)
        weigh(static_cast<std::size_t>(i), weight, logits);
      std::vector<float> dlogits(matrix_size(part.count(), vocabulary)),
          dnormed(matrix_size(part.count(), d));
      loss_gradient(part, 0, vocabulary, dlogits.data());
      transposed_head.multiply(part.count(), dlogits.data(), vocabulary, dnormed.data());
      for (int i = part.first; i < part.last; ++i) {
        const std::ptrdiff_t row = responses_.data()[i].row - first_row(g.first);
        std::copy_n(dnormed.data() + std::ptrdiff_t{i - part.first} * d, d, dx + row * d);
      }
    });
    norm_backward({weights.final_norm(), inputs_.back(), final_inverse_rms_, final_norm_gradients_},
                  g, dx);
  });
}

void decoder::backward_through(const forward_layer& w, const backward_layer& t,
                               const pass_products& dgrad, int layer) {
  const policy_shape& shape = table_.shape();
  const std::ptrdiff_t rows = first_row_.back(), sequences = std::ssize(batch_);
  layer_workspace& b = *back_;
  const std::ptrdiff_t slots = rows * shape.parts_a_token();
  provide(b.doutput, matrix_size(rows, shape.width));
  provide(b.dqkv, matrix_size(rows, table_.query_width() + 2 * table_.key_width()));
  provide(b.dgate_up, matrix_size(slots, 2 * shape.hidden));
  provide(b.ddown, matrix_size(slots, shape.width));
  provide(b.drouter, shape.has_experts() ? matrix_size(rows, shape.experts.count) : 0);
  for (auto* v : {&b.input_norm, &b.post_norm}) provide(*v, matrix_size(sequences, shape.width));
  const family_features& has = table_.features();
  for (auto* v : {&b.q_norm, &b.k_norm}) {
    provide(*v, has.qk_norm ? matrix_size(sequences, shape.head_width) : 0);
  }
  provide(b.qkv_bias,
          has.qkv_bias ? matrix_size(sequences, table_.layer(layer).qkv_bias().columns) : 0);
  if (kept_ == kept_rows::inputs) b.rows.resize(table_, rows);
  for_each_group([&](const group& g) {
    const row_tokens tokens = tokens_of(g, dgrad.key);
    if (kept_ == kept_rows::inputs) {
      std::vector<float> next(matrix_size(rows_of(g), shape.width));
      layer_forward(w, layer, g, tokens_of(g, forward_products_.key), next.data());
    }
    feed_forward_backward(w, t, dgrad, g, tokens, layer);
    attention_backward(w, t, dgrad, g, tokens, layer);
  });
}

/// Backward of a norm of width d, in place, and each sequence's gradient of its weight.
void decoder::norm_backward(const wide_norm& norm, const group& g, float* dy) {
  const int d = table_.shape().width;
  const std::ptrdiff_t first = first_row(g.first);
  const auto rows_from = [&](std::ptrdiff_t row) {
    return normed_rows{{norm.x.data() + row * d, d}, norm.inverse_rms.data() + row};
  };
  for (int i = g.first; i < g.last; ++i) {
    const std::ptrdiff_t row = first_row(i);
    rms_norm_weight_gradient(first_row(i + 1) - first_row(i), d, rows_from(row),
                             {dy + (row - first) * d, d},
                             norm.gradients.data() + std::ptrdiff_t{i} * d);
  }
  rms_norm_backward(rows_of(g), d, rows_from(first), norm.weight, {dy, d}, {dy, d});
}

void decoder::feed_forward_backward(const forward_layer& w, const backward_layer& t,
                                    const pass_products& dgrad, const group& g,
                                    const row_tokens& tokens, int layer) {
  const layer_storage& s = state_of(layer);
  float* dx = gradient_rows(g);
  std::vector<float> dnormed(matrix_size(rows_of(g), table_.shape().width));
  const part_backward part{t, dgrad, tokens, layer, dx, dnormed.data()};
  if (table_.shape().has_experts()) {
    mixture_backward(part, g);
  } else {
    dense_backward(part, g);
  }
  norm_backward({w.post_norm, s.middle, s.middle_inverse_rms, back_->post_norm}, g, dnormed.data());
  add(std::ssize(dnormed), dnormed.data(), dx);
}

void decoder::dense_backward(const part_backward& p, const group& g) {
  const layer_storage& s = state_of(p.layer);
  const int d = table_.shape().width, ff = table_.shape().hidden, rows = rows_of(g);
  const std::ptrdiff_t first = first_row(g.first), count = std::ptrdiff_t{rows} * d;
  std::copy_n(p.dy, count, back_->ddown.data() + first * d);
  const auto gradient = [&](linear l, const float* dy, std::ptrdiff_t stride, float* to) {
    multiply(p.dgrad, {p.layer, l}, {rows, dy, stride, p.tokens.numbers.data()}, p.t.of(l), to);
  };
  std::vector<float> dhidden(matrix_size(rows, ff)), other(matrix_size(rows, d));
  gradient(linear::down, p.dy, d, dhidden.data());
  for (int row = 0; row < rows; ++row) {
    const float* gate = s.gate_up.data() + (first + row) * 2 * ff;
    float* dgate = back_->dgate_up.data() + (first + row) * 2 * ff;
    gated_backward(ff, gate, gate + ff, dhidden.data() + static_cast<std::ptrdiff_t>(row) * ff,
                   dgate, dgate + ff);
  }
  const float* dgate_up = back_->dgate_up.data() + first * 2 * ff;
  gradient(linear::gate, dgate_up, 2 * ff, p.dx);
  gradient(linear::up, dgate_up + ff, 2 * ff, other.data());
  add(count, other.data(), p.dx);
}

void decoder::attention_backward(const forward_layer& w, const backward_layer& t,
                                 const pass_products& dgrad, const group& g,
                                 const row_tokens& tokens, int layer) {
  const layer_storage& s = state_of(layer);
  const int d = table_.shape().width, rows = rows_of(g);
  const int queries = table_.query_width(), keys = table_.key_width(), width = queries + 2 * keys;
  const std::ptrdiff_t first = first_row(g.first);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  float* dx = gradient_rows(g);
  std::copy_n(dx, count, back_->doutput.data() + first * d);
  const auto gradient = [&](linear l, const float* dy, std::ptrdiff_t stride, float* to) {
    multiply(dgrad, {layer, l}, {rows, dy, stride, tokens.numbers.data()}, t.of(l), to);
  };
  std::vector<float> dattention(matrix_size(rows, queries));
  gradient(linear::o, dx, d, dattention.data());
  for (int i = g.first; i < g.last; ++i) {
    attend_sequence_backward(w, i, layer, dattention.data() + (first_row(i) - first) * queries);
  }
  const float* dqkv = back_->dqkv.data() + first * width;
  std::vector<float> dnormed(matrix_size(rows, d)), other(matrix_size(rows, d));
  gradient(linear::q, dqkv, width, dnormed.data());
  gradient(linear::k, dqkv + queries, width, other.data());
  add(count, other.data(), dnormed.data());
  gradient(linear::v, dqkv + queries + keys, width, other.data());
  add(count, other.data(), dnormed.data());
  norm_backward({w.input_norm, input_rows(layer), s.x_inverse_rms, back_->input_norm}, g,
                dnormed.data());
  add(count, dnormed.data(), dx);
}

namespace {

/// One kind of head (queries or keys) of one sequence: token-major, dense, one row a head.
struct head_rows {
  int tokens, heads, width;
  [[nodiscard]] int rows() const { return tokens * heads; }
};

/// Backward of rotation and norm: dy in place, then into the wide matrix of dqkv.
void unrotate(const head_rows& h, const rope_table& rope, float* dy) {
  for (int t = 0; t < h.tokens; ++t) {
    for (int head = 0; head < h.heads; ++head) {
      rotate_back(h.width, dy + static_cast<std::ptrdiff_t>(t * h.heads + head) * h.width,
                  rope.cosine(t), rope.sine(t));
    }
  }
}

/// Copies heads between a dense matrix and the columns of a wider one.
void copy_heads(const head_rows& h, const float* from, std::ptrdiff_t from_stride, float* to,
                std::ptrdiff_t to_stride) {
  for (int t = 0; t < h.tokens; ++t) {
    std::copy_n(from + t * from_stride, h.heads * h.width, to + t * to_stride);
  }
}

}  // namespace

/// Of one sequence: dense, token-major.
struct decoder::attention_gradients {
  std::vector<float>&dq, &dk, &dv;
};

void decoder::attend_heads_backward(int sequence, int layer, const float* dattention,
                                    const attention_gradients& to) {
  const layer_storage& s = state_of(layer);
  const policy_shape& shape = table_.shape();
  const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
  const int width = queries + 2 * keys;
  const int length = batch_[static_cast<std::size_t>(sequence)].length();
  const std::ptrdiff_t first = first_row(sequence);
  std::vector<float> transposed(matrix_size(hd, span_)), values(matrix_size(hd, span_)),
      probability(matrix_size(1, span_));
  for (int head = 0; head < shape.heads; ++head) {
    const int shared = head / (shape.heads / shape.kv_heads) * hd;
    const float* k = s.k.data() + first * keys + shared;
    const float* v = s.qkv.data() + first * width + queries + keys + shared;
    transpose_head(length, hd, span_, k, keys, transposed.data());
    transpose_head(length, hd, span_, v, width, values.data());
    for (int t = 0; t < length; ++t) {
      const float* query = s.q.data() + (first + t) * queries + head * hd;
      const attention_shape of{
          .width = hd, .keys = t + 1, .span = span_, .score_scale = score_scale(shape)};
      attention_probabilities(of, query, transposed.data(), probability.data());
      const std::ptrdiff_t at = std::ptrdiff_t{t} * queries + head * hd;
      attend_backward(of,
                      {.query = query,
                       .keys = {k, keys},
                       .values_transposed = values.data(),
                       .probability = probability.data(),
                       .dout = dattention + at},
                      {.dquery = to.dq.data() + at,
                       .dkeys = {to.dk.data() + shared, keys},
                       .dvalues = {to.dv.data() + shared, keys}});
    }
  }
}

void decoder::attend_sequence_backward(const forward_layer& w, int sequence, int layer,
                                       const float* dattention) {
  const layer_storage& s = state_of(layer);
  const policy_shape& shape = table_.shape();
  const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
  const int width = queries + 2 * keys;
  const int length = batch_[static_cast<std::size_t>(sequence)].length();
  const std::ptrdiff_t first = first_row(sequence);
  const float* qkv = s.qkv.data() + first * width;
  float* dqkv = back_->dqkv.data() + first * width;
  std::vector<float> dq(matrix_size(length, queries)), dk(matrix_size(length, keys)),
      dv(matrix_size(length, keys));
  attend_heads_backward(sequence, layer, dattention, {dq, dk, dv});
  const auto through_norm = [&](const head_rows& h, const float* weight,
                                const std::vector<float>& all_inverse_rms, int column,
                                std::vector<float>& gradients, std::vector<float>& dy) {
    unrotate(h, rope_, dy.data());
    if (weight != nullptr) {
      std::vector<float> x(dy.size());
      copy_heads(h, qkv + column, width, x.data(), h.heads * hd);
      const normed_rows of{{x.data(), hd}, all_inverse_rms.data() + first * h.heads};
      rms_norm_weight_gradient(h.rows(), hd, of, {dy.data(), hd},
                               gradients.data() + std::ptrdiff_t{sequence} * hd);
      rms_norm_backward(h.rows(), hd, of, weight, {dy.data(), hd}, {dy.data(), hd});
    }
    copy_heads(h, dy.data(), h.heads * hd, dqkv + column, width);
  };
  through_norm({length, shape.heads, hd}, w.q_norm, s.q_inverse_rms, 0, back_->q_norm, dq);
  through_norm({length, shape.kv_heads, hd}, w.k_norm, s.k_inverse_rms, queries, back_->k_norm, dk);
  copy_heads({length, shape.kv_heads, hd}, dv.data(), keys, dqkv + queries + keys, width);
  if (w.qkv_bias != nullptr) {
    column_sums(length, width, {dqkv, width},
                back_->qkv_bias.data() + std::ptrdiff_t{sequence} * width);
  }
}

}  // namespace sim
