// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dot_coverage.h: functional coverage of dot products under a model: which operands and
// which decisions inside were seen, as named counters. It classifies what mx::dot tells of itself
// (mx/dot/record.h) and computes nothing.
#pragma once
#include "rtl_models/dpi/operand_coverage.h"
#include "rtl_models/dpi/step_coverage.h"

namespace hardware {

/// Two runs of the same model have the same bins in the same order.
class dot_coverage {
 public:
  explicit dot_coverage(const mx::dot_model& model);

  /// One dot product. Returns the bits of d, as mx::dot gives them.
  ///   words  as many codes of b as of a, and ceil(k / block) scales of both where the model has any
  std::uint32_t sample(const dot_sample& words);

  /// Adds what another run saw. False, and nothing is added, where it is one of another model.
  [[nodiscard]] bool merge(const dot_coverage& other);

  [[nodiscard]] const coverage_bins& bins() const noexcept { return bins_; }
  /// Dot products seen.
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }

  /// What was seen, point by point, with the holes.
  [[nodiscard]] std::string report() const;

 private:
  mx::dot_model model_;
  coverage_bins bins_;
  operand_coverage operands_;
  step_coverage steps_;
  std::uint64_t samples_ = 0;
};

}  // namespace hardware
