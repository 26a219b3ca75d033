// SPDX-License-Identifier: Apache-2.0
// kernels/verify/format_names.h: formats and models by their names in committed words and in the
// `mxprism` command.
#pragma once
#include <stdexcept>
#include <string>

#include "mx/block/names.h"
#include "mx/dot/models.h"

namespace mx::kernels {

struct wide_format_name {
  std::string_view name;
  format value;
};
inline constexpr wide_format_name wide_format_names[] = {{"fp16", formats::binary16},
                                                         {"bf16", formats::bfloat16},
                                                         {"tf32", formats::tf32},
                                                         {"fp32", formats::binary32}};

///   errors  std::invalid_argument for an unknown element, addend or scale
[[nodiscard]] inline format format_named(const std::string& name) {
  for (const wide_format_name& each : wide_format_names) {
    if (each.name == name) return each.value;
  }
  for (const auto& each : element_format_table) {
    if (each.name == name) return each.value;
  }
  for (const auto& each : scale_format_table) {
    if (each.name == name) return each.value;
  }
  throw std::invalid_argument("no format has the name " + name);
}

/// The name of an element's or an addend's format.
[[nodiscard]] inline std::string name_of_format(const format& f) {
  for (const wide_format_name& each : wide_format_names) {
    if (each.value == f) return std::string(each.name);
  }
  for (const auto& each : element_format_table) {
    if (each.value == f) return std::string(each.name);
  }
  return {};
}

[[nodiscard]] inline std::string name_of_scale(const format& f) {
  for (const auto& each : scale_format_table) {
    if (each.value == f) return std::string(each.name);
  }
  return {};
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
