// SPDX-License-Identifier: Apache-2.0
// sim/policy/expert_rows.h: which experts compute a token's feed-forward part, and with what
// weights. A row has as many slots as a token has chosen experts, in the order of the experts'
// indices: slot s of row r has the number r * chosen + s.
// Source: Qwen3MoeSparseMoeBlock of huggingface/transformers.
#pragma once
#include <span>
#include <vector>

#include "sim/study/policy_family.h"

namespace sim {

/// The choice of rows.
struct expert_choice {
  int* expert;         ///< of each slot
  float* weight;       ///< of each slot
  float* probability;  ///< rows x experts
};

/// Softmax of each row's logits, the likeliest experts, and their weights.
///   logits  rows x experts
void choose_experts(const expert_mixture& of, int rows, const float* logits,
                    const expert_choice& out);

/// The gradient of the logits from that of the weights of slots.
///   dweight  of each slot      dlogits  rows x experts
void choose_experts_backward(const expert_mixture& of, int rows, const expert_choice& made,
                             const float* dweight, float* dlogits);

/// Places in a list of experts of slots, ascending.
[[nodiscard]] std::vector<int> slots_of(int expert, std::span<const int> expert_of_slot);

/// Rows of a matrix, one after the other.
///   rows  their indices, each over `divisor`
[[nodiscard]] std::vector<float> gathered(std::span<const int> rows, int divisor, int width,
                                          const float* from);
/// The inverse: row i is written to row rows[i].
void scatter(std::span<const int> rows, int width, const float* from, float* to);

/// out = the sum over a row's slots of weight * part, in their order.
///   weight  of each slot; null: 1
///   part    slots x width      out  rows x width
void add_slots(int rows, int slots_a_row, int width, const float* weight, const float* part,
               float* out);

}  // namespace sim
