// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dot_coverage.h: functional coverage of dot products under a model: which operands
// and which internal decisions occurred, as named counters. It classifies what mx::dot reports
// (mx/dot/record.h) and computes nothing.
#pragma once
#include "rtl_models/dpi/operand_coverage.h"
#include "rtl_models/dpi/step_coverage.h"

namespace hardware {

/// Runs of the same model have the same bins in the same order.
class dot_coverage {
 public:
  explicit dot_coverage(const mx::dot_model& model);

  /// Samples one dot product. Returns the bits of d, as mx::dot does.
  ///   words  as many codes of b as of a, and ceil(k / block) scales of both if the model has any
  std::uint32_t sample(const dot_sample& words);

  /// Adds another run's counts. Returns false, adding nothing, if it is of another model.
  [[nodiscard]] bool merge(const dot_coverage& other);

  [[nodiscard]] const coverage_bins& bins() const noexcept { return bins_; }
  /// Number of sampled dot products.
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }

  /// Coverage point by point, with the holes.
  [[nodiscard]] std::string report() const;

 private:
  mx::dot_model model_;
  coverage_bins bins_;
  operand_coverage operands_;
  step_coverage steps_;
  std::uint64_t samples_ = 0;
};

}  // namespace hardware
