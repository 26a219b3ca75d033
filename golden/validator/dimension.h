// SPDX-License-Identifier: Apache-2.0
// golden/validator/dimension.h: the dimensions in which two quantizers may differ.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace golden::validator {

enum class dimension : std::uint8_t {
  scale_rule,
  element_rounding,
  nibble_order,
  scale_layout,
  scale_offset,
  nan_rule,
  zero_rule,
  subnormals,
  input_precision,
  block_axis,
  row_order,
  block_size,
  element_format,
  dropped_tail,
  operation_order,
  tensor_scale,
  variant
};

inline constexpr std::array<std::string_view, 17> dimension_names{
    "scale_rule",   "element_rounding", "nibble_order",   "scale_layout",    "scale_offset",
    "nan_rule",     "zero_rule",        "subnormals",     "input_precision", "block_axis",
    "row_order",    "block_size",       "element_format", "dropped_tail",    "operation_order",
    "tensor_scale", "variant"};

[[nodiscard]] constexpr std::string_view name_of(dimension d) noexcept {
  return dimension_names[static_cast<std::size_t>(d)];
}

}  // namespace golden::validator
