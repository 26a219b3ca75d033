// SPDX-License-Identifier: Apache-2.0
// emulator/src/mxfp4_run.h: a long row of MXFP4 blocks in memory, as every target's code sees it.
#pragma once
#include <cstdint>

#include "block_batch.h"

namespace mx {

/// The bounds of a power-of-two rule on binary32 patterns: the exponent field of amax, `lowered`, is
/// one more where its fraction field is at least `raise_from`.
struct rule_bounds {
  int lowered = 0;
  std::uint32_t raise_from = 0x800000;  ///< beyond every fraction: never
};

[[nodiscard]] constexpr rule_bounds rule_bounds_of(const format& f, scale_rule rule) noexcept {
  const scale_rule of_power = rule == scale_rule::static_four ? scale_rule::ceil : rule;
  rule_bounds result{f.emax() + (rule == scale_rule::floor6 ? 1 : 0)};
  if (of_power == scale_rule::floor) return result;
  const exponent_bound bound = exponent_bound_of(f, of_power);
  const auto fraction = static_cast<std::uint32_t>(
      (bound.significand - (std::uint64_t{4} << f.fraction_bits)) << (21 - f.fraction_bits));
  result.raise_from = fraction + (bound.at_bound ? 0 : 1);
  return result;
}

/// Blocks of 32 FP32 values behind each other; 16 bytes of codes and a scale each.
///   first  number of the first block in the tensor
struct mxfp4_run {
  const float* x;
  std::uint64_t blocks;
  std::uint64_t first;
  scale_rule rule;
  mx::rounding rounding;
  random_source random;
  storing how;
  std::uint8_t* codes;
  std::uint8_t* scales;
};

/// Whether the kernels know the rule and the rounding: |x| stays below 8 scale.
[[nodiscard]] constexpr bool has_mxfp4_kernel(const mxfp4_run& run) noexcept {
  const bool nearest = run.rounding == rounding::ties_to_even;
  const bool stochastic = run.rounding == rounding::stochastic && run.random.bits <= 8;
  const bool rule = is_power_of_two_rule(run.rule) || run.rule == scale_rule::static_four;
  return rule && run.rule != scale_rule::floor6 && (nearest || stochastic);
}

/// Equals mx::quantize_block with two codes a byte, low nibble first.
///   blocks   fewer than 2^31
///   returns  special blocks; -1, and nothing done, without a kernel
std::int64_t quantize_mxfp4(const mxfp4_run& run);

static_assert(rule_bounds_of(formats::e2m1, scale_rule::rceil).raise_from == 0x400001);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::even).raise_from == 0x600000);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::midmax).raise_from == 0x600001);
static_assert(rule_bounds_of(formats::e2m1, scale_rule::ceil).raise_from == 1);

}  // namespace mx
