// SPDX-License-Identifier: Apache-2.0
// sim/train/kl_matrix.h: the KL divergence to second order in errors of logits. Two policies whose
// logits differ by d have KL = 1/2 d' F d + O(d^3), where F = diag(p) - p p' is the Fisher matrix
// of the softmax. For d = d_S + d_D + d_G that is the sum of a 3x3 matrix, whose entries off the
// diagonal are what two parts of the error do together.
#pragma once
#include <array>
#include <cstddef>

#include "sim/train/frozen.h"

namespace sim {

/// Policies whose errors are compared: scale, deadzone, grid, and all together.
inline constexpr std::size_t erring_policies = 4;

/// 1/2 d_i' F d_j, summed over tokens; symmetric.
using fisher_sums = std::array<std::array<double, erring_policies>, erring_policies>;

/// Adds one token. Errors are differences of log-probabilities: those of logits but for a constant,
/// on which F gives 0. In binary64, in the order of the index.
///   width    of a distribution, a multiple of 16
///   log_p    of the reference, whose F is taken
///   log_q    of each policy
void add_fisher_products(int width, const float* log_p,
                         const std::array<const float*, erring_policies>& log_q, fisher_sums& sums);

/// Under each meaning of a toggle, in nats a response token of the reference's rollouts:
///   kl_matrix.injection.S.G    an entry; six of them, as the matrix is symmetric
///   kl_matrix.injection.row.S  the sum of a row: the Shapley value of the form
///   kl_matrix.injection.sum    of all nine: the KL if the three errors added up
/// and kl_matrix.whole, the form of the whole error itself.
///   a        the arm of all parts; no figures for others
///   weights  with outliers inserted
///   returns  nothing where the study lacks an arm
[[nodiscard]] cell_figures kl_matrix(const setting& s, const frozen_reference& reference,
                                     const arm& a, const std::vector<float>& weights);

}  // namespace sim
