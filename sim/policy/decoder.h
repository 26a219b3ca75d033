// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder.h: forward and backward pass of a decoder over a micro-batch.
// Rows are the sequences' real tokens, one after the other; nothing is computed for padding, which
// would only add products of +0. Results do not depend on the micro-batch.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/policy/gradient_tree.h"
#include "sim/policy/layer_rows.h"
#include "sim/policy/token_operand.h"
#include "sim/task/sequence.h"

namespace sim {

/// Results of the forward pass for one response token.
struct token_outcome {
  float log_probability = 0;  ///< of the next token
  float entropy = 0;          ///< of the distribution over the vocabulary, in nats
};

/// d loss / d log_probability of a response token, negated: the weight of its cross entropy.
///   sequence  index in the micro-batch; position  0 for the first response token
using token_weight = std::function<float(int sequence, int position, const token_outcome&)>;

/// The distribution that a response token was drawn from, over the vocabulary.
struct token_distribution {
  const float *probability, *log_probability;
};

/// Adds to d loss / d logits of a response token what its token_weight does not express: the
/// gradient of a loss of the whole distribution.
///   sequence, position  as of token_weight
using logit_gradient = std::function<void(int sequence, int position,
                                          const token_distribution& drawn_from, float* dlogits)>;

/// An operand of a linear: the rows of a micro-batch, or a copy of those that its expert computes.
struct decoder_operand : operand_view {
  std::shared_ptr<const std::vector<float>> copy;
};

/// The operands of a linear's products of wgrad.
///   first_row, tokens   as contraction_rows has them
///   of_data, of_other   numbers that they are made from
///   data, other         dY and X; X of the linear that owns it
struct wgrad_operands {
  std::vector<int> first_row;
  std::vector<std::uint64_t> tokens;
  decoder_operand of_data, of_other;
  token_operand data, other;
};

/// What one layer of one micro-batch's backward pass needs and leaves; reused by the next.
///   rows                            of the layer, where forward keeps its inputs alone
///   dqkv, doutput, dgate_up, ddown  gradients of the outputs of the linears, rows of the
///                                   micro-batch; the last two: slots
///   drouter                         of the router's logits
///   *_norm, qkv_bias                each sequence's gradient of a norm's weight, of the biases
struct layer_workspace {
  layer_storage rows;
  std::vector<float> dqkv, doutput, dgate_up, ddown, drouter;
  std::vector<float> input_norm, qkv_bias, q_norm, k_norm, post_norm;
  std::vector<wgrad_operands> of_linears;  ///< by product_place::index
};

class decoder {
 public:
  /// Called layer by layer from the last, when X and dY of its linears are there.
  using layer_visit = std::function<void(int layer)>;

  ///   shared  by decoders that work in turn
  decoder(const parameter_table& table, const rope_table& rope,
          kept_rows kept = kept_rows::every_layer,
          std::shared_ptr<layer_workspace> shared = std::make_shared<layer_workspace>());

  /// Takes a micro-batch, which must outlive its use; storage is reused for the next one.
  ///   first  index of its first sequence in the whole batch
  void take(std::span<const sequence> batch, int first = 0);
  [[nodiscard]] std::span<const sequence> batch() const noexcept { return batch_; }
  [[nodiscard]] int first_sequence() const noexcept { return first_sequence_; }

  /// The distribution of every response token: start_forward, then forward_through each layer, then
  /// forward_head.
  ///   products  of forward, or of rollout
  void forward(const forward_weights& weights, const pass_products& products);
  void start_forward(const forward_weights& weights, const pass_products& products);
  void forward_through(const forward_layer& w, int layer);
  void forward_head(const forward_weights& weights, const right_factor& head);

  /// Outcomes of all response tokens, sequence by sequence, after forward.
  [[nodiscard]] const std::vector<token_outcome>& outcomes() const noexcept { return outcomes_; }
  /// Log-probabilities of the distribution a response token was drawn from.
  [[nodiscard]] const float* log_distribution(int sequence, int position) const {
    return log_probability_.data() + row_at(outcome_index(sequence, position));
  }
  /// Hands over those of all response tokens, in the order of outcomes; after the last use of them.
  [[nodiscard]] std::vector<float> take_log_distributions() {
    return std::exchange(log_probability_, {});
  }
  /// Logits of all response tokens in the order of outcomes, computed again, after forward.
  [[nodiscard]] std::vector<float> response_logits(const forward_weights& weights) const;
  /// The first logit of a response token that is not finite; no value if there is none.
  [[nodiscard]] std::optional<float> unbounded_logit() const;

  /// Gradients of the loss with respect to the outputs of the linears; after forward, any number of
  /// times: backward_head, then backward_through each layer from the last.
  void backward(const forward_weights& weights, const backward_weights& transposed,
                const pass_products& dgrad, const token_weight& weight,
                const layer_visit& visit = {});
  ///   logits  may be empty
  void backward_head(const forward_weights& weights, const right_factor& transposed_head,
                     const token_weight& weight, const logit_gradient& logits = {});
  void backward_through(const forward_layer& w, const backward_layer& t, const pass_products& dgrad,
                        int layer);

  /// Adds the gradients of a layer's parameters; directly after its backward_through, any number of
  /// times. The sequences are the tree's next leaves.
  ///   errors  throws std::invalid_argument where a product of wgrad would be split
  void add_layer_gradients(const pass_products& wgrad, int layer, gradient_tree& tree);
  /// Adds those of the final norm; after backward_head.
  void add_final_norm_gradients(gradient_tree& tree) const;
  /// A sequence's gradient of rows [first, last) of the embedding, or of a head that is not the
  /// embedding: what the head adds, then the tokens that the embedding gathers; after
  /// backward_through the first layer.
  ///   gradient  (last - first, d)
  void embedding_gradient(const value_products& by, int sequence, int first, int last,
                          float* gradient) const;
  void head_gradient(const value_products& by, int sequence, int first, int last,
                     float* gradient) const;

  /// Unquantized operands directly after backward_through; X after forward where every layer is
  /// kept.
  [[nodiscard]] decoder_operand input_of(const product_place& at) const;
  [[nodiscard]] decoder_operand output_gradient_of(const product_place& at) const;
  /// The rows of the micro-batch that a linear multiplies, ascending: all, or those of its expert.
  [[nodiscard]] std::vector<int> rows_of(const product_place& at) const;
  /// Rows of a layer, when its operands are there; its input, with as many layers as the policy has
  /// that of the final norm; and what forward stored behind it.
  [[nodiscard]] const layer_storage& rows_of_layer(int layer) const { return state_of(layer); }
  [[nodiscard]] const std::vector<float>& input_rows(int layer) const {
    return inputs_[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] const std::vector<float>& final_inverse_rms() const { return final_inverse_rms_; }
  /// First rows of the products of wgrad, each of so many sequences, and the end of the last; among
  /// the rows that a linear multiplies.
  ///   errors  throws std::invalid_argument where the last one has fewer
  [[nodiscard]] std::vector<int> product_rows(int sequences) const;
  [[nodiscard]] std::vector<int> product_rows(int sequences, const product_place& at) const;
  [[nodiscard]] int first_row(int sequence) const {
    return first_row_[static_cast<std::size_t>(sequence)];
  }

 private:
  /// The sequences of one task.
  struct group {
    int first, last;
  };
  void add_to_groups(int sequence);
  void for_each_group(const std::function<void(const group&)>& work) const;
  [[nodiscard]] row_tokens tokens_of(const group& g, const draw_key& key) const;
  [[nodiscard]] int rows_of(const group& g) const { return first_row(g.last) - first_row(g.first); }
  void embed(const forward_weights& weights, const group& g);
  [[nodiscard]] layer_storage& state_of(int layer) {
    return kept_ == kept_rows::inputs ? back_->rows : layers_[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] const layer_storage& state_of(int layer) const {
    return const_cast<decoder*>(this)->state_of(layer);
  }
  void layer_forward(const forward_layer& w, int layer, const group& g, const row_tokens& tokens,
                     float* next);
  void attend_sequence(layer_storage& s, int sequence);
  [[nodiscard]] std::size_t outcome_index(int sequence, int position) const {
    const int outcome = first_outcome_[static_cast<std::size_t>(sequence)] + position;
    return static_cast<std::size_t>(outcome);
  }
  /// First number of an outcome in a matrix of the vocabulary's width.
  [[nodiscard]] std::size_t row_at(std::size_t outcome) const {
    return outcome * static_cast<std::size_t>(table_.shape().vocabulary);
  }
  /// Outcomes of response tokens, few enough that a row of logits for each stays small.
  struct response_part {
    int first, last;
    [[nodiscard]] int count() const noexcept { return last - first; }
  };
  void for_each_part(const group& g, const std::function<void(const response_part&)>& work) const;
  [[nodiscard]] std::vector<float> logits_of(const right_factor& head,
                                             const response_part& part) const;
  void take_distributions(const right_factor& head, const response_part& part);
  /// The weight of a response token, and with `logits` its whole gradient.
  void weigh(std::size_t outcome, const token_weight& weight, const logit_gradient& logits);
  /// Of the weighted cross entropy, by logits [first, last) of a response token.
  void cross_entropy_gradient(std::size_t outcome, int first, int last, float* out) const;
  /// d loss / d logits [first, last) of response tokens, dense.
  void loss_gradient(const response_part& part, int first, int last, float* out) const;
  void feed_forward_backward(const forward_layer& w, const backward_layer& t,
                             const pass_products& dgrad, const group& g, const row_tokens& tokens,
                             int layer);
  /// From the gradient of the layer's output, of each of the group's rows, that of normed_middle.
  struct part_backward {
    const backward_layer& t;
    const pass_products& dgrad;
    const row_tokens& tokens;
    int layer;
    const float* dy;
    float* dx;
  };
  void dense_backward(const part_backward& p, const group& g);
  void mixture_backward(const part_backward& p, const group& g);
  void expert_backward(const part_backward& p, const group& g, int expert,
                       std::span<const int> slots, float* dslots);
  void weigh_slots(const part_backward& p, const group& g, float* dweight);
  [[nodiscard]] bool is_mixture_linear(const product_place& at) const noexcept {
    return table_.shape().has_experts() && is_of_experts(at.which);
  }
  /// Slots of the micro-batch of an expert.
  [[nodiscard]] std::vector<int> slots_of_expert(const product_place& at) const;
  void attention_backward(const forward_layer& w, const backward_layer& t,
                          const pass_products& dgrad, const group& g, const row_tokens& tokens,
                          int layer);
  void attend_sequence_backward(const forward_layer& w, int sequence, int layer,
                                const float* dattention);
  struct attention_gradients;
  void attend_heads_backward(int sequence, int layer, const float* dattention,
                             const attention_gradients& to);
  /// A norm of width d: its weight in this pass, its input, and each sequence's gradient of the
  /// weight.
  struct wide_norm {
    const float* weight;
    const std::vector<float>&x, &inverse_rms;
    std::vector<float>& gradients;
  };
  void norm_backward(const wide_norm& norm, const group& g, float* dy);
  void add_gathered_gradient(int sequence, int first, int last, float* gradient) const;
  void take_gradient_operands(const pass_products& wgrad, int layer);
  void add_linear_gradients(const pass_products& wgrad, int layer, gradient_tree& tree);
  void add_router_gradient(const value_products& by, int layer, gradient_tree& tree) const;
  [[nodiscard]] float* gradient_rows(const group& g);

  const parameter_table& table_;
  const rope_table& rope_;
  kept_rows kept_;
  std::shared_ptr<layer_workspace> back_;
  std::span<const sequence> batch_;
  int first_sequence_ = 0;
  std::vector<int> first_row_, first_outcome_;
  std::vector<group> groups_;
  int span_ = 0;  ///< key slots of a sequence: its longest length, rounded up to 16
  pass_products forward_products_;          ///< of the rows that are kept
  std::vector<std::vector<float>> inputs_;  ///< of each layer, and of the final norm
  std::vector<layer_storage> layers_;       ///< where every layer is kept
  std::vector<float> final_inverse_rms_, final_norm_gradients_;
  std::vector<float> dx_;  ///< of the output of the next layer of the backward pass
  /// A token of a response, and the row that its distribution comes from: the one before it.
  struct response_token {
    int sequence, position, row, token;
  };
  // By outcome. Other rows have no logits: the gradient there is 0.
  std::vector<response_token> responses_;
  std::vector<float> final_normed_, log_probability_;
  std::vector<float> unbounded_logit_;  ///< the first one that is not finite, or 0
  std::vector<token_outcome> outcomes_;
  std::vector<float> weight_;   ///< of the cross entropy
  std::vector<float> dlogits_;  ///< where a logit_gradient adds to them; else they are not kept
};

}  // namespace sim
