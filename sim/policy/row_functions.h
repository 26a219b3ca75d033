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

/// Rows that a function reads, `stride` elements from one to the next; not accepted where it
/// writes.
struct readable_rows {
  const float* data;
  std::ptrdiff_t stride;

  [[nodiscard]] const float* row(std::ptrdiff_t index) const noexcept {
    return data + index * stride;
  }
};

/// Rows that a function writes, or adds to.
struct writable_rows {
  float* data;
  std::ptrdiff_t stride;

  [[nodiscard]] float* row(std::ptrdiff_t index) const noexcept { return data + index * stride; }
};

/// y = (x * r) * weight with r = 1 / sqrt(mean(x^2) + epsilon); r is kept for the backward pass.
void rms_norm(int rows, int width, readable_rows x, const float* weight, float epsilon,
              writable_rows y, float* inverse_rms);

/// Rows that rms_norm took, and the r that it kept of each.
struct normed_rows {
  readable_rows x;
  const float* inverse_rms;
};

/// dx of rms_norm from dy; dx may be dy. Adds nothing.
void rms_norm_backward(int rows, int width, const normed_rows& of, const float* weight,
                       readable_rows dy, writable_rows dx);

/// dweight of rms_norm, summed over the rows: lane = row mod 16.
void rms_norm_weight_gradient(int rows, int width, const normed_rows& of, readable_rows dy,
                              float* dweight);

/// Sums of the columns: lane = row mod 16.
void column_sums(int rows, int width, readable_rows x, float* sums);

/// Rotates one head in place: (a, b) = (a c - b s, b c + a s) for the pairs (j, j + width / 2).
void rotate(int width, float* x, const float* cosine, const float* sine);
/// The inverse rotation: the backward pass.
void rotate_back(int width, float* x, const float* cosine, const float* sine);

/// Most key slots of a sequence: positions of sampling's random numbers have 16 bits.
inline constexpr int max_span = 32'768;

/// Extents of one query against `keys` earlier tokens.
///   width  of a head
///   span   key slots, a multiple of 16, at most max_span
struct attention_shape {
  int width, keys, span;
  float score_scale;
};

/// What attend reads. Callers name the members of this and the next structs: several have one type.
///   keys_transposed  width x span: element (c, j) at c * span + j
///   values           a row a token
struct attend_operands {
  const float *query, *keys_transposed;
  readable_rows values;
};

/// What attend writes.
///   probability  span numbers, zero from `keys` on
///   out          width numbers
struct attend_results {
  float *probability, *out;
};

/// Softmax of the scaled scores, then the values' sum with these probabilities as weights.
void attend(const attention_shape& shape, const attend_operands& from, const attend_results& to);

/// The probabilities of attend alone: training computes them again instead of keeping them.
void attention_probabilities(const attention_shape& shape, const float* query,
                             const float* keys_transposed, float* probability);

/// What attend_backward reads.
///   keys               a row a token
///   values_transposed  width x span, as keys_transposed
///   probability        of attend
///   dout               gradient of its out
struct attend_backward_operands {
  const float* query;
  readable_rows keys;
  const float *values_transposed, *probability, *dout;
};

/// What attend_backward writes.
///   dquery          set
///   dkeys, dvalues  added to, a row a token
struct query_gradients {
  float* dquery;
  writable_rows dkeys, dvalues;
};

/// One query's share of the backward pass of attend.
void attend_backward(const attention_shape& shape, const attend_backward_operands& from,
                     const query_gradients& to);

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
