// SPDX-License-Identifier: Apache-2.0
// sim/policy/attention_rows.h: rotary positions and attention of one query, under the rules of
// sim/policy/row_functions.h.
#pragma once
#include "sim/policy/row_functions.h"

namespace sim {

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

}  // namespace sim
