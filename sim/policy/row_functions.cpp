// SPDX-License-Identifier: Apache-2.0
// sim/policy/row_functions.cpp: the row functions for every target.
#include "sim/policy/row_functions.h"

#include <cmath>

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/policy/row_functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/policy/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sim::HWY_NAMESPACE {

void norm_rows(int rows, int width, readable_rows x, const float* weight, float epsilon,
               writable_rows y, float* inverse_rms) {
  for (int row = 0; row < rows; ++row) {
    const float* from = x.row(row);
    float* to = y.row(row);
    const float mean = dot(width, from, from) / static_cast<float>(width);
    inverse_rms[row] = 1.0F / std::sqrt(mean + epsilon);
    const V r = set(inverse_rms[row]);
    for (int i = 0; i < width; i += lanes) {
      store(hn::Mul(hn::Mul(load(from + i), r), load(weight + i)), to + i);
    }
  }
}

/// With n = x r and s = mean(n * dy * weight): dx = r (dy * weight - n s).
HWY_INLINE void norm_row_backward(int width, const float* x, float r, const float* weight,
                                  const float* dy, float* dx) {
  lane_sum sum;
  const V vr = set(r);
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = i + p * lanes;
      const V n = hn::Mul(load(x + at), vr);
      sum.part[p] = fused(n, hn::Mul(load(dy + at), load(weight + at)), sum.part[p]);
    }
  }
  const V mean = set(sum.total() / static_cast<float>(width));
  for (int i = 0; i < width; i += lanes) {
    const V n = hn::Mul(load(x + i), vr);
    const V scaled = hn::Mul(load(dy + i), load(weight + i));
    store(hn::Mul(vr, hn::Sub(scaled, hn::Mul(n, mean))), dx + i);
  }
}

void norm_rows_backward(int rows, int width, const normed_rows& of, const float* weight,
                        readable_rows dy, writable_rows dx) {
  for (int row = 0; row < rows; ++row) {
    norm_row_backward(width, of.x.row(row), of.inverse_rms[row], weight, dy.row(row), dx.row(row));
  }
}

/// Sums over rows: lane = row mod 16, then the tree.
struct row_lanes {
  V lane[16];

  row_lanes() {
    for (V& sum : lane) sum = hn::Zero(D());
  }
  V total() {
    for (int distance = 8; distance > 0; distance /= 2) {
      for (int j = 0; j < distance; ++j) lane[j] = hn::Add(lane[j], lane[j + distance]);
    }
    return lane[0];
  }
};

void norm_weight_gradient(int rows, int width, const normed_rows& of, readable_rows dy,
                          float* dweight) {
  for (int i = 0; i < width; i += lanes) {
    row_lanes sum;
    for (int row = 0; row < rows; ++row) {
      const V n = hn::Mul(load(of.x.row(row) + i), set(of.inverse_rms[row]));
      sum.lane[row % 16] = fused(n, load(dy.row(row) + i), sum.lane[row % 16]);
    }
    store(sum.total(), dweight + i);
  }
}

void sum_columns(int rows, int width, readable_rows x, float* sums) {
  for (int i = 0; i < width; i += lanes) {
    row_lanes sum;
    for (int row = 0; row < rows; ++row) {
      sum.lane[row % 16] = hn::Add(sum.lane[row % 16], load(x.row(row) + i));
    }
    store(sum.total(), sums + i);
  }
}

/// attend's probabilities: a softmax over the first `keys` of `span` scores.
HWY_INLINE void softmax_of_scores(int keys, int span, float* score) {
  const D d;
  float largest = score[0];
  for (int j = 1; j < keys; ++j) largest = score[j] > largest ? score[j] : largest;
  lane_sum sum;
  for (int j = 0; j < span; j += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = j + p * lanes;
      const auto inside =
          hn::Lt(hn::Iota(d, static_cast<float>(at)), set(static_cast<float>(keys)));
      const V e =
          hn::IfThenElseZero(inside, exponential_of(hn::Sub(load(score + at), set(largest))));
      store(e, score + at);
      sum.part[p] = hn::Add(sum.part[p], e);
    }
  }
  const V total = set(sum.total());
  for (int j = 0; j < span; j += lanes) store(hn::Div(load(score + j), total), score + j);
}

/// out_j = sum over c of weight_c * matrix(c, j), c ascending, for `span` columns.
HWY_INLINE void combine_rows(int rows, int span, const float* weight, readable_rows matrix,
                             float* out) {
  for (int j = 0; j < span; j += 16) {
    V sum[parts];
    for (V& s : sum) s = hn::Zero(D());
    for (int c = 0; c < rows; ++c) {
      const V w = set(weight[c]);
      for (int p = 0; p < parts; ++p) {
        sum[p] = fused(w, load(matrix.row(c) + j + p * lanes), sum[p]);
      }
    }
    for (int p = 0; p < parts; ++p) store(sum[p], out + j + p * lanes);
  }
}

HWY_INLINE void add_multiple(int count, float factor, const float* x, float* sum) {
  const V f = set(factor);
  for (int i = 0; i < count; i += lanes) store(fused(f, load(x + i), load(sum + i)), sum + i);
}

// Members that loops use are read into locals first: through a reference they would be read again
// after every store.

void attention_row(const attention_shape& shape, const float* query, const float* keys_transposed,
                   float* probability) {
  const int span = shape.span;
  const float score_scale = shape.score_scale;
  combine_rows(shape.width, span, query, {keys_transposed, span}, probability);
  for (int j = 0; j < span; j += lanes) {
    store(hn::Mul(load(probability + j), set(score_scale)), probability + j);
  }
  softmax_of_scores(shape.keys, span, probability);
}

void attend_row(const attention_shape& shape, const attend_operands& from,
                const attend_results& to) {
  attention_row(shape, from.query, from.keys_transposed, to.probability);
  combine_rows(shape.keys, shape.width, to.probability, from.values, to.out);
}

///   dscore  span numbers, of any value
void attend_row_backward(const attention_shape& shape, const attend_backward_operands& from,
                         const query_gradients& to, float* dscore) {
  const int width = shape.width, keys = shape.keys, span = shape.span;
  const float score_scale = shape.score_scale;
  const float *query = from.query, *probability = from.probability, *dout = from.dout;
  const writable_rows dkeys = to.dkeys, dvalues = to.dvalues;
  combine_rows(width, span, dout, {from.values_transposed, span}, dscore);
  const V mean = set(dot(span, probability, dscore));
  for (int j = 0; j < span; j += lanes) {
    const V ds = hn::Mul(load(probability + j), hn::Sub(load(dscore + j), mean));
    store(hn::Mul(ds, set(score_scale)), dscore + j);
  }
  combine_rows(keys, width, dscore, from.keys, to.dquery);
  for (int j = 0; j < keys; ++j) {
    add_multiple(width, dscore[j], query, dkeys.row(j));
    add_multiple(width, probability[j], dout, dvalues.row(j));
  }
}

/// The rotation by the angle, or back: by its negative, whose sine is exact too. Half a head is a
/// multiple of 8 lanes, not of 16.
HWY_INLINE void turn_row(int width, float* x, const float* cosine, const float* sine, float sign) {
  const hn::CappedTag<float, 8> d;
  const int half = width / 2;
  for (int j = 0; j < half; j += static_cast<int>(hn::MaxLanes(d))) {
    const auto a = hn::LoadU(d, x + j), b = hn::LoadU(d, x + half + j);
    const auto c = hn::LoadU(d, cosine + j);
    const auto s = hn::Mul(hn::LoadU(d, sine + j), hn::Set(d, sign));
    hn::StoreU(hn::Sub(hn::Mul(a, c), hn::Mul(b, s)), d, x + j);
    hn::StoreU(hn::Add(hn::Mul(b, c), hn::Mul(a, s)), d, x + half + j);
  }
}

void rotate_row(int width, float* x, const float* cosine, const float* sine) {
  turn_row(width, x, cosine, sine, 1.0F);
}

void rotate_row_back(int width, float* x, const float* cosine, const float* sine) {
  turn_row(width, x, cosine, sine, -1.0F);
}

HWY_INLINE V sigmoid(V x) {
  return hn::Div(set(1.0F), hn::Add(set(1.0F), exponential_of(hn::Neg(x))));
}

void gated_elements(std::ptrdiff_t count, const float* gate, const float* up, float* hidden) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) {
    const V g = load(gate + i);
    store(hn::Mul(hn::Mul(g, sigmoid(g)), load(up + i)), hidden + i);
  }
}

void gated_elements_backward(std::ptrdiff_t count, const float* gate, const float* up,
                             const float* dhidden, float* dgate, float* dup) {
  const V one = set(1.0F);
  for (std::ptrdiff_t i = 0; i < count; i += lanes) {
    const V g = load(gate + i), u = load(up + i), dh = load(dhidden + i);
    const V s = sigmoid(g);
    const V slope = hn::Mul(s, fused(g, hn::Sub(one, s), one));
    store(hn::Mul(dh, hn::Mul(g, s)), dup + i);
    store(hn::Mul(hn::Mul(dh, u), slope), dgate + i);
  }
}

float log_softmax_row(int width, const float* logits, float* log_probability, float* probability) {
  float largest = logits[0];
  for (int i = 1; i < width; ++i) largest = logits[i] > largest ? logits[i] : largest;
  lane_sum sum;
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const V shifted = hn::Sub(load(logits + i + p * lanes), set(largest));
      store(shifted, log_probability + i + p * lanes);
      sum.part[p] = hn::Add(sum.part[p], exponential_of(shifted));
    }
  }
  const V total = logarithm_of(set(sum.total()));
  lane_sum entropy;
  for (int i = 0; i < width; i += 16) {
    for (int p = 0; p < parts; ++p) {
      const int at = i + p * lanes;
      const V log_p = hn::Sub(load(log_probability + at), total);
      const V prob = exponential_of(log_p);
      store(log_p, log_probability + at);
      if (probability != nullptr) store(prob, probability + at);
      entropy.part[p] = fused(prob, hn::Neg(log_p), entropy.part[p]);
    }
  }
  return entropy.total();
}

float relative_entropy_row(int width, const float* p, const float* log_p, const float* log_q) {
  lane_sum sum;
  for (int i = 0; i < width; i += 16) {
    for (int part = 0; part < parts; ++part) {
      const int at = i + part * lanes;
      sum.part[part] =
          fused(load(p + at), hn::Sub(load(log_p + at), load(log_q + at)), sum.part[part]);
    }
  }
  return sum.total();
}

void gumbel_elements(std::ptrdiff_t count, const float* u, float* out) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) {
    store(hn::Neg(logarithm_of(hn::Neg(logarithm_of(load(u + i))))), out + i);
  }
}

/// cos and sin of 2 pi u: u = quarter / 4 + r with |r| <= 1/8, exactly; then series in 2 pi r.
HWY_INLINE void turn(V u, V* cosine, V* sine) {
  const D d;
  const V anchor = set(0x1.8p23F);
  const V quarter = hn::Sub(hn::Add(hn::Mul(u, set(4.0F)), anchor), anchor);
  const V r = fused(quarter, set(-0.25F), u);
  const V a = hn::Mul(r, set(0x1.921fb6p2F));
  const V z = hn::Mul(a, a);
  const V s = hn::Mul(
      a, polynomial(z, {1.0F, -0x1.555556p-3F, 0x1.111112p-7F, -0x1.a01a02p-13F, 0x1.71de3ap-19F}));
  const V c = polynomial(
      z, {1.0F, -0x1p-1F, 0x1.555556p-5F, -0x1.6c16c2p-10F, 0x1.a01a02p-16F, -0x1.27e4fcp-22F});
  const VI q = hn::ConvertTo(DI(), quarter);
  const auto odd = hn::RebindMask(d, hn::Ne(hn::And(q, hn::Set(DI(), 1)), hn::Zero(DI())));
  const VI two = hn::Set(DI(), 2);
  const auto c_negative =
      hn::RebindMask(d, hn::Ne(hn::And(hn::Add(q, hn::Set(DI(), 1)), two), hn::Zero(DI())));
  const auto s_negative = hn::RebindMask(d, hn::Ne(hn::And(q, two), hn::Zero(DI())));
  const V plain_c = hn::IfThenElse(odd, s, c);
  const V plain_s = hn::IfThenElse(odd, c, s);
  *cosine = hn::IfThenElse(c_negative, hn::Neg(plain_c), plain_c);
  *sine = hn::IfThenElse(s_negative, hn::Neg(plain_s), plain_s);
}

void normal_elements(std::ptrdiff_t pairs, const float* u, float* out) {
  for (std::ptrdiff_t i = 0; i < pairs; i += lanes) {
    const V radius = hn::Sqrt(hn::Mul(set(-2.0F), logarithm_of(load(u + i))));
    V cosine, sine;
    turn(load(u + pairs + i), &cosine, &sine);
    store(hn::Mul(radius, cosine), out + i);
    store(hn::Mul(radius, sine), out + pairs + i);
  }
}

void add_elements(std::ptrdiff_t count, const float* y, float* x) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) store(hn::Add(load(x + i), load(y + i)), x + i);
}

void scale_elements(std::ptrdiff_t count, float factor, float* x) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) store(hn::Mul(load(x + i), set(factor)), x + i);
}

void adam_elements(const adam_step& step, std::ptrdiff_t count, const float* g, float* m, float* v,
                   float* w) {
  const V keep1 = set(step.beta1), keep2 = set(step.beta2);
  const V take1 = set(1.0F - step.beta1), take2 = set(1.0F - step.beta2);
  for (std::ptrdiff_t i = 0; i < count; i += lanes) {
    const V gradient = load(g + i);
    const V first = hn::Add(hn::Mul(keep1, load(m + i)), hn::Mul(take1, gradient));
    const V second =
        hn::Add(hn::Mul(keep2, load(v + i)), hn::Mul(take2, hn::Mul(gradient, gradient)));
    store(first, m + i);
    store(second, v + i);
    const V mean = hn::Div(first, set(step.m_scale));
    const V spread = hn::Sqrt(hn::Div(second, set(step.v_scale)));
    const V change = hn::Div(hn::Mul(set(step.rate), mean), hn::Add(spread, set(step.epsilon)));
    store(hn::Sub(load(w + i), change), w + i);
  }
}

void exponential_elements(std::ptrdiff_t count, const float* x, float* out) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) store(exponential_of(load(x + i)), out + i);
}

void logarithm_elements(std::ptrdiff_t count, const float* x, float* out) {
  for (std::ptrdiff_t i = 0; i < count; i += lanes) store(logarithm_of(load(x + i)), out + i);
}

}  // namespace sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sim {

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_rows_backward);
HWY_EXPORT(norm_weight_gradient);
HWY_EXPORT(sum_columns);
HWY_EXPORT(rotate_row);
HWY_EXPORT(rotate_row_back);
HWY_EXPORT(attention_row);
HWY_EXPORT(attend_row);
HWY_EXPORT(attend_row_backward);
HWY_EXPORT(gated_elements);
HWY_EXPORT(gated_elements_backward);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(relative_entropy_row);
HWY_EXPORT(gumbel_elements);
HWY_EXPORT(normal_elements);
HWY_EXPORT(add_elements);
HWY_EXPORT(scale_elements);
HWY_EXPORT(adam_elements);
HWY_EXPORT(exponential_elements);
HWY_EXPORT(logarithm_elements);

void rms_norm(int rows, int width, readable_rows x, const float* weight, float epsilon,
              writable_rows y, float* inverse_rms) {
  HWY_DYNAMIC_DISPATCH(norm_rows)(rows, width, x, weight, epsilon, y, inverse_rms);
}
void rms_norm_backward(int rows, int width, const normed_rows& of, const float* weight,
                       readable_rows dy, writable_rows dx) {
  HWY_DYNAMIC_DISPATCH(norm_rows_backward)(rows, width, of, weight, dy, dx);
}
void rms_norm_weight_gradient(int rows, int width, const normed_rows& of, readable_rows dy,
                              float* dweight) {
  HWY_DYNAMIC_DISPATCH(norm_weight_gradient)(rows, width, of, dy, dweight);
}
void column_sums(int rows, int width, readable_rows x, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_columns)(rows, width, x, sums);
}
void rotate(int width, float* x, const float* cosine, const float* sine) {
  HWY_DYNAMIC_DISPATCH(rotate_row)(width, x, cosine, sine);
}
void rotate_back(int width, float* x, const float* cosine, const float* sine) {
  HWY_DYNAMIC_DISPATCH(rotate_row_back)(width, x, cosine, sine);
}
void attention_probabilities(const attention_shape& shape, const float* query,
                             const float* keys_transposed, float* probability) {
  HWY_DYNAMIC_DISPATCH(attention_row)(shape, query, keys_transposed, probability);
}
void attend(const attention_shape& shape, const attend_operands& from, const attend_results& to) {
  HWY_DYNAMIC_DISPATCH(attend_row)(shape, from, to);
}
void attend_backward(const attention_shape& shape, const attend_backward_operands& from,
                     const query_gradients& to) {
  std::vector<float> dscore(static_cast<std::size_t>(shape.span));
  HWY_DYNAMIC_DISPATCH(attend_row_backward)(shape, from, to, dscore.data());
}
void gated(std::ptrdiff_t count, const float* gate, const float* up, float* hidden) {
  HWY_DYNAMIC_DISPATCH(gated_elements)(count, gate, up, hidden);
}
void gated_backward(std::ptrdiff_t count, const float* gate, const float* up, const float* dhidden,
                    float* dgate, float* dup) {
  HWY_DYNAMIC_DISPATCH(gated_elements_backward)(count, gate, up, dhidden, dgate, dup);
}
float log_softmax(int width, const float* logits, float* log_probability, float* probability) {
  return HWY_DYNAMIC_DISPATCH(log_softmax_row)(width, logits, log_probability, probability);
}
float relative_entropy(int width, const float* p, const float* log_p, const float* log_q) {
  return HWY_DYNAMIC_DISPATCH(relative_entropy_row)(width, p, log_p, log_q);
}
void gumbel(std::ptrdiff_t count, const float* u, float* out) {
  HWY_DYNAMIC_DISPATCH(gumbel_elements)(count, u, out);
}
void normal_pairs(std::ptrdiff_t pairs, const float* u, float* out) {
  HWY_DYNAMIC_DISPATCH(normal_elements)(pairs, u, out);
}
void add(std::ptrdiff_t count, const float* y, float* x) {
  HWY_DYNAMIC_DISPATCH(add_elements)(count, y, x);
}
std::vector<float> sum_of(const std::vector<std::vector<float>>& vectors) {
  std::vector<float> sum = vectors.front();
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    add(static_cast<std::ptrdiff_t>(sum.size()), vectors[i].data(), sum.data());
  }
  return sum;
}
void scale(std::ptrdiff_t count, float factor, float* x) {
  HWY_DYNAMIC_DISPATCH(scale_elements)(count, factor, x);
}
void adam(const adam_step& step, std::ptrdiff_t count, const float* g, float* m, float* v,
          float* w) {
  HWY_DYNAMIC_DISPATCH(adam_elements)(step, count, g, m, v, w);
}
void exponential(std::ptrdiff_t count, const float* x, float* out) {
  HWY_DYNAMIC_DISPATCH(exponential_elements)(count, x, out);
}
void logarithm(std::ptrdiff_t count, const float* x, float* out) {
  HWY_DYNAMIC_DISPATCH(logarithm_elements)(count, x, out);
}

double inner_product(const float* a, const float* b, std::ptrdiff_t count) {
  double lane[16] = {};
  std::ptrdiff_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int j = 0; j < 16; ++j) lane[j] += double{a[i + j]} * double{b[i + j]};
  }
  for (; i < count; ++i) lane[i % 16] += double{a[i]} * double{b[i]};
  for (int distance = 8; distance > 0; distance /= 2) {
    for (int j = 0; j < distance; ++j) lane[j] += lane[j + distance];
  }
  return lane[0];
}

float exponential(float x) {
  float lanes[16] = {x};
  exponential(16, lanes, lanes);
  return lanes[0];
}

}  // namespace sim
#endif  // HWY_ONCE
