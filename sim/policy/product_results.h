// SPDX-License-Identifier: Apache-2.0
// sim/policy/product_results.h: the result of each quantized product of a step, by itself: before
// the leaves of wgrad are added, and before the products of dgrad that share an X are.
#pragma once
#include <vector>

#include "sim/policy/decoder.h"

namespace sim {

/// A decoder's micro-batch after forward and, for dgrad and wgrad, directly after the layer's
/// backward_through.
///   weights  of the policy
struct computed_sequences {
  const parameter_table& table;
  const std::vector<float>& weights;
  const decoder& done;
};

/// The results of one linear's products: rollout, forward (rows, outputs), dgrad (rows, inputs),
/// wgrad (outputs, inputs) of product after product.
///   errors  throws std::invalid_argument where a product of wgrad would be split
[[nodiscard]] std::vector<float> product_results(const computed_sequences& of,
                                                 const step_arithmetic& a, pass p,
                                                 const product_place& at);

}  // namespace sim
