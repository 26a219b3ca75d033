// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_backward.cpp: the backward pass and the weight gradients of the decoder.
#include <tbb/task_arena.h>

#include <algorithm>

#include "sim/policy/decoder.h"
#include "sim/policy/row_functions.h"
#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

/// dX = Q(dY) W for one linear, dense rows x W's columns.
///   dy  rows x columns of a wider matrix with this stride
void multiply_gradient(const mx::operand_format& f, int rows, const float* dy,
                       std::ptrdiff_t stride, const mx::packed_matrix& w, float* dx) {
  if (f.numbers == mx::number::fp32) {
    mx::multiply(rows, dy, stride, w, dx, w.n());
    return;
  }
  std::vector<float> quantized(matrix_size(rows, w.k()));
  mx::apply_rows(f, rows, w.k(), dy, stride, quantized.data(), w.k());
  mx::multiply(rows, quantized.data(), w.k(), w, dx, w.n());
}

}  // namespace

void decoder::backward(const forward_weights& weights, const backward_weights& transposed,
                       const mx::operand_format& dgrad_data, const token_weight& weight) {
  const int d = table_.shape().width;
  for_each_group([&](const group& g) {
    std::vector<float> dx(matrix_size(rows_of(g), d));
    head_backward(weights, transposed, weight, g, dx.data());
    for (int i = table_.shape().layers - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      feed_forward_backward(weights.layers[at], transposed.layers[at], layers_[at], dgrad_data, g,
                            i, dx.data());
      attention_backward(weights.layers[at], transposed.layers[at], layers_[at], dgrad_data, g, i,
                         dx.data());
    }
    // The embedding gathers rows by token: its gradient is added to the head's, token by token.
    const float* row = dx.data();
    for (int s = g.first; s < g.last; ++s) {
      float* sum = leaf(table_.embedding(), s);
      for (const std::uint8_t t : batch_[static_cast<std::size_t>(s)].tokens) {
        add(d, row, sum + static_cast<std::ptrdiff_t>(t) * d);
        row += d;
      }
    }
  });
}

void decoder::norm_leaf(const parameter& p, int sequence, int rows, const float* x,
                        std::ptrdiff_t stride, const float* inverse_rms, const float* dy,
                        std::ptrdiff_t dy_stride) {
  rms_norm_weight_gradient(rows, p.columns, x, stride, inverse_rms, dy, dy_stride,
                           leaf(p, sequence));
}

void decoder::head_backward(const forward_weights& weights, const backward_weights& transposed,
                            const token_weight& weight, const group& g, float* dx) {
  const policy_shape& shape = table_.shape();
  const int d = shape.width, vocabulary = shape.vocabulary, rows = rows_of(g);
  const std::ptrdiff_t first = first_row(g.first);
  for (int i = g.first; i < g.last; ++i) {
    const sequence& s = batch_[static_cast<std::size_t>(i)];
    float* dlogits = dlogits_.data() + static_cast<std::ptrdiff_t>(first_row(i)) * vocabulary;
    // A row without a following response token has no loss.
    std::fill_n(dlogits, static_cast<std::ptrdiff_t>(s.prompt - 1) * vocabulary, 0.0F);
    std::fill_n(dlogits + static_cast<std::ptrdiff_t>(s.length() - 1) * vocabulary, vocabulary,
                0.0F);
    for (int t = 0; t < s.response(); ++t) {
      const std::ptrdiff_t row = s.prompt + t - 1;
      float* out = dlogits + row * vocabulary;
      std::copy_n(distribution_.data() + (first_row(i) + row) * vocabulary, vocabulary, out);
      out[s.tokens.data()[row + 1]] -= 1.0F;
      const token_outcome& outcome = outcomes_.data()[first_outcome_.data()[i] + t];
      scale(vocabulary, weight(i, t, outcome), out);
    }
    // The head's weight gradient: one product a sequence, not quantized.
    const mx::outer_product product{
        s.length(), dlogits, final_normed_.data() + static_cast<std::ptrdiff_t>(first_row(i)) * d};
    float* levels[] = {leaf(table_.embedding(), i)};
    mx::add_leaves(&product, 1, 0, vocabulary, 0, vocabulary, d, vocabulary, d, levels);
  }
  std::vector<float> dnormed(matrix_size(rows, d));
  mx::multiply(rows, dlogits_.data() + first * vocabulary, vocabulary, transposed.head,
               dnormed.data(), d);
  norm_backward({table_.final_norm(), weights.final_norm, final_x_, final_inverse_rms_}, g,
                dnormed.data());
  std::ranges::copy(dnormed, dx);
}

/// Backward of a norm of width d, in place; the weight's gradient goes to the sequences' leaves.
void decoder::norm_backward(const wide_norm& norm, const group& g, float* dy) {
  const int d = table_.shape().width;
  const std::ptrdiff_t first = first_row(g.first);
  for (int i = g.first; i < g.last; ++i) {
    const std::ptrdiff_t row = first_row(i);
    norm_leaf(norm.place, i, first_row(i + 1) - first_row(i), norm.x.data() + row * d, d,
              norm.inverse_rms.data() + row, dy + (row - first) * d, d);
  }
  rms_norm_backward(rows_of(g), d, norm.x.data() + first * d, d, norm.inverse_rms.data() + first,
                    norm.weight, dy, d, dy, d);
}

void decoder::feed_forward_backward(const forward_layer& w, const backward_layer& t, layer_state& s,
                                    const mx::operand_format& data, const group& g, int layer,
                                    float* dx) {
  const policy_shape& shape = table_.shape();
  const int d = shape.width, ff = shape.hidden, rows = rows_of(g);
  const std::ptrdiff_t first = first_row(g.first);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  std::copy_n(dx, count, s.ddown.data() + first * d);
  std::vector<float> dhidden(matrix_size(rows, ff));
  multiply_gradient(data, rows, dx, d, t.of(linear::down), dhidden.data());
  for (int row = 0; row < rows; ++row) {
    const float* gate = s.gate_up.data() + (first + row) * 2 * ff;
    float* dgate = s.dgate_up.data() + (first + row) * 2 * ff;
    gated_backward(ff, gate, gate + ff, dhidden.data() + static_cast<std::ptrdiff_t>(row) * ff,
                   dgate, dgate + ff);
  }
  const float* dgate_up = s.dgate_up.data() + first * 2 * ff;
  std::vector<float> dnormed(matrix_size(rows, d)), other(matrix_size(rows, d));
  multiply_gradient(data, rows, dgate_up, 2 * ff, t.of(linear::gate), dnormed.data());
  multiply_gradient(data, rows, dgate_up + ff, 2 * ff, t.of(linear::up), other.data());
  add(count, other.data(), dnormed.data());
  norm_backward({table_.layer(layer).post_norm, w.post_norm, s.middle, s.middle_inverse_rms}, g,
                dnormed.data());
  add(count, dnormed.data(), dx);
}

void decoder::attention_backward(const forward_layer& w, const backward_layer& t, layer_state& s,
                                 const mx::operand_format& data, const group& g, int layer,
                                 float* dx) {
  const int d = table_.shape().width, rows = rows_of(g);
  const int queries = table_.query_width(), keys = table_.key_width(), width = queries + 2 * keys;
  const std::ptrdiff_t first = first_row(g.first);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(rows) * d;
  std::copy_n(dx, count, s.doutput.data() + first * d);
  std::vector<float> dattention(matrix_size(rows, queries));
  multiply_gradient(data, rows, dx, d, t.of(linear::o), dattention.data());
  for (int i = g.first; i < g.last; ++i) {
    attend_sequence_backward(w, s, i, layer, dattention.data() + (first_row(i) - first) * queries);
  }
  const float* dqkv = s.dqkv.data() + first * width;
  std::vector<float> dnormed(matrix_size(rows, d)), other(matrix_size(rows, d));
  multiply_gradient(data, rows, dqkv, width, t.of(linear::q), dnormed.data());
  multiply_gradient(data, rows, dqkv + queries, width, t.of(linear::k), other.data());
  add(count, other.data(), dnormed.data());
  multiply_gradient(data, rows, dqkv + queries + keys, width, t.of(linear::v), other.data());
  add(count, other.data(), dnormed.data());
  norm_backward({table_.layer(layer).input_norm, w.input_norm, s.x, s.x_inverse_rms}, g,
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

void decoder::attend_sequence_backward(const forward_layer& w, layer_state& s, int sequence,
                                       int layer, const float* dattention) {
  const policy_shape& shape = table_.shape();
  const int hd = shape.head_width, queries = table_.query_width(), keys = table_.key_width();
  const int width = queries + 2 * keys;
  const int length = batch_[static_cast<std::size_t>(sequence)].length();
  const std::ptrdiff_t first = first_row(sequence);
  const float* qkv = s.qkv.data() + first * width;
  float* dqkv = s.dqkv.data() + first * width;
  std::vector<float> dq(matrix_size(length, queries)), dk(matrix_size(length, keys)),
      dv(matrix_size(length, keys));
  std::vector<float> values(matrix_size(hd, span_));
  for (int head = 0; head < shape.heads; ++head) {
    const int shared = head / (shape.heads / shape.kv_heads) * hd;
    std::ranges::fill(values, 0.0F);
    for (int j = 0; j < length; ++j) {
      const float* v = qkv + j * width + queries + keys + shared;
      for (int c = 0; c < hd; ++c) values.data()[c * span_ + j] = v[c];
    }
    for (int t = 0; t < length; ++t) {
      const std::ptrdiff_t row = first + t;
      attend_backward(hd, t + 1, span_, score_scale(shape), s.q.data() + row * queries + head * hd,
                      s.k.data() + first * keys + shared, keys, values.data(),
                      s.probability.data() + (row * shape.heads + head) * span_,
                      dattention + t * queries + head * hd, dq.data() + t * queries + head * hd,
                      dk.data() + shared, keys, dv.data() + shared, keys);
    }
  }
  const layer_parameters& p = table_.layer(layer);
  const auto through_norm = [&](const head_rows& h, const parameter& norm, const float* weight,
                                const float* inverse_rms, int column, std::vector<float>& dy) {
    std::vector<float> x(dy.size());
    unrotate(h, rope_, dy.data());
    copy_heads(h, qkv + column, width, x.data(), h.heads * hd);
    norm_leaf(norm, sequence, h.rows(), x.data(), hd, inverse_rms, dy.data(), hd);
    rms_norm_backward(h.rows(), hd, x.data(), hd, inverse_rms, weight, dy.data(), hd, dy.data(),
                      hd);
    copy_heads(h, dy.data(), h.heads * hd, dqkv + column, width);
  };
  through_norm({length, shape.heads, hd}, p.q_norm, w.q_norm,
               s.q_inverse_rms.data() + first * shape.heads, 0, dq);
  through_norm({length, shape.kv_heads, hd}, p.k_norm, w.k_norm,
               s.k_inverse_rms.data() + first * shape.kv_heads, queries, dk);
  copy_heads({length, shape.kv_heads, hd}, dv.data(), keys, dqkv + queries + keys, width);
}

void decoder::quantize_operands(const pass_format& wgrad) {
  const policy_shape& shape = table_.shape();
  const int d = shape.width, queries = table_.query_width(), keys = table_.key_width();
  const auto columns = [](const mx::operand_format& f, int rows, int count, std::ptrdiff_t row,
                          std::vector<float>& matrix) {
    if (f.numbers == mx::number::fp32) return;
    float* at = matrix.data() + row * count;
    mx::apply_columns(f, rows, count, at, count, at, count);
  };
  const mx::operand_format other =
      wgrad.other == input_format_ ? mx::operand_format{} : wgrad.other;
  input_format_ = wgrad.other;
  for_each_group([&](const group& g) {
    for (layer_state& s : layers_) {
      for (int i = g.first; i < g.last; ++i) {
        const std::ptrdiff_t row = first_row(i);
        const int rows = first_row(i + 1) - first_row(i);
        columns(wgrad.data, rows, queries + 2 * keys, row, s.dqkv);
        columns(wgrad.data, rows, d, row, s.doutput);
        columns(wgrad.data, rows, 2 * shape.hidden, row, s.dgate_up);
        columns(wgrad.data, rows, d, row, s.ddown);
        columns(other, rows, d, row, s.normed);
        columns(other, rows, queries, row, s.attention);
        columns(other, rows, d, row, s.normed_middle);
        columns(other, rows, shape.hidden, row, s.hidden);
      }
    }
  });
}

void decoder::add_weight_gradients(const pass_format& wgrad, gradient_tree& tree) {
  quantize_operands(wgrad);
  /// Rows of one weight for one task.
  struct share {
    int layer;
    linear which;
    int begin, end;
  };
  constexpr int rows_a_share = 48;
  std::vector<share> shares;
  for (int layer = 0; layer < table_.shape().layers; ++layer) {
    for (const linear l : all_linears) {
      const int rows = table_.layer(layer).of(l).rows;
      for (int begin = 0; begin < rows; begin += rows_a_share) {
        shares.push_back({layer, l, begin, std::min(rows, begin + rows_a_share)});
      }
    }
  }
  const int first = tree.added(), count = static_cast<int>(batch_.size());
  const auto add_share = [&](const share& job) {
    const parameter& p = table_.layer(job.layer).of(job.which);
    const operand_view dy = output_gradient_of(job.layer, job.which);
    const operand_view x = input_of(job.layer, job.which);
    std::vector<mx::outer_product> products;
    for (int i = 0; i < count; ++i) {
      const std::ptrdiff_t row = first_row(i);
      products.push_back(
          {first_row(i + 1) - first_row(i), dy.data + row * dy.stride, x.data + row * x.stride});
    }
    const std::vector<float*> levels = tree.levels_at(p.offset);
    mx::add_leaves(products.data(), count, first, p.rows, job.begin, job.end, p.columns, dy.stride,
                   x.stride, levels.data());
  };
  tbb::this_task_arena::isolate([&] {
    whole_loop(static_cast<std::ptrdiff_t>(shares.size()),
               [&](std::ptrdiff_t i) { add_share(shares[static_cast<std::size_t>(i)]); });
  });
  for (int i = 0; i < count; ++i) {
    for (const parameter& p : small_) tree.add_leaf(first + i, p.offset, p.count(), leaf(p, i));
  }
  tree.complete(count);
}

}  // namespace sim
