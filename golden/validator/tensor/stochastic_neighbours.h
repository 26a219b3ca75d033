// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/stochastic_neighbours.h: an output that stochastic rounding may have made
// from random bits that nobody told: what can be said of it, and what cannot.
// No seed is found, so no byte is predicted: a code is held to be one of its number's two neighbours,
// and all of them together to the frequencies that stochastic rounding has.
#pragma once
#include "diagnose.h"

namespace golden::validator {

/// Codes between two neighbours, and how often the upper one was taken; p is the share of random bits
/// that give it, in 256ths, w = p - 128.
///   excess    sum of 256 [upper] - p          variance  what its square is on average: p (256 - p)
///   tendency  sum of w (256 [upper] - p)      spread    the same of its square: w^2 p (256 - p)
/// A rounding that looks at the number has a tendency: to the nearest a positive one.
struct draw_counts {
  std::int64_t elements = 0, excess = 0, variance = 0, tendency = 0, spread = 0;
  std::int64_t all_lower = 0;   ///< sum of p: what truncation falls short by
  std::int64_t to_nearest = 0;  ///< the tendency that rounding to the nearest has

  void add(std::int64_t p, bool upper);
  /// Whether both sums are within six standard deviations, and those of truncation and of rounding to
  /// the nearest would not be.
  [[nodiscard]] bool are_due() const;
};

/// The declared rules with stochastic rounding of unknown bits, where every scale is as declared and
/// every code one of the two neighbours, as often as is due; else nothing.
[[nodiscard]] std::optional<hypothesis> drawn_otherwise(const recipe& declared,
                                                        std::span<const subject> subjects);

}  // namespace golden::validator
