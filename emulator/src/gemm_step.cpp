// SPDX-License-Identifier: Apache-2.0
// emulator/src/gemm_step.cpp: one step of `blackwell.mxf4` for one element, from the kernels' operands.
// Equals mx::dot over the step's 64 products, which tests/unit/bulk_gemm_test.cpp holds it to.
#include <algorithm>
#include <cstdlib>

#include "gemm_slices.h"
#include "mx/models.h"

namespace mx {
namespace {

constexpr accumulation rule = model_named("blackwell.mxf4")->model.sum;
constexpr int elements = rule.fused, groups = elements / rule.group;

/// Twice-doubled products of a group: their sum is 4 times the dot product.
struct group_sum {
  std::int64_t quarters = 0;
  bool zero = true;  ///< every product is
};

group_sum sum_of(const gemm_slice& a, const gemm_slice& b, gemm_tile tile, int row, int column,
                 int group) {
  group_sum result;
  for (int k = group * rule.group; k < (group + 1) * rule.group; ++k) {
    const int left = static_cast<std::int8_t>(a.codes[(k / 4 * tile.rows + row) * 4 + k % 4]);
    const int right = b.codes[(k / 4 * tile.columns + column) * 4 + k % 4] - 12;
    result.quarters += left * right;
    result.zero = result.zero && left * right == 0;
  }
  return result;
}

int exponent_of(float power) { return static_cast<int>(bits_of(power) >> 23 & 0xFF) - 127; }

/// value * 2^places, cut toward zero.
///   places  at most 33
std::int64_t moved(std::int64_t value, int places) {
  if (places >= 0) return value << places;
  return places < -62 ? 0 : value / (std::int64_t{1} << -places);
}

/// sum * 2^exponent, cut to binary32 within its normal range; Inf beyond it.
float cut_to_binary32(std::int64_t sum, int exponent) {
  const auto size = static_cast<std::uint64_t>(std::abs(sum));
  const int lost = std::max(0, bit_width(size) - 24);
  const unpacked kept = unpacked::finite(sum < 0, size >> lost << lost, exponent);
  return sum == 0 ? 0.0F : to_binary32(kept);
}

}  // namespace

float aligned_step(const gemm_slice& a, const gemm_slice& b, gemm_tile tile, int row, int column,
                   float sum) {
  group_sum dot[groups];
  int exponent[groups];
  const unpacked c = unpack(sum);
  int highest = c.is_zero() ? rule.zero_exponent : c.floor_log2();
  for (int g = 0; g < groups; ++g) {
    const int unit = g / 2;
    dot[g] = sum_of(a, b, tile, row, column, g);
    // A's scales are a fourth of what they were.
    exponent[g] = exponent_of(a.scales[unit * tile.rows + row]) + 2 +
                  exponent_of(b.scales[unit * tile.columns + column]);
    highest = std::max(highest, dot[g].zero ? rule.zero_exponent : exponent[g]);
  }
  const int lowest = highest - rule.fraction_bits;
  const auto significand = static_cast<std::int64_t>(c.significand);
  std::int64_t all = moved(c.negative ? -significand : significand, c.exponent - lowest);
  for (int g = 0; g < groups; ++g) all += moved(dot[g].quarters, exponent[g] - 2 - lowest);
  return cut_to_binary32(all, lowest);
}

}  // namespace mx
