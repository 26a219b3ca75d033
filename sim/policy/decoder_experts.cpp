// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_experts.cpp: the backward pass of a feed-forward part with experts, and the
// gradient of its router.
#include "sim/policy/decoder.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace sim {

void decoder::mixture_backward(const part_backward& p, const group& g) {
  const expert_mixture& mixture = table_.shape().experts;
  const int d = table_.shape().width, rows = rows_of(g);
  const std::ptrdiff_t row = first_row(g.first), slot = row * mixture.chosen;
  layer_storage& s = state_of(p.layer);
  const std::size_t slots = matrix_size(rows, mixture.chosen);
  std::vector<float> dweight(slots), dslots(matrix_size(std::ssize(dweight), d)),
      other(matrix_size(rows, d));
  weigh_slots(p, g, dweight.data());
  for (int e = 0; e < mixture.count; ++e) {
    const std::vector<int> own = slots_of(e, {s.expert.data() + slot, slots});
    if (!own.empty()) expert_backward(p, g, e, own, dslots.data());
  }
  add_slots(rows, mixture.chosen, d, nullptr, dslots.data(), p.dx);
  float* dlogits = back_->drouter.data() + row * mixture.count;
  choose_experts_backward(mixture, rows,
                          {s.expert.data() + slot, s.expert_weight.data() + slot,
                           s.expert_probability.data() + row * mixture.count},
                          dweight.data(), dlogits);
  p.t.router->multiply(rows, dlogits, mixture.count, other.data());
  add(std::ssize(other), other.data(), p.dx);
}

/// The gradients of the outputs of experts, and of the weights of slots.
void decoder::weigh_slots(const part_backward& p, const group& g, float* dweight) {
  const int d = table_.shape().width, chosen = table_.shape().experts.chosen;
  const std::ptrdiff_t first = std::ptrdiff_t{first_row(g.first)} * chosen;
  const layer_storage& s = state_of(p.layer);
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{rows_of(g)} * chosen; ++i) {
    const float* dy = p.dy + i / chosen * d;
    float* dpart = back_->ddown.data() + (first + i) * d;
    std::copy_n(dy, d, dpart);
    scale(d, s.expert_weight.data()[first + i], dpart);
    dweight[i] = static_cast<float>(inner_product(dy, s.part.data() + (first + i) * d, d));
  }
}

/// The rows of one expert.
///   slots   of the group      dslots  gradient of each slot's input
void decoder::expert_backward(const part_backward& p, const group& g, int expert,
                              std::span<const int> slots, float* dslots) {
  const policy_shape& shape = table_.shape();
  const int d = shape.width, ff = shape.hidden, chosen = shape.experts.chosen;
  const int rows = static_cast<int>(slots.size());
  const std::ptrdiff_t first = std::ptrdiff_t{first_row(g.first)} * chosen;
  const layer_storage& s = state_of(p.layer);
  std::vector<std::uint64_t> numbers;
  for (const int slot : slots) numbers.push_back(p.tokens.numbers.data()[slot / chosen]);
  const auto gradient = [&](linear l, const float* dy, std::ptrdiff_t stride, float* to) {
    multiply(p.dgrad, {p.layer, l, expert}, {rows, dy, stride, numbers.data()}, p.t.of(l, expert),
             to);
  };
  std::vector<float> dhidden(matrix_size(rows, ff)), dgate_up(matrix_size(rows, 2 * ff)),
      dx(matrix_size(rows, d)), other(matrix_size(rows, d));
  const std::vector<float> dy = gathered(slots, 1, d, back_->ddown.data() + first * d);
  gradient(linear::down, dy.data(), d, dhidden.data());
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    const float* gate = s.gate_up.data() + (first + slots.data()[i]) * 2 * ff;
    float* dgate = dgate_up.data() + i * 2 * ff;
    gated_backward(ff, gate, gate + ff, dhidden.data() + i * ff, dgate, dgate + ff);
  }
  scatter(slots, 2 * ff, dgate_up.data(), back_->dgate_up.data() + first * 2 * ff);
  gradient(linear::gate, dgate_up.data(), 2 * ff, dx.data());
  gradient(linear::up, dgate_up.data() + ff, 2 * ff, other.data());
  add(std::ssize(dx), other.data(), dx.data());
  scatter(slots, d, dx.data(), dslots);
}

/// In FP32, sequence by sequence.
void decoder::add_router_gradient(const value_products& by, int layer, gradient_tree& tree) const {
  const parameter& router = table_.layer(layer).router;
  if (router.count() == 0) return;
  const layer_storage& s = state_of(layer);
  std::vector<mx::outer_product> leaves;
  for (int i = 0; i < std::ssize(batch_); ++i) {
    const std::ptrdiff_t row = first_row(i);
    leaves.push_back({first_row(i + 1) - first_row(i), back_->drouter.data() + row * router.rows,
                      s.normed_middle.data() + row * router.columns});
  }
  by.add({leaves, tree.added(), router.rows, 0, router.rows, router.columns, router.rows,
          router.columns, tree.levels_at(router.offset, 1).data()});
}

}  // namespace sim
