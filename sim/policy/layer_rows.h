// SPDX-License-Identifier: Apache-2.0
// sim/policy/layer_rows.h: the forward arithmetic of a decoder layer on rows, shared by training
// and by sampling with a cache, so that a rollout's log-probabilities equal the training path's
// where both passes have the same format and draw no random bits: each pass has its own (D-047).
#pragma once
#include <functional>
#include <vector>

#include "sim/policy/expert_rows.h"
#include "sim/policy/prepared_weights.h"
#include "sim/policy/rope.h"

namespace sim {

/// Buffers of one layer's rows; all dense, row-major, starting at the first row.
struct layer_rows {
  const float* x;             ///< rows x d, input of the layer
  float* x_inverse_rms;       ///< rows
  float* normed;              ///< rows x d, X of q, k, v
  float* qkv;                 ///< rows x (queries + 2 keys), with bias, before norm and rotation
  float* q;                   ///< rows x queries, normed and rotated
  float* k;                   ///< rows x keys, normed and rotated
  float* q_inverse_rms;       ///< rows x heads; null without norms of heads, like the next
  float* k_inverse_rms;       ///< rows x kv heads
  float* attention;           ///< rows x queries, X of o
  float* middle;              ///< rows x d, after attention
  float* middle_inverse_rms;  ///< rows
  float* normed_middle;       ///< rows x d, X of gate and up
  float* gate_up;             ///< slots x 2 ff; without experts a row is a slot
  float* hidden;              ///< slots x ff, X of down
  expert_choice choice;       ///< null without experts, like the next
  float* part;                ///< slots x d, outputs of the experts
  float* next;                ///< rows x d, output of the layer
};

/// Storage for so many numbers. Where it grows, contents are lost: std::vector::resize would hold
/// the old and twice as much new at once.
template <class Number>
void provide(std::vector<Number>& storage, std::size_t count) {
  if (count > storage.capacity()) storage = {};
  storage.resize(count);
}

/// Storage of a layer's rows, but for its input and its output.
struct layer_storage {
  std::vector<float> x_inverse_rms, normed, qkv, q, k, q_inverse_rms, k_inverse_rms, attention,
      middle, middle_inverse_rms, normed_middle, gate_up, hidden, expert_weight, expert_probability,
      part;
  std::vector<int> expert;

  void resize(const parameter_table& table, std::ptrdiff_t rows);
  /// The buffers from a row on.
  ///   x, next  that row of the layer's input and output
  [[nodiscard]] layer_rows from(const parameter_table& table, std::ptrdiff_t row, const float* x,
                                float* next);
};

/// State shared by all rows of a forward pass.
struct forward_context {
  const parameter_table& table;
  const rope_table& rope;
  const pass_products& products;
};

/// Tokens of consecutive rows.
///   positions  in their sequences
///   numbers    token_number in the batch
struct row_tokens {
  std::vector<int> positions;
  std::vector<std::uint64_t> numbers;

  [[nodiscard]] int rows() const noexcept { return static_cast<int>(positions.size()); }
  void append(const draw_key& key, int sequence, int position);
};

/// One layer: `attend` fills `attention` from q, k and the values in qkv.
///   layer  its index
void forward_layer_rows(const forward_context& context, const forward_layer& w, int layer,
                        const row_tokens& tokens, const layer_rows& at,
                        const std::function<void()>& attend);

/// The transpose of `rows` heads that are `stride` apart: element (c, j) at c * span + j, zero
/// beyond the rows.
void transpose_head(int rows, int width, int span, const float* head, std::ptrdiff_t stride,
                    float* out);

/// 1 / sqrt(head_width).
[[nodiscard]] float score_scale(const policy_shape& shape);

}  // namespace sim
