// SPDX-License-Identifier: Apache-2.0
// kernels/record/hexadecimal.h: codes as written in files of words.
#pragma once
#include <cstdint>
#include <string>

namespace mx::kernels {

/// Lower-case digits, zero-padded to `digits`.
[[nodiscard]] inline std::string hexadecimal(std::uint32_t code, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[code >> shift & 15];
  }
  return text;
}

}  // namespace mx::kernels
