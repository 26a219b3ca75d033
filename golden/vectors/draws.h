// SPDX-License-Identifier: Apache-2.0
// golden/vectors/draws.h: pseudorandom numbers seeded by a name, the same on every platform.
// Source: ISO C++, std::mt19937, whose sequence is fixed (that of its distributions is not);
// FNV-1a, which hashes names to seeds.
#pragma once
#include <cstdint>
#include <random>
#include <string_view>

namespace golden {

class draws {
 public:
  explicit draws(std::string_view name) : random_(hash_of(name)) {}

  [[nodiscard]] std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  [[nodiscard]] bool one_in(std::uint32_t n) { return bits() % n == 0; }
  /// Both ends included; low <= high.
  [[nodiscard]] std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(bits() % (std::uint64_t{high} - low + 1));
  }
  [[nodiscard]] int between(int low, int high) {
    return low + static_cast<int>(between(0U, static_cast<std::uint32_t>(high - low)));
  }

 private:
  [[nodiscard]] static std::uint32_t hash_of(std::string_view name) {
    std::uint32_t hash = 2166136261U;
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    return hash;
  }

  std::mt19937 random_;
};

}  // namespace golden
