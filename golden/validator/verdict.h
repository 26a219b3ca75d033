// SPDX-License-Identifier: Apache-2.0
// golden/validator/verdict.h: the verdict on a kernel's output.
#pragma once
#include <array>
#include <cstdint>
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
///   dimension  of tensors name_of(dimension) (dimension.h); of products `accumulator` (the model),
///              `output_rounding`, `operation_order`, `tensor_scale`; ends in a 0
struct change {
  std::string_view dimension;
  std::string expected, found;

  friend bool operator==(const change&, const change&) = default;
};

/// Why a test of a kernel's output fails.
struct failure_words {
  std::string message, details;
};

}  // namespace golden::validator
