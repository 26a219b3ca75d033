// SPDX-License-Identifier: Apache-2.0
// sim/train/distribution_sums.h: the distributions of a batch's tokens under an arm's arithmetic,
// beside those under FP32.
#pragma once
#include <vector>

#include "sim/policy/batch_pass.h"

namespace sim {

/// Sums over predicted tokens, of an arm's distributions q beside FP32's p.
///   kl        of q from p
///   agreeing  tokens whose likeliest one is the same
struct distribution_sums {
  double tokens = 0, cross_entropy = 0, kl = 0, entropy = 0, agreeing = 0;

  distribution_sums& operator+=(const distribution_sums& other);
};

/// Of the forward pass that `pass` has computed.
///   log_p  FP32's log-probabilities of the whole vocabulary, of every predicted token in batch
///          order
[[nodiscard]] distribution_sums distributions_beside(const batch_pass& pass, int vocabulary,
                                                     const std::vector<float>& log_p);

}  // namespace sim
