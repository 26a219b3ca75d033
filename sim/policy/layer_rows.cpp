// SPDX-License-Identifier: Apache-2.0
// sim/policy/layer_rows.cpp: norm, quantized products, rotation and gate of a layer.
#include "sim/policy/layer_rows.h"

#include <cmath>

#include "sim/policy/row_functions.h"

namespace sim {
namespace {

/// rows x columns values in their operand format; in `buffer` unless unchanged.
const float* quantized(const mx::operand_format& f, int rows, int columns, const float* data,
                       std::vector<float>& buffer) {
  if (f.numbers == mx::number::fp32) return data;
  buffer.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  mx::apply_rows(f, rows, columns, data, columns, buffer.data(), columns);
  return buffer.data();
}

/// The heads of one row: norm over each head, then rotation.
struct head_norm {
  int heads;
  const float* weight;
  float* inverse_rms;
};

void norm_and_rotate(const forward_context& c, const head_norm& norm, const float* raw,
                     int position, float* out) {
  const int hd = c.table.shape().head_width;
  rms_norm(norm.heads, hd, raw, hd, norm.weight, c.table.shape().norm_epsilon, out, hd,
           norm.inverse_rms);
  for (int head = 0; head < norm.heads; ++head) {
    rotate(hd, out + head * hd, c.rope.cosine(position), c.rope.sine(position));
  }
}

void attention_input(const forward_context& c, const forward_layer& w, int rows,
                     const int* positions, const layer_rows& at, std::vector<float>& buffer) {
  const policy_shape& shape = c.table.shape();
  const int d = shape.width, queries = c.table.query_width(), keys = c.table.key_width();
  const std::ptrdiff_t width = w.qkv.n();
  rms_norm(rows, d, at.x, d, w.input_norm, shape.norm_epsilon, at.normed, d, at.x_inverse_rms);
  mx::multiply(rows, quantized(c.data, rows, d, at.normed, buffer), d, w.qkv, at.qkv, width);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float* raw = at.qkv + row * width;
    norm_and_rotate(c, {shape.heads, w.q_norm, at.q_inverse_rms + row * shape.heads}, raw,
                    positions[row], at.q + row * queries);
    norm_and_rotate(c, {shape.kv_heads, w.k_norm, at.k_inverse_rms + row * shape.kv_heads},
                    raw + queries, positions[row], at.k + row * keys);
  }
}

}  // namespace

void forward_layer_rows(const forward_context& c, const forward_layer& w, int rows,
                        const int* positions, const layer_rows& at,
                        const std::function<void()>& attend) {
  const policy_shape& shape = c.table.shape();
  const int d = shape.width, ff = shape.hidden, queries = c.table.query_width();
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  std::vector<float> buffer;
  attention_input(c, w, rows, positions, at, buffer);
  attend();
  mx::multiply(rows, quantized(c.data, rows, queries, at.attention, buffer), queries, w.o,
               at.middle, d);
  add(count, at.x, at.middle);
  rms_norm(rows, d, at.middle, d, w.post_norm, shape.norm_epsilon, at.normed_middle, d,
           at.middle_inverse_rms);
  mx::multiply(rows, quantized(c.data, rows, d, at.normed_middle, buffer), d, w.gate_up, at.gate_up,
               2 * ff);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float* gate = at.gate_up + row * 2 * ff;
    gated(ff, gate, gate + ff, at.hidden + row * ff);
  }
  mx::multiply(rows, quantized(c.data, rows, ff, at.hidden, buffer), ff, w.down, at.next, d);
  add(count, at.middle, at.next);
}

void forward_head_rows(const forward_context& c, const forward_weights& weights, int rows,
                       const float* x, float* inverse_rms, float* normed, float* logits) {
  const policy_shape& shape = c.table.shape();
  rms_norm(rows, shape.width, x, shape.width, weights.final_norm, shape.norm_epsilon, normed,
           shape.width, inverse_rms);
  mx::multiply(rows, normed, shape.width, weights.head, logits, shape.vocabulary);
}

float score_scale(const policy_shape& shape) {
  return 1.0F / std::sqrt(static_cast<float>(shape.head_width));
}

}  // namespace sim
