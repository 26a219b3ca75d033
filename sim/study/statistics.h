// SPDX-License-Identifier: Apache-2.0
// sim/study/statistics.h: standard errors, three-way factorials, and curves at matched reward.
// All in binary64, with only + - * / and square root, in index order: same input, same bits.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sim {

/// A figure and its standard error.
struct estimate {
  double value = 0, standard_error = 0;
};

/// A figure computed from all batches, and once more without each of them.
struct replicated {
  double full = 0;
  std::vector<double> without;
};

/// Mean of all values; 0 where there are none.
[[nodiscard]] double mean_of(std::span<const double> values);

/// sqrt((n - 1) / n * sum (t_i - mean t)^2), the standard error by the delete-one jackknife.
///   range  n >= 2; fewer have no spread to tell the error from, and the result is NaN
[[nodiscard]] double jackknife_standard_error(std::span<const double> without_one);

[[nodiscard]] estimate jackknife(const replicated& figure);

/// A figure of all batches, and of all but each.
///   figure(batches, left_out)  left_out is the number of batches to leave out none
template <class Batch, class Figure>
[[nodiscard]] replicated replicate(const std::vector<Batch>& batches, const Figure& figure) {
  replicated result;
  result.full = figure(batches, batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) result.without.push_back(figure(batches, b));
  return result;
}

/// The error components that a cell has switched on, as bits: scale 1, deadzone 2, grid 4. They are
/// the bits of mx::component.
inline constexpr std::size_t cells = 8;
inline constexpr std::array<const char*, cells> cell_names{"",  "S",  "D",  "SD",
                                                           "G", "SG", "DG", "SDG"};

/// The effects of a figure f over the eight cells. Value is double or estimate.
///   moebius         m_T = sum over U in T of (-1)^(|T| - |U|) f(U); m_0 = f of no component
///   shapley         of scale, deadzone, grid: m_i + half of its pairs + a third of the triple
///   total           f(all) - f(none), the sum of the Shapley values and of the other moebius terms
///   non_additivity  |total - main terms| / sum of |m_T|, T not empty; 0 where all are 0
template <class Value>
struct factorial {
  std::array<Value, cells> moebius{};
  std::array<Value, 3> shapley{};
  Value total{};
  Value non_additivity{};
};

[[nodiscard]] factorial<double> factorial_of(const std::array<double, cells>& figures);

/// The same with standard errors: each term is computed once more without each batch, so that what
/// the cells have in common cancels.
///   range  all cells have the same number of batches
[[nodiscard]] factorial<estimate> factorial_of(const std::array<replicated, cells>& figures);

/// Mean over the last `length` values at each place, from the first place with that many.
[[nodiscard]] std::vector<double> trailing_means(std::span<const double> values,
                                                 std::size_t length);

inline constexpr std::size_t matched_steps = 5;

/// Entropy where the reward first reaches a level. Both are trailing means over five steps; between
/// the last mean below the level and the first at or above it, entropy is interpolated linearly in
/// reward. No value where the first mean is already above the level, or none reaches it.
[[nodiscard]] std::optional<double> entropy_at_reward(std::span<const double> reward,
                                                      std::span<const double> entropy,
                                                      double level);

[[nodiscard]] bool exceeds_two_errors(const estimate& e);

}  // namespace sim
