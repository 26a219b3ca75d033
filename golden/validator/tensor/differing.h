// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/differing.h: the kinds of stored numbers that may differ.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace golden::validator {

/// A code; a block's scale alone; a tensor scale alone; the sizes of arrays; macro fractions alone;
/// the same of a residual. The values are those of mx_differs_code and its siblings.
enum class differing : std::uint8_t {
  code,
  scale,
  tensor_scale,
  size,
  macro_fractions,
  residual_code,
  residual_scale,
  residual_macro_fractions
};

/// "code", ..., "residual.macro_fractions"
[[nodiscard]] constexpr std::string_view name_of(differing d) noexcept {
  constexpr std::array<std::string_view, 8> names{"code",
                                                  "scale",
                                                  "tensor_scale",
                                                  "size",
                                                  "macro_fractions",
                                                  "residual.code",
                                                  "residual.scale",
                                                  "residual.macro_fractions"};
  return names[static_cast<std::size_t>(d)];
}

[[nodiscard]] constexpr bool is_of_residual(differing d) noexcept {
  return d >= differing::residual_code;
}

}  // namespace golden::validator
