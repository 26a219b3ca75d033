// SPDX-License-Identifier: Apache-2.0
// golden/reference/philox.h: Philox4x32-10: random words, a function of a counter and a key.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).
#pragma once
#include <array>
#include <cstdint>

namespace golden {

/// The four words for a counter and a key, each the lowest word first.
[[nodiscard]] std::array<std::uint32_t, 4> philox_4x32_10(
    const std::array<std::uint32_t, 4>& counter, const std::array<std::uint32_t, 2>& key);

}  // namespace golden
