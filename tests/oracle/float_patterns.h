// SPDX-License-Identifier: Apache-2.0
// tests/oracle/float_patterns.h: the FP32 patterns on which conversions are compared.
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace oracle {

inline constexpr std::uint64_t sample_size = std::uint64_t{1} << 22;
inline constexpr std::uint64_t pattern_count = std::uint64_t{1} << 32;

/// FP32 pattern number `index` of a sample: each sign and exponent field with 2^13 fractions.
/// Those are all values of the upper 12 bits, the rest 0: every tie of a format with at most 11
/// fraction bits; then all values of the upper 11, the rest 1 or all ones: just beside the ties.
///   index  below sample_size
constexpr std::uint32_t sampled_pattern(std::uint32_t index) noexcept {
  const std::uint32_t binade = index >> 13 << 23;
  const std::uint32_t choice = index & 0x1FFF;
  if (choice < 0x1000) return binade | choice << 11;
  return binade | (choice & 0x7FF) << 12 | (choice < 0x1800 ? 0x001 : 0xFFF);
}

static_assert(sampled_pattern(127 << 13) == 0x3F800000);
static_assert(sampled_pattern((127 << 13) + 0x1000) == 0x3F800001);
static_assert(sampled_pattern(sample_size - 1) == 0xFFFFFFFF);

/// MX_ORACLE_ALL=1 in the environment selects all 2^32 patterns instead of the sample.
inline bool all_patterns_wanted() {
  const char* wanted = std::getenv("MX_ORACLE_ALL");
  return wanted != nullptr && *wanted == '1';
}

/// Smallest index below `count` at which `agrees(index)` is false.
template <class Agrees>
std::optional<std::uint64_t> first_disagreement(std::uint64_t count, const Agrees& agrees) {
  using range = tbb::blocked_range<std::uint64_t>;
  const std::uint64_t found = tbb::parallel_reduce(
      range(0, count, 1 << 16), count,
      [&](const range& share, std::uint64_t before) {
        for (std::uint64_t i = share.begin(); i < share.end() && i < before; ++i) {
          if (!agrees(i)) return i;
        }
        return before;
      },
      [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
  return found < count ? std::optional(found) : std::nullopt;
}

/// The FP32 pattern with the smallest number at which `agrees(bits)` is false: of the sample, or of
/// all of them.
template <class Agrees>
std::optional<std::uint32_t> disagreeing_pattern(const Agrees& agrees) {
  const bool all = all_patterns_wanted();
  const auto pattern = [all](std::uint64_t index) {
    const auto number = static_cast<std::uint32_t>(index);
    return all ? number : sampled_pattern(number);
  };
  const auto found =
      first_disagreement(all ? pattern_count : sample_size,
                         [&](std::uint64_t index) { return agrees(pattern(index)); });
  return found ? std::optional(pattern(*found)) : std::nullopt;
}

}  // namespace oracle
