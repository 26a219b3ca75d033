// SPDX-License-Identifier: Apache-2.0
// golden/reference/components.h: the parts of the MXFP4 error, and both meanings of toggling.
// Source: arXiv 2605.20402 (scale, deadzone, grid); the clip part extends it to rules that choose
// a scale below amax / 6.
#pragma once
#include <vector>

#include "golden/reference/quantizer.h"

namespace golden {

/// Q is the real quantizer, Q* the same grid with the scale amax / 6 exactly.
///   scale      Q - Q* where |x| <= 6 s
///   clip       Q - Q* where |x| > 6 s
///   deadzone   -x where Q* = 0
///   grid       Q* - x elsewhere
/// Q - x is their sum, exactly.
struct error_parts {
  rational scale, deadzone, grid, clip;
  bool scale_dead = false;  ///< only the coarser scale zeroes the element: Q = 0 and Q* is not
};

/// A set of parts.
enum class component : unsigned char {
  none = 0,
  scale = 1,
  deadzone = 2,
  grid = 4,
  clip = 8,
  all = 15
};

[[nodiscard]] constexpr component operator|(component a, component b) {
  return static_cast<component>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr bool contains(component set, component part) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(part)) != 0;
}

/// The parts of every element; empty for a block that holds a NaN or an Inf.
[[nodiscard]] std::vector<error_parts> decompose(const std::vector<float>& block, scale_rule rule);

/// x plus the chosen parts, exactly, rounded once to FP32; a zero result takes x's sign.
/// A block with a NaN or an Inf becomes NaN under any part, and stays as it is under none.
[[nodiscard]] std::vector<float> inject(const std::vector<float>& block, scale_rule rule,
                                        component chosen);
/// The same, where the block's parts are known already.
[[nodiscard]] std::vector<float> inject(const std::vector<float>& block,
                                        const std::vector<error_parts>& parts, component chosen);

/// Nested real quantizers. `clip` has no meaning here.
///   scale      on: the rule's E8M0 scale; off: amax / 6 exactly
///   deadzone   on: an element that quantizes to zero at the scale in use becomes a zero of its
///              sign; off: it passes
///   grid       on: other elements become their grid value, rounded once to FP32; off: they pass,
///              but for those beyond 6 times an E8M0 scale, which are clamped to it
/// Blocks with a NaN or an Inf: as in inject.
[[nodiscard]] std::vector<float> operate(const std::vector<float>& block, scale_rule rule,
                                         component chosen);

}  // namespace golden
