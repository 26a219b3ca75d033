// SPDX-License-Identifier: Apache-2.0
// kernels/verify/format_names.h: formats and models by their names in committed words, which the
// `mxprism` command reads too.
#pragma once
#include <stdexcept>
#include <string>

#include "mx/block/names.h"
#include "mx/dot/models.h"
#include "value_names.h"

namespace mx::kernels {

inline constexpr named_value<format> wide_format_names[] = {{formats::binary16, "fp16"},
                                                            {formats::bfloat16, "bf16"},
                                                            {formats::tf32, "tf32"},
                                                            {formats::binary32, "fp32"}};

///   errors  std::invalid_argument for an unknown element, addend or scale
[[nodiscard]] inline format format_named(const std::string& name) {
  if (const auto* wide = entry_named(wide_format_names, name)) return wide->value;
  if (const auto* element = entry_named(element_format_table, name)) return element->value;
  if (const auto* scale = entry_named(scale_format_table, name)) return scale->value;
  throw std::invalid_argument("no format has the name " + name);
}

/// The name of an element's or an addend's format.
[[nodiscard]] inline std::string name_of_format(const format& f) {
  return name_in(wide_format_names, f, name_in(element_format_table, f, ""));
}

[[nodiscard]] inline std::string name_of_scale(const format& f) {
  return name_in(scale_format_table, f, "");
}

/// The name of a model, independent of its operands if it accepts any; empty for an unnamed model.
[[nodiscard]] inline std::string name_of_model(const dot_model& model) {
  for (const named_model& entry : model_table) {
    if (entry.model == model) return std::string(entry.name);
  }
  for (const named_model& entry : model_table) {
    const bool any = entry.operands == operands::any;
    if (any && entry.model.sum == model.sum) return std::string(entry.name);
  }
  return {};
}

}  // namespace mx::kernels
