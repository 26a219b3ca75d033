// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/numbers.h: the numbers of a tensor, one at a time, under a hypothesis's
// input rule.
#pragma once
#include "golden/validator/hypothesis.h"
#include "subject.h"

namespace golden::validator {

/// Element `index` as FP32; FP16 and BF16 are widened.
[[nodiscard]] float number_at(const subject& s, std::uint64_t index);

/// Its bits in the tensor's type.
[[nodiscard]] std::uint32_t bits_at(const subject& s, std::uint64_t index);

/// Appends a number that the type can represent, little-endian.
void append_number(mx::number_type type, float x, std::vector<std::uint8_t>& bytes);

/// "0x0f": at least `digits` digits.
[[nodiscard]] std::string hexadecimal(std::uint32_t value, int digits);

/// A number by its bits: "0x3fc0 (1.5)".
[[nodiscard]] std::string number_text(mx::number_type type, std::uint32_t bits);

/// Nearest even (bfloat16_cut: cut off) in a narrower format, as FP32.
[[nodiscard]] float rounded_to(precision p, float x);
/// The same of a finite exact number, to FP16 or BF16.
[[nodiscard]] mx::unpacked rounded_to(precision p, const mx::unpacked& x);

/// A zero where x is subnormal in the tensor's type, and the rule flushes inputs.
[[nodiscard]] float flushed(subnormal_rule rule, mx::number_type type, float x);

/// Whether a stored tensor scale is unusable: no block can be encoded under it.
[[nodiscard]] inline bool is_unusable(float tensor_scale) {
  return !mx::is_tensor_scale(mx::unpack(tensor_scale));
}

/// Largest magnitudes of a tensor, or of a row of it, as bits of FP32.
struct magnitudes {
  std::uint32_t finite = 0;   ///< largest finite one
  std::uint32_t numbers = 0;  ///< the same including Inf
  bool nan = false, only_nan = true;

  void add(float x);
  void add(const magnitudes& other);
};

/// The magnitudes of a whole tensor after rounding.
[[nodiscard]] magnitudes magnitudes_of(const subject& s, precision p);

}  // namespace golden::validator
