// SPDX-License-Identifier: Apache-2.0
// sim/train/restricted_gradients.cpp: see restricted_gradients.h.
#include "sim/train/restricted_gradients.h"

#include <array>
#include <span>

namespace sim {

const char* name_of(gradient_passes p) noexcept {
  constexpr std::array<const char*, 5> names{"all", "forward", "dgrad", "wgrad", "backward"};
  return names[static_cast<std::size_t>(p)];
}

arithmetic restricted(const arithmetic& formats, gradient_passes passes) {
  arithmetic result;
  const bool all = passes == gradient_passes::all, backward = passes == gradient_passes::backward;
  if (all || passes == gradient_passes::forward) result.forward = formats.forward;
  if (all || backward || passes == gradient_passes::dgrad) result.dgrad = formats.dgrad;
  if (all || backward || passes == gradient_passes::wgrad) result.wgrad = formats.wgrad;
  return result;
}

void for_each_restriction(const setting& s, const step_arithmetic& at, const plain_policy& policy,
                          gradient_detail detail, batch_pass& pass,
                          const std::function<void(const restricted_pass&)>& take) {
  using enum gradient_passes;
  constexpr std::array after_quantized{all, forward};
  constexpr std::array after_plain{dgrad, wgrad, backward};
  const bool full = detail == gradient_detail::full;
  const backward_weights transposed = prepare_backward(s.table, policy.weights, at);
  const auto take_all = [&](std::span<const gradient_passes> restrictions,
                            const forward_weights& weights, const pass_products& products) {
    pass.forward(weights, products);
    for (const gradient_passes p : restrictions) {
      step_arithmetic formats = at;
      formats.formats = restricted(at.formats, p);
      const bool quantized = formats.formats.dgrad == at.formats.dgrad;
      take({p, weights, quantized ? transposed : policy.backward, formats});
    }
  };
  const pass_products products = at.of(sim::pass::forward);
  take_all(std::span(after_quantized).first(full ? 2 : 1),
           prepare_forward(s.table, policy.weights, products), products);
  if (full) take_all(after_plain, policy.forward, {});
}

}  // namespace sim
