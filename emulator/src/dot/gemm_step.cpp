// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_step.cpp: one step of `blackwell.mxf4` from exact sums of its groups.
// Equals mx::dot over 64 products, checked by tests/unit/dot/bulk_dot_test.cpp and
// bulk_gemm_test.cpp.
#include <algorithm>
#include <cstdlib>

#include "dot/dot_groups.h"
#include "mx/dot/models.h"

namespace mx {
namespace {

constexpr accumulation rule = model_named("blackwell.mxf4")->model.sum;
static_assert(rule.zero_result == zero_result::plus && rule.fused == 64 && rule.group == 16 &&
              group_sums::groups == 4);

/// value * 2^places, truncated.
///   places  at most 33
///   value   magnitude at most 2^12; 2^20 with places at most 27, 2^24 with 12
std::int64_t moved(std::int64_t value, int places) {
  if (places >= 0) return value << places;
  const int lost = std::min(-places, 62);
  return (value + ((value >> 63) & ((std::int64_t{1} << lost) - 1))) >> lost;
}

/// sum * 2^exponent, truncated to binary32; Inf beyond it; +0 if no bit is left.
std::uint32_t cut_to_binary32(std::int64_t sum, int exponent) {
  const auto size = static_cast<std::uint64_t>(std::abs(sum));
  const std::uint32_t sign = sum < 0 ? 0x80000000 : 0;
  const int lost = std::max(bit_width(size) - 24, -149 - exponent);
  const std::uint64_t kept = lost >= 0 ? (lost > 63 ? 0 : size >> lost) : size << -lost;
  const int field = exponent + lost + 149;  // of the last kept bit: 0 for subnormals
  if (kept == 0) return 0;
  if (kept < std::uint64_t{1} << 23) return sign | static_cast<std::uint32_t>(kept);
  if (field >= 254) return sign | 0x7F800000;
  return sign | ((static_cast<std::uint32_t>(field) << 23) + static_cast<std::uint32_t>(kept));
}

}  // namespace

std::uint32_t grouped_step(const scaled_groups& dot, std::uint32_t c) {
  const auto field = static_cast<int>(c >> 23 & 0xFF);
  const std::int64_t significand = (c & 0x7FFFFF) | (field != 0 ? 0x800000 : 0);
  const int exponent = std::max(field, 1) - 127;
  int highest = significand == 0 ? rule.zero_exponent : exponent;
  for (int g = 0; g < group_sums::groups; ++g) {
    highest = std::max(highest, dot.zero[g] ? rule.zero_exponent : dot.exponent[g]);
  }
  const int lowest = highest - rule.fraction_bits;
  std::int64_t all = moved((c >> 31) != 0 ? -significand : significand, exponent - 23 - lowest);
  for (int g = 0; g < group_sums::groups; ++g) {
    if (!dot.zero[g]) all += moved(dot.quarters[g], dot.exponent[g] + dot.unit - lowest);
  }
  return cut_to_binary32(all, lowest);
}

}  // namespace mx
