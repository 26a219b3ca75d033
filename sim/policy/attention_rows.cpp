// SPDX-License-Identifier: Apache-2.0
// sim/policy/attention_rows.cpp: attention for every target.
#include "sim/policy/attention_rows.h"

#include <vector>

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/policy/attention_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/policy/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sim::HWY_NAMESPACE {

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

}  // namespace sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sim {

HWY_EXPORT(attention_row);
HWY_EXPORT(attend_row);
HWY_EXPORT(attend_row_backward);
HWY_EXPORT(rotate_row);
HWY_EXPORT(rotate_row_back);

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

}  // namespace sim
#endif  // HWY_ONCE
