// SPDX-License-Identifier: Apache-2.0
// sim/policy/element_functions.cpp: the element functions for every target.
#include "sim/policy/element_functions.h"

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/policy/element_functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/policy/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sim::HWY_NAMESPACE {

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

HWY_EXPORT(gated_elements);
HWY_EXPORT(gated_elements_backward);
HWY_EXPORT(gumbel_elements);
HWY_EXPORT(normal_elements);
HWY_EXPORT(add_elements);
HWY_EXPORT(scale_elements);
HWY_EXPORT(adam_elements);
HWY_EXPORT(exponential_elements);
HWY_EXPORT(logarithm_elements);

void gated(std::ptrdiff_t count, const float* gate, const float* up, float* hidden) {
  HWY_DYNAMIC_DISPATCH(gated_elements)(count, gate, up, hidden);
}
void gated_backward(std::ptrdiff_t count, const float* gate, const float* up, const float* dhidden,
                    float* dgate, float* dup) {
  HWY_DYNAMIC_DISPATCH(gated_elements_backward)(count, gate, up, dhidden, dgate, dup);
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
