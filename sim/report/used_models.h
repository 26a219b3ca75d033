// SPDX-License-Identifier: Apache-2.0
// sim/report/used_models.h: models of products other than `fp32.fma`, rotations, and products of
// several sequences.
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

/// The models of a study, in its order.
[[nodiscard]] std::vector<used_model> models_of(const study& s);

/// "under blackwell.mxf4, rotated by 16,fixed, 4 sequences a product"; empty for `fp32.fma` without
/// a rotation, one sequence a product.
[[nodiscard]] std::string words_of_products(const pass_format& f);

}  // namespace sim
