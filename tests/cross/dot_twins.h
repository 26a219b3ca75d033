// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_twins.h: models of dot products, each in the types of both sides.
#pragma once
#include <string>
#include <vector>

#include "golden/reference/device_models.h"
#include "mx/dot/mixed_models.h"

namespace cross {

struct dot_twins {
  std::string name;
  mx::dot_model core;
  golden::device_model reference;

  /// Products after which a result is rounded, for words of any length: of a step or a span.
  [[nodiscard]] int step() const;
  /// Scales of a word of k elements, for a and for b.
  [[nodiscard]] int scales(int k) const;
};

/// Every model whose formats are its own, and every pair of two formats.
[[nodiscard]] const std::vector<dot_twins>& device_dots();

/// Every model of mx::model_table that takes any formats, with many of them, scaled or not.
[[nodiscard]] const std::vector<dot_twins>& generic_dots();

/// Names of mx::model_table without a twin; must be empty.
[[nodiscard]] std::vector<std::string> models_without_twin();

}  // namespace cross
