// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_page.h: the page of `mxprism decompose --report`.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/decompose/scale_precision.h"

namespace sim::cli {

/// What a file's decomposition found.
///   precisions  empty if they were not asked for
struct decomposition {
  std::vector<decomposed_tensor> tensors;
  std::vector<tensor_kind> kinds;
  tensor_kind whole;
  std::vector<at_precision> precisions;
};

/// A self-contained page.
///   element  of the format, for the largest number that parts are measured by
///   source   file and rules, for the head of the page
[[nodiscard]] std::string page_of(const decomposition& d, const mx::format& element,
                                  const std::string& source);

}  // namespace sim::cli
