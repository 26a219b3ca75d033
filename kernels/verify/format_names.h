// SPDX-License-Identifier: Apache-2.0
// kernels/verify/format_names.h: formats and models by the names that committed words and the
// `mxprism` command have for them.
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

///   errors  std::invalid_argument where there is no such element, addend or scale
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

/// What a model is called, whatever its operands where it takes any; empty where it has no name.
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
