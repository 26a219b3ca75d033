// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/stochastic_neighbours.h: whether an output may come from stochastic
// rounding with unknown random bits.
// No seed is found, so no byte is predicted: each code is checked to be one of its number's two
// neighbours, and all of them together against the frequencies of stochastic rounding.
#pragma once
#include <array>

#include "diagnose.h"

namespace golden::validator {

/// Codes between two neighbours, and how often the upper one was taken; p is the share of random
/// bits that give it, in 256ths, w = p - 128.
///   excess    sum of 256 [upper] - p          variance  mean of its square: p (256 - p)
///   tendency  sum of w (256 [upper] - p)      spread    mean of its square: w^2 p (256 - p)
/// A rounding that depends on the number has a tendency: rounding to nearest a positive one.
struct draw_counts {
  std::int64_t elements = 0, excess = 0, variance = 0, tendency = 0, spread = 0;
  std::int64_t all_lower = 0;   ///< sum of p: the deficit of truncation
  std::int64_t to_nearest = 0;  ///< the tendency of rounding to the nearest

  void add(std::int64_t p, bool upper);
  /// Whether both sums are within six standard deviations.
  [[nodiscard]] bool can_be_drawn() const;
  /// Whether those of truncation and of rounding to the nearest would not be, of 512 elements or
  /// more.
  [[nodiscard]] bool settle() const;
};

/// The same by lower neighbours, each of which a kernel may round by a rule of its own.
///   differing, due_to_differ  sums over all elements: codes that are not those of the declared
///                             random bits, and how many of other bits are not, in 2^16ths
struct neighbour_counts {
  draw_counts all;
  std::array<draw_counts, 256> of_lower;
  std::int64_t differing = 0, due_to_differ = 0;

  void add(std::uint8_t lower, std::int64_t p, bool upper);
  /// Whether every lower neighbour's can be drawn, and all together settle it.
  [[nodiscard]] bool are_due() const;
};

/// The declared rules with stochastic rounding of unknown bits, where every scale is as declared
/// and every code one of the two neighbours, with the expected frequency; else no value.
[[nodiscard]] std::optional<explanation> drawn_otherwise(const hypothesis& declared,
                                                         std::span<const subject> subjects);

}  // namespace golden::validator
