// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decomposed_tensor.h: the components of the quantization error of tensors, one
// by one and by kind.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mx/block/energy.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {

struct error_figures {
  mx::error_energy energy;

  /// A share of the error's energy; NaN where there is no error.
  [[nodiscard]] double ratio(double part) const;
  /// NaN where one of the components is zero throughout.
  [[nodiscard]] double cosine(double product, double one, double other) const;
  /// A share of the summed elements; NaN where there are none.
  [[nodiscard]] double fraction(std::int64_t count) const;
  [[nodiscard]] double sqnr_db() const;
  [[nodiscard]] double gain() const;
  /// Deadzone and grid: what remains of the error if every block has its ideal scale.
  [[nodiscard]] double floor() const;
};

struct decomposed_tensor : error_figures {
  std::string name;
  std::vector<std::uint64_t> shape;
};

/// The tensors of a model's layers that differ by their numbers alone.
///   name  with * for each part that is a number: model.layers.*.mlp.up_proj.weight
struct tensor_kind : error_figures {
  std::string name;
  std::uint64_t tensors = 0;
};

/// In the order of their first tensors.
[[nodiscard]] std::vector<tensor_kind> kinds_of(const std::vector<decomposed_tensor>& tensors);
/// All tensors as one kind, named "all".
[[nodiscard]] tensor_kind whole_of(const std::vector<decomposed_tensor>& tensors);

/// A figure for the terminal, right-aligned: "-" for NaN, which has no sign here; "inf".
[[nodiscard]] std::string shown_figure(double value, int width, int decimals);

[[nodiscard]] ordered_json json_of(const decomposed_tensor& t);
[[nodiscard]] ordered_json json_of(const tensor_kind& kind);
[[nodiscard]] std::string text_of(const decomposed_tensor& t);
/// One line a kind, and the whole.
[[nodiscard]] std::string text_of(const std::vector<tensor_kind>& kinds, const tensor_kind& whole);

}  // namespace sim::cli
