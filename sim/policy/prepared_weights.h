// SPDX-License-Identifier: Apache-2.0
// sim/policy/prepared_weights.h: the weights of the policy in the form of the passes, made a layer
// at a time: the caller decides how long each stays in memory.
#pragma once
#include <memory>
#include <vector>

#include "sim/policy/weight_factor.h"

namespace sim {

/// For rollout and forward: contraction over the inputs. Products that share their left operand
/// are stored side by side: (q, k, v) and (gate, up).
/// Null is what the policy's family lacks.
///   router  d x experts, in FP32
///   parts   of each expert, or of the one feed-forward part
struct forward_layer {
  struct feed_forward {
    weight_factor gate_up, down;
  };

  weight_factor qkv, o;
  const float *input_norm, *qkv_bias, *q_norm, *k_norm, *post_norm;
  std::unique_ptr<const right_factor> router;
  std::vector<feed_forward> parts;
};

/// The weights of rollout or forward. Its norms and its embedding include what is added to them:
/// noise, massive activations.
class forward_weights {
 public:
  forward_weights() = default;
  ///   weights  of the whole policy; must outlive the result, as table does
  ///   noise    added to the weights of the norms of width d; empty: none (see norm_noise)
  forward_weights(const parameter_table& table, const std::vector<float>& weights,
                  const pass_products& products, const std::vector<float>& noise);

  [[nodiscard]] const float* embedding() const noexcept {
    return massive_embedding_.empty() ? weights_->data() + table_->embedding().offset
                                      : massive_embedding_.data();
  }
  [[nodiscard]] const float* final_norm() const noexcept {
    return wide_norm(2 * table_->shape().layers, table_->final_norm());
  }
  /// Makes a layer; must not outlive this object.
  [[nodiscard]] forward_layer layer(int index) const;
  /// Makes B of the head's product.
  [[nodiscard]] std::unique_ptr<const right_factor> head() const;

 private:
  /// A norm of width d by its index among them: input_norm and post_norm of each layer, final_norm.
  [[nodiscard]] const float* wide_norm(int index, const parameter& p) const noexcept {
    return noisy_norms_.empty() ? weights_->data() + p.offset
                                : noisy_norms_.data() + std::ptrdiff_t{index} * p.columns;
  }

  const parameter_table* table_ = nullptr;
  const std::vector<float>* weights_ = nullptr;
  pass_products products_;
  std::vector<float> noisy_norms_;        ///< by index; empty without noise
  std::vector<float> massive_embedding_;  ///< empty without massive activations
};

[[nodiscard]] forward_weights prepare_forward(const parameter_table& table,
                                              const std::vector<float>& weights,
                                              const pass_products& products,
                                              const std::vector<float>& noise = {});

/// For dgrad: contraction over the outputs, so blocks run down the columns of (out, in).
///   linears  by product_place::index
///   router   experts x d, in FP32; null without experts
struct backward_layer {
  std::vector<weight_factor> linears;
  std::unique_ptr<const right_factor> router;

  [[nodiscard]] const weight_factor& of(linear l, int expert = 0) const noexcept {
    return linears[product_place{0, l, expert}.index()];
  }
};

/// The weights of dgrad.
class backward_weights {
 public:
  backward_weights() = default;
  ///   weights  of the whole policy; must outlive the result, as table does
  backward_weights(const parameter_table& table, const std::vector<float>& weights,
                   const step_arithmetic& arithmetic);

  [[nodiscard]] backward_layer layer(int index) const;
  [[nodiscard]] std::unique_ptr<const right_factor> head() const;

 private:
  const parameter_table* table_ = nullptr;
  const std::vector<float>* weights_ = nullptr;
  pass_products dgrad_;
};

[[nodiscard]] backward_weights prepare_backward(const parameter_table& table,
                                                const std::vector<float>& weights,
                                                const step_arithmetic& arithmetic);

/// Fresh Gaussian noise on the norm weights of width d (two a layer and the final one), at their
/// offsets in the vector of all parameters; zero elsewhere.
[[nodiscard]] std::vector<float> norm_noise(const parameter_table& table, std::uint64_t seed,
                                            int step, float sigma);

}  // namespace sim
