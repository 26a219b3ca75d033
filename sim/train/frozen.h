// SPDX-License-Identifier: Apache-2.0
// sim/train/frozen.h: the effect of an arm's arithmetic at frozen weights: the warmed-up policy,
// with the FP32 policy's rollouts replayed, so that all cells see the same tokens.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/report/metrics.h"
#include "sim/train/restricted_gradients.h"
#include "sim/train/trainer.h"

namespace sim {

/// The reference of all cells.
struct frozen_reference {
  std::vector<float> weights;
  std::vector<std::vector<sequence>> batches;
  std::vector<std::vector<float>> advantage;          ///< of each sequence, by batch
  std::vector<std::vector<float>> share;              ///< of its tokens in the loss
  std::vector<std::vector<float>> log_distributions;  ///< of each response token, by batch
  std::vector<std::vector<float>> gradients;          ///< by batch

  /// Of the tokens of a batch's sequence.
  [[nodiscard]] float weight_of(std::size_t batch, int sequence) const {
    const auto i = static_cast<std::size_t>(sequence);
    return share[batch][i] * advantage[batch][i];
  }
};

/// Batch b of the measurement at frozen weights: rollouts of the FP32 policy, or demonstrations.
///   fp32  the weights for FP32's products
[[nodiscard]] std::vector<sequence> frozen_batch(const setting& s, const forward_weights& fp32,
                                                 int b);

/// Adaptive noise on the norms' weights at noise.frozen_sigma: new for every batch, from counters
/// beyond those of training.
[[nodiscard]] std::vector<float> frozen_noise(const setting& s, std::size_t batch);

[[nodiscard]] frozen_reference make_reference(const setting& s, std::vector<float> weights);

/// Figures of one cell, each with its leave-one-batch-out values; keyed by metric, passes and
/// layer.
struct cell_key {
  std::string metric, passes, layer;
  auto operator<=>(const cell_key&) const = default;
};
using cell_figures = std::map<cell_key, replicated>;

/// One arm's cell with this outlier factor.
[[nodiscard]] cell_figures measure_cell(const setting& s, const frozen_reference& reference,
                                        const arm& a, int factor, gradient_detail detail);

/// Energies of the error components by operand role and linear, for one batch in FP32. Its dY is
/// that of tokens weighed by their advantage alone, and not by their share of the loss too, with
/// which dgrad and wgrad quantize it: the share is no power of two, so that scales fall elsewhere.
[[nodiscard]] std::vector<metric_row> component_energies(const setting& s,
                                                         const frozen_reference& reference,
                                                         const arm& a);

/// Rows of a cell.
[[nodiscard]] std::vector<metric_row> rows_of(const std::string& arm, int factor,
                                              const cell_figures& figures);

/// Rows of the factorial in both meanings of a toggle; empty where a cell is missing (cell_arm).
///   cells  by arm name, all with the same outlier factor
[[nodiscard]] std::vector<metric_row> factorial_rows(
    const study& s, const std::map<std::string, cell_figures>& cells, int factor);

}  // namespace sim
