// SPDX-License-Identifier: Apache-2.0
// sim/policy/row_functions.h: everything of the policy except quantized products, row by row.
// Rows are independent, so a token's result does not depend on the other rows.
// Sums run over 16 virtual lanes (index mod 16), each in ascending order, then over a fixed tree
// (distance 8, 4, 2, 1): the same bits on every vector width. exp and log are polynomials in a
// fixed order of fused operations. Widths are multiples of 16.
#pragma once
#include <cstddef>
#include <vector>

namespace sim {

/// Number of elements of a dense matrix.
[[nodiscard]] constexpr std::size_t matrix_size(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

/// y = (x * r) * weight with r = 1 / sqrt(mean(x^2) + epsilon); r is kept for the backward pass.
void rms_norm(int rows, int width, const float* x, std::ptrdiff_t stride, const float* weight,
              float epsilon, float* y, std::ptrdiff_t y_stride, float* inverse_rms);

/// dx of rms_norm from dy; dx may be dy. Adds nothing.
void rms_norm_backward(int rows, int width, const float* x, std::ptrdiff_t stride,
                       const float* inverse_rms, const float* weight, const float* dy,
                       std::ptrdiff_t dy_stride, float* dx, std::ptrdiff_t dx_stride);

/// dweight of rms_norm, summed over the rows: lane = row mod 16.
void rms_norm_weight_gradient(int rows, int width, const float* x, std::ptrdiff_t stride,
                              const float* inverse_rms, const float* dy, std::ptrdiff_t dy_stride,
                              float* dweight);

/// Sums of the columns: lane = row mod 16.
void column_sums(int rows, int width, const float* x, std::ptrdiff_t stride, float* sums);

/// Rotates one head in place: (a, b) = (a c - b s, b c + a s) for the pairs (j, j + width / 2).
void rotate(int width, float* x, const float* cosine, const float* sine);
/// The inverse rotation: the backward pass.
void rotate_back(int width, float* x, const float* cosine, const float* sine);

/// Most key slots of a sequence: positions of sampling's random numbers have 16 bits.
inline constexpr int max_span = 32'768;

/// One query against `keys` earlier tokens.
///   keys_transposed  width x span: element (c, j) at c * span + j; span a multiple of 16, at most
///                    max_span
///   values           value j at values + j * value_stride
///   probability      span numbers, zero from `keys` on
void attend(int width, int keys, int span, float score_scale, const float* query,
            const float* keys_transposed, const float* values, std::ptrdiff_t value_stride,
            float* probability, float* out);

/// The probabilities of attend alone: training computes them again instead of keeping them.
void attention_probabilities(int width, int keys, int span, float score_scale, const float* query,
                             const float* keys_transposed, float* probability);

/// One query's share of the backward pass of attend; adds into dkeys and dvalues, sets dquery.
///   values_transposed  width x span, as keys_transposed
void attend_backward(int width, int keys, int span, float score_scale, const float* query,
                     const float* key_rows, std::ptrdiff_t key_stride,
                     const float* values_transposed, const float* probability, const float* dout,
                     float* dquery, float* dkeys, std::ptrdiff_t dkey_stride, float* dvalues,
                     std::ptrdiff_t dvalue_stride);

/// hidden = (gate * sigmoid(gate)) * up, elementwise.
void gated(std::ptrdiff_t count, const float* gate, const float* up, float* hidden);
/// dgate and dup from dhidden.
void gated_backward(std::ptrdiff_t count, const float* gate, const float* up, const float* dhidden,
                    float* dgate, float* dup);

/// Natural logarithm of the softmax of a row, its probabilities and its entropy in nats.
///   probability  may be null
float log_softmax(int width, const float* logits, float* log_probability, float* probability);

/// sum p (log p - log q) in nats.
float relative_entropy(int width, const float* p, const float* log_p, const float* log_q);

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
