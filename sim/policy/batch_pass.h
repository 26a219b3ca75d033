// SPDX-License-Identifier: Apache-2.0
// sim/policy/batch_pass.h: forward pass and gradient of a whole batch in micro-batches. The
// backward pass goes layer by layer over all of them, so that the tree of the sequences' gradients
// holds one layer's parameters at a time.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/policy/decoder.h"

namespace sim {

class batch_pass {
 public:
  ///   micro_batch  sequences whose rows of one layer's gradients are in memory at once
  batch_pass(const parameter_table& table, const rope_table& rope, int micro_batch,
             kept_rows kept = kept_rows::every_layer);

  /// Takes a batch, which must outlive its use; storage is reused for the next one.
  ///   first  index of its first sequence in the whole batch, where this is a part of it
  void take(std::span<const sequence> batch, int first = 0);
  void forward(const forward_weights& weights, const pass_products& products);

  /// The gradient of all parameters; after forward, any number of times.
  ///   weight  of a response token's cross entropy; its `sequence` is `first` of take for the
  ///           first one
  ///   logits  of a loss beside the weights, by the same indices; may be empty
  ///   errors  throws std::invalid_argument where a product of wgrad would be split
  [[nodiscard]] std::vector<float> gradient(const forward_weights& weights,
                                            const backward_weights& transposed,
                                            const step_arithmetic& formats,
                                            const token_weight& weight,
                                            const logit_gradient& logits = {});

  /// A part of a gradient: of the parameters from `offset` on.
  using gradient_part = std::function<void(std::ptrdiff_t offset, std::span<const float> part)>;
  /// The same gradient a part at a time, each once, so that only one is in memory: of the final
  /// norm, of each layer from the last, of the embedding, of a head of its own.
  void gradient_in_parts(const forward_weights& weights, const backward_weights& transposed,
                         const step_arithmetic& formats, const token_weight& weight,
                         const gradient_part& take);

  /// Calls an observer for every micro-batch: with as many layers as the policy has, when its
  /// logits are there; then with each layer from the last, when its operands are available as
  /// numbers.
  using observer = std::function<void(const decoder& d, int layer)>;
  void watch(observer by) { observer_ = std::move(by); }

  /// The micro-batches in their order; `first_sequence` counts as `first` of take does.
  [[nodiscard]] const std::deque<decoder>& parts() const noexcept { return parts_; }
  /// Hands over the log-probabilities of all response tokens' distributions, sequence by sequence;
  /// after the last use of them.
  [[nodiscard]] std::vector<float> take_log_distributions();
  /// Outcomes of all response tokens, sequence by sequence.
  [[nodiscard]] std::vector<token_outcome> outcomes() const;

 private:
  /// Where a part of the gradient is written, and what is called when it is complete.
  struct part_destination {
    std::function<float*(std::ptrdiff_t offset, std::ptrdiff_t count)> memory;
    std::function<void(std::ptrdiff_t offset, std::ptrdiff_t count)> complete;
  };
  void write_parts(const forward_weights& weights, const backward_weights& transposed,
                   const step_arithmetic& formats, const token_weight& weight,
                   const logit_gradient& logits, const part_destination& to);
  void add_head(const forward_weights& weights, const backward_weights& transposed,
                const token_weight& weight, const logit_gradient& logits, gradient_tree& tree);
  void add_layer(int layer, const forward_weights& weights, const backward_weights& transposed,
                 const step_arithmetic& formats, gradient_tree& tree);
  /// A sequence's gradient of rows [first, last) of a matrix of the vocabulary.
  using vocabulary_gradient = void (decoder::*)(const value_products& by, int sequence, int first,
                                                int last, float* gradient) const;
  ///   gradient  of the matrix alone
  void write_gradient(const parameter& e, vocabulary_gradient of, const value_products& by,
                      float* gradient) const;
  void observe(const decoder& d, int layer) const {
    if (observer_) observer_(d, layer);
  }

  const parameter_table& table_;
  const rope_table& rope_;
  int micro_batch_;
  kept_rows kept_;
  int sequences_ = 0;
  observer observer_;
  std::shared_ptr<layer_workspace> shared_ = std::make_shared<layer_workspace>();
  std::deque<decoder> parts_;
};

}  // namespace sim
