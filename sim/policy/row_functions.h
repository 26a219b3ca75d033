// SPDX-License-Identifier: Apache-2.0
// sim/policy/row_functions.h: what the policy computes of whole rows, quantized products and
// attention excepted. Rows are independent, so a token's result does not depend on the other rows.
// Sums run over 16 virtual lanes (index mod 16), each in ascending order, then over a fixed tree
// (distance 8, 4, 2, 1): the same bits on every vector width. exp and log are polynomials in a
// fixed order of fused operations. Widths are multiples of 16.
#pragma once
#include <cstddef>

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

/// Natural logarithm of the softmax of a row, its probabilities and its entropy in nats.
///   probability  may be null
float log_softmax(int width, const float* logits, float* log_probability, float* probability);

/// sum p (log p - log q) in nats.
float relative_entropy(int width, const float* p, const float* log_p, const float* log_q);

}  // namespace sim
