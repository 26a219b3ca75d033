// SPDX-License-Identifier: Apache-2.0
// sim/policy/prepared_weights.h: the weights of the whole policy in the form of the passes.
#pragma once
#include <vector>

#include "sim/policy/weight_factor.h"

namespace sim {

/// For rollout and forward: contraction over the inputs. Products that share their left operand
/// are stored side by side: (q, k, v) and (gate, up).
struct forward_layer {
  weight_factor qkv, o, gate_up, down;
  const float *input_norm, *q_norm, *k_norm, *post_norm;
};

struct forward_weights {
  /// At their offsets: all parameters of the norms, noise included, and of the embedding, massive
  /// activations included.
  std::vector<float> norms_and_embedding;
  std::vector<forward_layer> layers;
  const float* final_norm = nullptr;
  const float* embedding = nullptr;
  std::unique_ptr<const right_factor> head;
};

/// weights   of the whole policy; must outlive the result
/// products  of rollout or forward
/// noise     added to the weights of the norms of width d; empty: none (see rollout_noise)
[[nodiscard]] forward_weights prepare_forward(const parameter_table& table,
                                              const std::vector<float>& weights,
                                              const pass_products& products,
                                              const std::vector<float>& noise = {});

/// For dgrad: contraction over the outputs, so blocks run down the columns of (out, in).
struct backward_layer {
  std::array<weight_factor, 7> linears;
  [[nodiscard]] const weight_factor& of(linear l) const noexcept {
    return linears[static_cast<std::size_t>(l)];
  }
};

struct backward_weights {
  std::vector<backward_layer> layers;
  std::unique_ptr<const right_factor> head;
};

[[nodiscard]] backward_weights prepare_backward(const parameter_table& table,
                                                const std::vector<float>& weights,
                                                const step_arithmetic& arithmetic);

/// Fresh Gaussian noise on the norm weights of width d (two a layer and the final one), at their
/// offsets in the vector of all parameters; zero elsewhere.
[[nodiscard]] std::vector<float> norm_noise(const parameter_table& table, std::uint64_t seed,
                                            int step, float sigma);

}  // namespace sim
