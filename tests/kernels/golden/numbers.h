// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/numbers.h: numbers in memory and quantizations in golden's types.
#pragma once
#include <stdexcept>

#include "case_table.h"
#include "twins.h"

namespace kernels_test {

using bytes = std::vector<std::uint8_t>;

/// Number `index` of those of so many bytes each, little-endian.
[[nodiscard]] std::uint32_t code_at(const bytes& from, std::size_t index, std::size_t size);
void store_code(bytes& to, std::size_t index, std::uint32_t code, std::size_t size);

/// The FP32 value of a code of a type; these types hold all of FP16 and BF16.
[[nodiscard]] float value_of_code(mx::number_type type, std::uint32_t code);

/// An FP32 number rounded to a type.
[[nodiscard]] std::uint32_t code_of_value(mx::number_type type, float value);

/// Golden's equivalents of core types.
template <class List, class Core>
auto twin_of(const List& list, const Core& core) {
  for (const auto& each : list) {
    if (each.core == core) return each.reference;
  }
  throw std::logic_error("no twin of golden's");
}

[[nodiscard]] golden::quantization quantization_of(const mx::quantization& how);

[[nodiscard]] golden::rational tensor_scale_of(const mx::block_format& f,
                                               const mx::kernels::case_input& input);

}  // namespace kernels_test
