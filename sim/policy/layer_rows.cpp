// SPDX-License-Identifier: Apache-2.0
// sim/policy/layer_rows.cpp: norm, quantized products, rotation and gate of a layer.
#include "sim/policy/layer_rows.h"

#include <algorithm>
#include <cmath>

#include "sim/policy/attention_rows.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {
namespace {

/// The heads of one row: norm over each head, then rotation.
///   weight  null: none
struct head_norm {
  int heads;
  const float* weight;
  float* inverse_rms;
};

void norm_and_rotate(const forward_context& c, const head_norm& norm, const float* raw,
                     int position, float* out) {
  const int hd = c.table.shape().head_width;
  if (norm.weight == nullptr) {
    std::copy_n(raw, norm.heads * hd, out);
  } else {
    rms_norm(norm.heads, hd, {raw, hd}, norm.weight, c.table.shape().norm_epsilon, {out, hd},
             norm.inverse_rms);
  }
  for (int head = 0; head < norm.heads; ++head) {
    rotate(hd, out + head * hd, c.rope.cosine(position), c.rope.sine(position));
  }
}

/// A layer's place and its rows' tokens.
struct layer_place {
  int layer;
  const row_tokens& tokens;
};

/// out = X W, X dense.
void multiply_dense(const forward_context& c, const layer_place& place, linear first,
                    const float* x, const weight_factor& w, float* out) {
  const row_tokens& tokens = place.tokens;
  multiply(c.products, {place.layer, first}, {tokens.rows(), x, w.k, tokens.numbers.data()}, w,
           out);
}

/// The inverse_rms of a row's heads, where heads have norms.
float* heads_at(float* inverse_rms, std::ptrdiff_t first) {
  return inverse_rms == nullptr ? nullptr : inverse_rms + first;
}

void attention_input(const forward_context& c, const forward_layer& w, const layer_place& place,
                     const layer_rows& at) {
  const policy_shape& shape = c.table.shape();
  const int d = shape.width, queries = c.table.query_width(), keys = c.table.key_width();
  const int rows = place.tokens.rows();
  const std::ptrdiff_t width = w.qkv.n;
  rms_norm(rows, d, {at.x, d}, w.input_norm, shape.norm_epsilon, {at.normed, d}, at.x_inverse_rms);
  multiply_dense(c, place, linear::q, at.normed, w.qkv, at.qkv);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    float* raw = at.qkv + row * width;
    if (w.qkv_bias != nullptr) add(width, w.qkv_bias, raw);
    const int position = place.tokens.positions.data()[row];
    norm_and_rotate(c, {shape.heads, w.q_norm, heads_at(at.q_inverse_rms, row * shape.heads)}, raw,
                    position, at.q + row * queries);
    norm_and_rotate(c, {shape.kv_heads, w.k_norm, heads_at(at.k_inverse_rms, row * shape.kv_heads)},
                    raw + queries, position, at.k + row * keys);
  }
}

/// One feed-forward part. X of gate and up, their outputs, X of down, the part's output: dense
/// rows.
struct part_rows {
  int rows;
  const std::uint64_t* tokens;
  const float* x;
  float *gate_up, *hidden, *out;
};

void compute_part(const forward_context& c, const product_place& gate,
                  const forward_layer::feed_forward& w, const part_rows& at) {
  const std::ptrdiff_t d = c.table.shape().width, ff = c.table.shape().hidden;
  multiply(c.products, gate, {at.rows, at.x, d, at.tokens}, w.gate_up, at.gate_up);
  for (std::ptrdiff_t row = 0; row < at.rows; ++row) {
    const float* of_row = at.gate_up + row * 2 * ff;
    gated(ff, of_row, of_row + ff, at.hidden + row * ff);
  }
  multiply(c.products, {gate.layer, linear::down, gate.expert}, {at.rows, at.hidden, ff, at.tokens},
           w.down, at.out);
}

/// The slots of one expert.
void compute_expert(const forward_context& c, const product_place& gate,
                    const forward_layer::feed_forward& w, const row_tokens& tokens,
                    std::span<const int> slots, const layer_rows& at) {
  const policy_shape& shape = c.table.shape();
  const int chosen = shape.experts.chosen, d = shape.width, ff = shape.hidden;
  const auto rows = std::ssize(slots);
  std::vector<std::uint64_t> numbers;
  for (const int slot : slots) numbers.push_back(tokens.numbers.data()[slot / chosen]);
  const std::vector<float> x = gathered(slots, chosen, d, at.normed_middle);
  std::vector<float> gate_up(matrix_size(rows, 2 * ff)), hidden(matrix_size(rows, ff)),
      out(matrix_size(rows, d));
  compute_part(c, gate, w,
               {static_cast<int>(rows), numbers.data(), x.data(), gate_up.data(), hidden.data(),
                out.data()});
  scatter(slots, 2 * ff, gate_up.data(), at.gate_up);
  scatter(slots, ff, hidden.data(), at.hidden);
  scatter(slots, d, out.data(), at.part);
}

void compute_mixture(const forward_context& c, const forward_layer& w, const layer_place& place,
                     const layer_rows& at) {
  const policy_shape& shape = c.table.shape();
  const expert_mixture& mixture = shape.experts;
  const int rows = place.tokens.rows();
  std::vector<float> logits(matrix_size(rows, mixture.count));
  w.router->multiply(rows, at.normed_middle, shape.width, logits.data());
  choose_experts(mixture, rows, logits.data(), at.choice);
  const std::span<const int> experts(at.choice.expert, matrix_size(rows, mixture.chosen));
  for (int e = 0; e < mixture.count; ++e) {
    const std::vector<int> slots = slots_of(e, experts);
    if (slots.empty()) continue;
    compute_expert(c, {place.layer, linear::gate, e}, w.parts[static_cast<std::size_t>(e)],
                   place.tokens, slots, at);
  }
  add_slots(rows, mixture.chosen, shape.width, at.choice.weight, at.part, at.next);
}

}  // namespace

void layer_storage::resize(const parameter_table& table, std::ptrdiff_t rows) {
  const policy_shape& shape = table.shape();
  const int queries = table.query_width(), keys = table.key_width();
  for (auto* v : {&x_inverse_rms, &middle_inverse_rms}) provide(*v, matrix_size(rows, 1));
  for (auto* v : {&normed, &middle, &normed_middle}) provide(*v, matrix_size(rows, shape.width));
  for (auto* v : {&q, &attention}) provide(*v, matrix_size(rows, queries));
  provide(k, matrix_size(rows, keys));
  provide(qkv, matrix_size(rows, queries + 2 * keys));
  const bool normed_heads = table.features().qk_norm;
  provide(q_inverse_rms, normed_heads ? matrix_size(rows, shape.heads) : 0);
  provide(k_inverse_rms, normed_heads ? matrix_size(rows, shape.kv_heads) : 0);
  const std::ptrdiff_t slots = rows * shape.parts_a_token();
  provide(gate_up, matrix_size(slots, 2 * shape.hidden));
  provide(hidden, matrix_size(slots, shape.hidden));
  if (!shape.has_experts()) return;
  provide(expert, matrix_size(slots, 1));
  provide(expert_weight, matrix_size(slots, 1));
  provide(expert_probability, matrix_size(rows, shape.experts.count));
  provide(part, matrix_size(slots, shape.width));
}

layer_rows layer_storage::from(const parameter_table& table, std::ptrdiff_t row, const float* x,
                               float* next) {
  const policy_shape& shape = table.shape();
  const std::ptrdiff_t d = shape.width, queries = table.query_width(), keys = table.key_width();
  const std::ptrdiff_t slot = row * shape.parts_a_token();
  const auto of_heads = [row](std::vector<float>& v, int heads) {
    return v.empty() ? nullptr : v.data() + row * heads;
  };
  const bool mixture = shape.has_experts();
  return {x,
          x_inverse_rms.data() + row,
          normed.data() + row * d,
          qkv.data() + row * (queries + 2 * keys),
          q.data() + row * queries,
          k.data() + row * keys,
          of_heads(q_inverse_rms, shape.heads),
          of_heads(k_inverse_rms, shape.kv_heads),
          attention.data() + row * queries,
          middle.data() + row * d,
          middle_inverse_rms.data() + row,
          normed_middle.data() + row * d,
          gate_up.data() + slot * 2 * shape.hidden,
          hidden.data() + slot * shape.hidden,
          mixture ? expert_choice{expert.data() + slot, expert_weight.data() + slot,
                                  expert_probability.data() + row * shape.experts.count}
                  : expert_choice{},
          mixture ? part.data() + slot * d : nullptr,
          next};
}

void row_tokens::append(const draw_key& key, int sequence, int position) {
  positions.push_back(position);
  numbers.push_back(token_number(key, sequence, position));
}

void forward_layer_rows(const forward_context& c, const forward_layer& w, int layer,
                        const row_tokens& tokens, const layer_rows& at,
                        const std::function<void()>& attend) {
  const policy_shape& shape = c.table.shape();
  const int d = shape.width, rows = tokens.rows();
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  const layer_place place{layer, tokens};
  attention_input(c, w, place, at);
  attend();
  multiply_dense(c, place, linear::o, at.attention, w.o, at.middle);
  add(count, at.x, at.middle);
  rms_norm(rows, d, {at.middle, d}, w.post_norm, shape.norm_epsilon, {at.normed_middle, d},
           at.middle_inverse_rms);
  if (shape.has_experts()) {
    compute_mixture(c, w, place, at);
  } else {
    compute_part(c, {layer, linear::gate}, w.parts.front(),
                 {rows, tokens.numbers.data(), at.normed_middle, at.gate_up, at.hidden, at.next});
  }
  add(count, at.middle, at.next);
}

void transpose_head(int rows, int width, int span, const float* head, std::ptrdiff_t stride,
                    float* out) {
  std::fill_n(out, static_cast<std::ptrdiff_t>(width) * span, 0.0F);
  for (int j = 0; j < rows; ++j) {
    for (int c = 0; c < width; ++c) out[c * span + j] = head[j * stride + c];
  }
}

float score_scale(const policy_shape& shape) {
  return 1.0F / std::sqrt(static_cast<float>(shape.head_width));
}

}  // namespace sim
