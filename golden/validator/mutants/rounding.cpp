// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/rounding.cpp: wrongly rounded elements.
#include <algorithm>
#include <array>
#include <cmath>

#include "mutant.h"

namespace golden::validator {
namespace {

using mx::rounding;

template <rounding How>
void round_otherwise(coded_rows& t) {
  mx::quantization rules = t.rules;
  rules.rounding = How;
  quantize_as(t, rules, t.x);
}

void round_input_to_bfloat16(coded_rows& t) {
  std::vector<float> x = t.x;
  for (float& value : x) {
    if (std::isfinite(value)) value = mx::rounded_to_bfloat16(value);
  }
  quantize_as(t, t.rules, x);
}

void lose_largest_code(coded_rows& t) {
  const mx::format& e = t.rules.format.element;
  for (const bool negative : {false, true}) {
    const std::uint32_t largest = mx::signed_code(e, negative, e.max_code());
    const std::uint32_t below = mx::signed_code(e, negative, e.max_code() - 1);
    std::replace(t.codes.begin(), t.codes.end(), static_cast<std::uint8_t>(largest),
                 static_cast<std::uint8_t>(below));
  }
}

void change_one_code(coded_rows& t) {
  if (!t.codes.empty()) t.codes[(t.rows / 2) * t.padded() + t.length / 2] ^= 1;
}

constexpr std::array rounding_table{
    mutant{"ties-away", "a tie goes away from zero instead of to the even code",
           round_otherwise<rounding::ties_away>},
    mutant{"ties-toward-zero", "a tie goes toward zero instead of to the even code",
           round_otherwise<rounding::ties_toward_zero>},
    mutant{"truncation", "what the grid lacks is cut off instead of rounded",
           round_otherwise<rounding::toward_zero>},
    mutant{"bf16-input", "numbers are rounded to BF16 before they are quantized",
           round_input_to_bfloat16},
    mutant{"largest-code-lost", "saturation stops one code below the largest element",
           lose_largest_code},
    mutant{"one-code", "one code in the middle has a wrong lowest bit", change_one_code}};

}  // namespace

std::span<const mutant> rounding_mutants() { return rounding_table; }

}  // namespace golden::validator
