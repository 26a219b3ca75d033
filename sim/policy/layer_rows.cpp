// SPDX-License-Identifier: Apache-2.0
// sim/policy/layer_rows.cpp: norm, quantized products, rotation and gate of a layer.
#include "sim/policy/layer_rows.h"

#include <algorithm>
#include <cmath>

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
    rms_norm(norm.heads, hd, raw, hd, norm.weight, c.table.shape().norm_epsilon, out, hd,
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
  rms_norm(rows, d, at.x, d, w.input_norm, shape.norm_epsilon, at.normed, d, at.x_inverse_rms);
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

}  // namespace

void layer_storage::resize(const parameter_table& table, std::ptrdiff_t rows) {
  const policy_shape& shape = table.shape();
  const int queries = table.query_width(), keys = table.key_width();
  for (auto* v : {&x_inverse_rms, &middle_inverse_rms}) v->resize(matrix_size(rows, 1));
  for (auto* v : {&normed, &middle, &normed_middle}) v->resize(matrix_size(rows, shape.width));
  for (auto* v : {&q, &attention}) v->resize(matrix_size(rows, queries));
  k.resize(matrix_size(rows, keys));
  qkv.resize(matrix_size(rows, queries + 2 * keys));
  const bool normed_heads = table.features().qk_norm;
  q_inverse_rms.resize(normed_heads ? matrix_size(rows, shape.heads) : 0);
  k_inverse_rms.resize(normed_heads ? matrix_size(rows, shape.kv_heads) : 0);
  gate_up.resize(matrix_size(rows, 2 * shape.hidden));
  hidden.resize(matrix_size(rows, shape.hidden));
}

layer_rows layer_storage::from(const parameter_table& table, std::ptrdiff_t row, const float* x,
                               float* next) {
  const policy_shape& shape = table.shape();
  const std::ptrdiff_t d = shape.width, queries = table.query_width(), keys = table.key_width();
  const auto of_heads = [row](std::vector<float>& v, int heads) {
    return v.empty() ? nullptr : v.data() + row * heads;
  };
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
          gate_up.data() + row * 2 * shape.hidden,
          hidden.data() + row * shape.hidden,
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
  const int d = shape.width, ff = shape.hidden, rows = tokens.rows();
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  const layer_place place{layer, tokens};
  attention_input(c, w, place, at);
  attend();
  multiply_dense(c, place, linear::o, at.attention, w.o, at.middle);
  add(count, at.x, at.middle);
  rms_norm(rows, d, at.middle, d, w.post_norm, shape.norm_epsilon, at.normed_middle, d,
           at.middle_inverse_rms);
  multiply_dense(c, place, linear::gate, at.normed_middle, w.gate_up, at.gate_up);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float* gate = at.gate_up + row * 2 * ff;
    gated(ff, gate, gate + ff, at.hidden + row * ff);
  }
  multiply_dense(c, place, linear::down, at.hidden, w.down, at.next);
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
