// SPDX-License-Identifier: Apache-2.0
// golden/io/counted.h: numbers of things in words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace golden::io {

/// "1 code", "2 codes".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace golden::io
