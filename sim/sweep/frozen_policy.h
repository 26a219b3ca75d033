// SPDX-License-Identifier: Apache-2.0
// sim/sweep/frozen_policy.h: a policy's distributions under the arithmetic of a point, beside those
// under FP32, on batches that all points share.
#pragma once
#include <memory>
#include <vector>

#include "sim/train/distribution_sums.h"
#include "sim/train/trainer.h"

namespace sim {

using shared_weights = std::shared_ptr<const std::vector<float>>;

/// The batches of a study at frozen weights.
[[nodiscard]] std::vector<std::vector<sequence>> frozen_batches(const study& s,
                                                                const std::vector<float>& weights);

class frozen_policy {
 public:
  /// Sums over a part of the batches: under an arm, and under FP32.
  struct comparison {
    distribution_sums of_arm, of_fp32;
  };

  /// Computes FP32's distributions, and keeps those that fit in `most_kept` bytes; others are
  /// computed again for each arm.
  frozen_policy(const study& s, shared_weights weights, std::vector<std::vector<sequence>> batches,
                double most_kept = 0x1p30);

  ///   share  of the batches, the first ones, rounded up
  /// Any number of threads may call it at once.
  [[nodiscard]] comparison under(const arm& a, double share) const;

 private:
  [[nodiscard]] batch_pass new_pass() const;
  [[nodiscard]] std::vector<float> plain_distributions(std::size_t batch) const;
  [[nodiscard]] distribution_sums sums_of(const arm& a, std::size_t batch,
                                          const std::vector<float>& plain) const;

  setting setting_;
  shared_weights weights_;
  std::vector<std::vector<sequence>> batches_;
  std::vector<std::vector<float>> kept_;  ///< FP32's, of the first batches
  std::vector<distribution_sums> plain_;  ///< under FP32, by batch
};

}  // namespace sim
