// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/nan_alone.h: codes and scales that differ only where a number is NaN.
#pragma once
#include <span>

#include "prediction.h"

namespace golden::validator {

/// Whether all codes, scales and tensor scales that differ are those of NaN.
///   signs  in nothing but the sign: the input is NaN, or both sides decode to NaN
///   codes  both sides decode to NaN
enum class nan_alone : std::uint8_t { no, signs, codes };

///   p       a prediction that differs
///   blocks  some that differ; empty if no block does
[[nodiscard]] nan_alone nan_alone_in(const prediction& p, std::span<const std::uint64_t> blocks);

/// "nan_signs", "nan_codes", or empty
[[nodiscard]] std::string_view word_of(nan_alone n);

}  // namespace golden::validator
