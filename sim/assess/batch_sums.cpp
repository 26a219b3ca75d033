// SPDX-License-Identifier: Apache-2.0
// sim/assess/batch_sums.cpp: measures one batch under FP32 and under an arm.
#include "sim/assess/batch_sums.h"

#include <span>

#include "sim/policy/element_functions.h"
#include "sim/train/frozen.h"

namespace sim {

std::string part_at(const parameter_table& table, std::ptrdiff_t offset) {
  if (offset == table.embedding().offset) return "embedding";
  if (offset == table.final_norm().offset) return "final norm";
  if (offset == table.head().offset) return "head";
  return std::to_string((offset - table.first_of_layer(0)) / table.count_of_layer());
}

batch_measurement::batch_measurement(const setting& s, const plain_policy& policy,
                                     const std::vector<sequence>& batch, int index)
    : s_(s), policy_(policy), batch_(batch), index_(index), share_(token_share(batch)) {
  batch_pass pass = new_pass();
  pass.take(batch_);
  pass.forward(policy_.forward, {});
  const step_arithmetic fp32{{}, {}, &s_.by};
  plain_.gradient = pass.gradient(policy_.forward, policy_.backward, fp32,
                                  [&](int, int, const token_outcome&) { return weight(); });
  plain_.log_distributions = pass.take_log_distributions();
}

batch_pass batch_measurement::new_pass() const {
  return {s_.table, s_.rope, micro_batch_of(s_.constants), s_.constants.run.kept};
}

distribution_sums batch_measurement::distributions_under(const arm& a, const step_arithmetic& at,
                                                         batch_pass& pass) const {
  const pass_products products = at.of(sim::pass::rollout);
  const std::vector<float> noise = a.noise == rollout_noise::adaptive
                                       ? frozen_noise(s_, static_cast<std::size_t>(index_))
                                       : std::vector<float>{};
  pass.forward(prepare_forward(s_.table, policy_.weights, products, noise), products);
  return distributions_beside(pass, s_.table.shape().vocabulary, plain_.log_distributions);
}

batch_sums batch_measurement::under(const arm& a) const {
  const step_arithmetic at = s_.at_step(a.formats, stream::frozen_operands, index_);
  batch_pass pass = new_pass();
  pass.take(batch_);
  batch_sums sums;
  sums.of_distributions = distributions_under(a, at, pass);
  for_each_restriction(s_, at, policy_, gradient_detail::full, pass, [&](const restricted_pass& r) {
    auto& parts = sums.of_gradients[r.passes];
    pass.gradient_in_parts(
        r.forward, r.backward, r.formats, [&](int, int, const token_outcome&) { return weight(); },
        [&](std::ptrdiff_t offset, std::span<const float> g) {
          const float* plain = plain_.gradient.data() + offset;
          const std::ptrdiff_t n = std::ssize(g);
          parts[part_at(s_.table, offset)] = {inner_product(g.data(), plain, n),
                                              inner_product(g.data(), g.data(), n),
                                              inner_product(plain, plain, n)};
        });
  });
  return sums;
}

}  // namespace sim
