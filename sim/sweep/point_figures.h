// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_figures.h: everything that a sweep measures at one point on one input.
#pragma once
#include "sim/sweep/sweep_point.h"
#include "sim/sweep/sweep_row.h"
#include "sim/sweep/swept_input.h"

namespace sim {

/// A point on an input, or on the first rows of its tensors.
///   b  the rows of B of a product; the input itself without another
struct measured_work {
  const sweep_point* point = nullptr;
  const swept_input* input = nullptr;
  const swept_input* b = nullptr;
  double share = 1;
  std::string key;
};

/// The key of a row: of everything that its values depend on.
[[nodiscard]] std::string key_of(const sweep_study& s, const measured_work& w);

/// Measures; a policy is prepared. Parts of the error only of plain recipes, a product only with a
/// model.
[[nodiscard]] sweep_row figures_of(const sweep_study& s, const measured_work& w);

/// Refuses inputs that a product cannot take its operands from.
///   errors  input_error
void expect_operands(const sweep_study& s, const swept_input& a, const swept_input& b);

}  // namespace sim
