// SPDX-License-Identifier: Apache-2.0
// sim/train/gradient_comparison.h: cosine, projection and length of a gradient to a reference
// gradient, each a mean over batches, with and without each batch.
#pragma once
#include <cstddef>
#include <vector>

#include "sim/study/statistics.h"

namespace sim {

class gradient_comparison {
 public:
  /// Products of one batch's gradient g and reference r with each other and with the sums G and R.
  struct products {
    double gr = 0, gg = 0, rr = 0, gr_sum = 0, g_sum_r = 0, gg_sum = 0, rr_sum = 0;
  };

  /// Sums over a part of the parameters; parts add up.
  class share {
   public:
    explicit share(std::vector<products> batches) : batches_(std::move(batches)) {}
    share& operator+=(const share& other);
    /// <G, R> / sqrt(<G, G> <R, R>): agreement of the direction.
    [[nodiscard]] replicated cosine() const;
    /// <G, R> / <R, R>: the gradient's length along the reference, as a fraction.
    [[nodiscard]] replicated projection() const;
    /// log2(|G| / |R|): how much longer or shorter the gradient is.
    [[nodiscard]] replicated log2_norm() const;

   private:
    std::vector<products> batches_;
  };

  /// One vector a batch in both; they must outlive the comparison.
  gradient_comparison(const std::vector<std::vector<float>>& gradients,
                      const std::vector<std::vector<float>>& references);

  /// The parameters [begin, end); their number is a multiple of 16.
  [[nodiscard]] share over(std::ptrdiff_t begin, std::ptrdiff_t end) const;

 private:
  const std::vector<std::vector<float>>&gradients_, &references_;
  std::vector<float> sum_, reference_sum_;
};

}  // namespace sim
