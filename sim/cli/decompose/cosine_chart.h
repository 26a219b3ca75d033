// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/cosine_chart.h: how the cosines of two parts of the error spread over tensors.
// Source: arXiv 2605.20402, figure 1.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/decompose/decomposed_tensor.h"

namespace sim::cli {

/// A histogram over the tensors of each pair whose parts can meet in an element. Tensors without
/// one of the two parts are left out.
[[nodiscard]] std::string cosine_chart(const std::vector<decomposed_tensor>& tensors);

}  // namespace sim::cli
