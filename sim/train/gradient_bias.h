// SPDX-License-Identifier: Apache-2.0
// sim/train/gradient_bias.h: bias and variance of a gradient g beside a reference r, from inner
// products of disjoint batches. With d = g - r, <d_i, d_j> of batches i != j estimates |E d|^2; of
// one batch with itself it has the noise of sampling on top, which is most of it.
// All pairs of K batches are averaged: if noise is all there is, the variance of the average is
// K / (K - 1) times that of infinitely many batches with as many rollouts together: twice for two
// halves, 1.07 times for 16 parts. The jackknife leaves out one batch at a time; where noise is all
// there is, its standard errors are up to sqrt(2) too large.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "sim/study/statistics.h"

namespace sim {

class gradient_bias {
 public:
  /// Products of one batch's vectors x and y with each other and with the sums X and Y of all
  /// batches.
  struct pair_products {
    double own = 0, with_sum = 0, of_sum = 0;  ///< <x, y>, <x, Y>, <X, y>

    pair_products& operator+=(const pair_products& other);
  };
  struct products {
    pair_products dd, dr, rr;
  };

  /// Sums over a part of the parameters; parts add up. A figure has no value where the batches do
  /// not resolve what it divides by, all together or without one of them: with fewer than three
  /// they never do.
  class share {
   public:
    explicit share(std::vector<products> batches) : batches_(std::move(batches)) {}
    share& operator+=(const share& other);
    /// |E d|^2 / |E r|^2. Its numerator has no bias, so it may be negative.
    [[nodiscard]] std::optional<replicated> bias_squared() const;
    /// <E g, E r> / (|E g| |E r|); above 1 by chance.
    [[nodiscard]] std::optional<replicated> cosine() const;
    /// <E g, E r> / |E r|^2
    [[nodiscard]] std::optional<replicated> projection() const;
    /// Variances between batches, summed over the parameters: of d over that of r, and of g
    /// over it.
    [[nodiscard]] std::optional<replicated> error_variance() const;
    [[nodiscard]] std::optional<replicated> variance() const;

   private:
    std::vector<products> batches_;
  };

  /// One vector a batch in both, of independent batches; the references must outlive this.
  gradient_bias(const std::vector<std::vector<float>>& gradients,
                const std::vector<std::vector<float>>& references);

  /// The parameters [begin, end); their number is a multiple of 16.
  [[nodiscard]] share over(std::ptrdiff_t begin, std::ptrdiff_t end) const;

 private:
  const std::vector<std::vector<float>>& references_;
  std::vector<std::vector<float>> differences_;
  std::vector<float> reference_sum_, difference_sum_;
};

}  // namespace sim
