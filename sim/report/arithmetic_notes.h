// SPDX-License-Identifier: Apache-2.0
// sim/report/arithmetic_notes.h: what is particular about the arithmetic of a study's arms: formats
// off the vector path, models of products other than `fp32.fma`.
#pragma once
#include <string>
#include <vector>

#include "sim/study/study.h"

namespace sim {

/// A model other than `fp32.fma`, and the arms with products under it.
struct used_model {
  const mx::named_model* model;
  std::vector<std::string> arms;
};

/// In the order of the study.
[[nodiscard]] std::vector<used_model> models_of(const study& s);

/// "under blackwell.mxf4, rotated by 16,fixed"; empty for `fp32.fma` without a rotation.
[[nodiscard]] std::string words_of_products(const pass_format& f);

/// A line for each arm with passes under other models, with their evidence; and for each with
/// operands that are quantized by the scalar core instead of on vectors.
[[nodiscard]] std::vector<std::string> arithmetic_notes(const study& s);

}  // namespace sim
