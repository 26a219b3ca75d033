// SPDX-License-Identifier: Apache-2.0
// sim/policy/element_functions.h: what the policy and its training compute element by element, and
// sums of vectors, under the rules of sim/policy/row_functions.h. Counts are multiples of 16 except
// where a function says otherwise.
#pragma once
#include <cstddef>
#include <vector>

namespace sim {

/// hidden = (gate * sigmoid(gate)) * up, elementwise.
void gated(std::ptrdiff_t count, const float* gate, const float* up, float* hidden);
/// dgate and dup from dhidden.
void gated_backward(std::ptrdiff_t count, const float* gate, const float* up, const float* dhidden,
                    float* dgate, float* dup);

/// -log(-log(u)), elementwise; u inside (0, 1). May be in place.
void gumbel(std::ptrdiff_t count, const float* u, float* out);

/// Pairs of independent standard normal numbers from pairs of uniform ones (Box and Muller).
///   u, out  2 * pairs numbers: u[i], u[pairs + i] give out[i], out[pairs + i]
void normal_pairs(std::ptrdiff_t pairs, const float* u, float* out);

/// x += y, elementwise.
void add(std::ptrdiff_t count, const float* y, float* x);

/// Their elementwise sum, in their order. At least one, all of one size.
[[nodiscard]] std::vector<float> sum_of(const std::vector<std::vector<float>>& vectors);

/// One step of Adam: m and v decay towards g and g^2, then w -= rate * (m / m_scale) /
/// (sqrt(v / v_scale) + epsilon).
struct adam_step {
  float beta1, beta2, epsilon, rate, m_scale, v_scale;
};
void adam(const adam_step& step, std::ptrdiff_t count, const float* g, float* m, float* v,
          float* w);

/// x *= factor, elementwise.
void scale(std::ptrdiff_t count, float factor, float* x);

/// exp and log of each element.
void exponential(std::ptrdiff_t count, const float* x, float* out);
void logarithm(std::ptrdiff_t count, const float* x, float* out);

/// Sum of products in binary64, over 16 virtual lanes and the same tree; any count.
[[nodiscard]] double inner_product(const float* a, const float* b, std::ptrdiff_t count);

/// exp of one number, with the same bits as the vector version.
[[nodiscard]] float exponential(float x);

}  // namespace sim
