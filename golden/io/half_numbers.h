// SPDX-License-Identifier: Apache-2.0
// golden/io/half_numbers.h: numbers of 16 bits as FP32, exactly.
#pragma once
#include <cstdint>

namespace golden::io {

[[nodiscard]] float from_float16(std::uint16_t bits);
[[nodiscard]] float from_bfloat16(std::uint16_t bits);

}  // namespace golden::io
