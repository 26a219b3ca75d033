// SPDX-License-Identifier: Apache-2.0
// golden/validator/verdict.h: the verdict on a kernel's output.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace golden::validator {

///   exact        every bit is as declared; of a product without a declared model, as some model
///                has it
///   explained    a change of the declaration reproduces the output
///   unexplained  no change that was tried does
enum class verdict : std::uint8_t { exact, explained, unexplained };

/// "exact", "explained", "unexplained"
[[nodiscard]] constexpr std::string_view name_of(verdict v) {
  constexpr std::array<std::string_view, 3> names{"exact", "explained", "unexplained"};
  return names[static_cast<std::size_t>(v)];
}

/// One difference from what was declared.
///   dimension  of tensors name_of(dimension) (dimension.h); of products `accumulator` (the model,
///              expected `any` where none was declared), `output_rounding`, `operation_order`,
///              `tensor_scale`; of their operands `scale_rule`, `element_rounding`; ends in a 0
struct change {
  std::string_view dimension;
  std::string expected, found;

  friend bool operator==(const change&, const change&) = default;
};

/// Index of the change in which a rival differs from an explanation, or 0.
[[nodiscard]] inline std::size_t telling_change(std::span<const change> rival,
                                                std::span<const change> explanation) {
  const auto is_new = [explanation](const change& c) {
    return std::ranges::find(explanation, c) == explanation.end();
  };
  const auto first = std::ranges::find_if(rival, is_new);
  return first == rival.end() ? 0 : static_cast<std::size_t>(first - rival.begin());
}

/// Why a test of a kernel's output fails.
struct failure_words {
  std::string message, details;
};

}  // namespace golden::validator
