// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_tensor.h: the components of one tensor's quantization error.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mx/block/energy.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

struct decomposed_tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  mx::error_energy energy;

  /// A share of the error's energy; NaN where there is no error.
  [[nodiscard]] double ratio(double part) const;
  /// NaN where one of the components is zero throughout.
  [[nodiscard]] double cosine(double product, double one, double other) const;
  /// A share of the summed elements; NaN where there are none.
  [[nodiscard]] double fraction(std::int64_t count) const;
  [[nodiscard]] double sqnr_db() const;
  [[nodiscard]] double gain() const;
};

[[nodiscard]] ordered_json json_of(const decomposed_tensor& t);
[[nodiscard]] std::string text_of(const decomposed_tensor& t);

/// A self-contained page.
///   source  file and rules, for the head of the page
[[nodiscard]] std::string page_of(const std::vector<decomposed_tensor>& tensors,
                                  const std::string& source);

}  // namespace sim::cli
