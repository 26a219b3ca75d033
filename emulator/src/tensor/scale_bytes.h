// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/scale_bytes.h: scale codes of several bytes, the low one first.
#pragma once
#include <cstdint>

namespace mx {

inline void store_scale_code(std::uint32_t code, std::uint64_t bytes, std::uint8_t* to) {
  for (std::uint64_t k = 0; k < bytes; ++k) to[k] = static_cast<std::uint8_t>(code >> (8 * k));
}

[[nodiscard]] inline std::uint32_t scale_code_at(const std::uint8_t* from, std::uint64_t bytes) {
  std::uint32_t code = 0;
  for (std::uint64_t k = 0; k < bytes; ++k) code |= std::uint32_t{from[k]} << (8 * k);
  return code;
}

}  // namespace mx
