// SPDX-License-Identifier: Apache-2.0
// sim/policy/expert_rows.cpp: see expert_rows.h. Sums of a row run over its experts in their order.
#include "sim/policy/expert_rows.h"

#include <algorithm>

#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {
namespace {

void softmax(int count, const float* logits, float* probability) {
  const float largest = *std::max_element(logits, logits + count);
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += probability[i] = exponential(logits[i] - largest);
  for (int i = 0; i < count; ++i) probability[i] /= sum;
}

/// Ascending indices of the largest ones. Takes the first ones among NaN.
void likeliest(int count, const float* probability, int chosen, int* out) {
  for (int s = 0; s < chosen; ++s) {
    int best = -1;
    for (int i = 0; i < count; ++i) {
      if (std::find(out, out + s, i) != out + s) continue;
      if (best < 0 || probability[i] > probability[best]) best = i;
    }
    out[s] = best;
  }
  std::sort(out, out + chosen);
}

/// The sum of the probabilities of a row's chosen experts, or 1 where weights are over all.
float whole_of(const expert_mixture& of, const int* expert, const float* probability) {
  if (of.weights == expert_weights::over_all) return 1;
  float sum = 0;
  for (int s = 0; s < of.chosen; ++s) sum += probability[expert[s]];
  return sum;
}

}  // namespace

void choose_experts(const expert_mixture& of, int rows, const float* logits,
                    const expert_choice& out) {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    float* probability = out.probability + row * of.count;
    int* expert = out.expert + row * of.chosen;
    float* weight = out.weight + row * of.chosen;
    softmax(of.count, logits + row * of.count, probability);
    likeliest(of.count, probability, of.chosen, expert);
    const float whole = whole_of(of, expert, probability);
    for (int s = 0; s < of.chosen; ++s) weight[s] = probability[expert[s]] / whole;
  }
}

void choose_experts_backward(const expert_mixture& of, int rows, const expert_choice& made,
                             const float* dweight, float* dlogits) {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const float* probability = made.probability + row * of.count;
    const int* expert = made.expert + row * of.chosen;
    const float* weight = made.weight + row * of.chosen;
    const float* dw = dweight + row * of.chosen;
    float* dx = dlogits + row * of.count;
    // d of the chosen probabilities, those of others are 0: through weight = p / whole ...
    float weighted = 0;
    if (of.weights == expert_weights::over_chosen) {
      for (int s = 0; s < of.chosen; ++s) weighted += dw[s] * weight[s];
    }
    const float whole = whole_of(of, expert, probability);
    std::fill_n(dx, of.count, 0.0F);
    for (int s = 0; s < of.chosen; ++s) dx[expert[s]] = (dw[s] - weighted) / whole;
    // ... then through the softmax.
    float mean = 0;
    for (int s = 0; s < of.chosen; ++s) mean += probability[expert[s]] * dx[expert[s]];
    for (int i = 0; i < of.count; ++i) dx[i] = probability[i] * (dx[i] - mean);
  }
}

std::vector<int> slots_of(int expert, std::span<const int> expert_of_slot) {
  std::vector<int> result;
  for (int i = 0; i < std::ssize(expert_of_slot); ++i) {
    if (expert_of_slot[static_cast<std::size_t>(i)] == expert) result.push_back(i);
  }
  return result;
}

std::vector<float> gathered(std::span<const int> rows, int divisor, int width, const float* from) {
  std::vector<float> result(matrix_size(std::ssize(rows), width));
  float* out = result.data();
  for (const int row : rows) {
    out = std::copy_n(from + std::ptrdiff_t{row / divisor} * width, width, out);
  }
  return result;
}

void scatter(std::span<const int> rows, int width, const float* from, float* to) {
  for (const int row : rows) {
    std::copy_n(from, width, to + std::ptrdiff_t{row} * width);
    from += width;
  }
}

void add_slots(int rows, int slots_a_row, int width, const float* weight, const float* part,
               float* out) {
  for (std::ptrdiff_t slot = 0; slot < std::ptrdiff_t{rows} * slots_a_row; ++slot) {
    float* row = out + slot / slots_a_row * width;
    const float* x = part + slot * width;
    const float by = weight == nullptr ? 1 : weight[slot];
    if (slot % slots_a_row == 0) std::fill_n(row, width, 0.0F);
    for (int i = 0; i < width; ++i) row[i] += by * x[i];
  }
}

}  // namespace sim
