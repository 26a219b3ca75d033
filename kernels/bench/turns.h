// SPDX-License-Identifier: Apache-2.0
// kernels/bench/turns.h: several works timed in alternation, so that clock changes affect
// all of them.
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

namespace mx::kernels {

using works = std::vector<std::function<void()>>;

/// Limits on measured and warm-up seconds, and on turns of a median; slow works have one turn.
inline constexpr double measured_seconds = 5, warm_seconds = 0.3;
inline constexpr int most_turns = 15, most_warm_turns = 32;

/// Odd, so that the median is one of them.
[[nodiscard]] inline int turns_for(double seconds_a_turn) {
  if (seconds_a_turn * most_turns <= measured_seconds) return most_turns;
  const int fitting = static_cast<int>(measured_seconds / seconds_a_turn);
  return std::max(1, (fitting - 1) / 2 * 2 + 1);
}

[[nodiscard]] inline double median_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// Runs each work once and returns its seconds.
template <class Timer>
[[nodiscard]] std::vector<double> one_turn(const works& all, Timer&& seconds_of) {
  std::vector<double> seconds;
  for (const auto& work : all) seconds.push_back(seconds_of(work));
  return seconds;
}

/// Median seconds of each work, after uncounted turns: the first loads code, and clocks
/// ramp up within a fraction of a second.
///   seconds_of  runs a work once and returns its seconds
template <class Timer>
[[nodiscard]] std::vector<double> medians_by_turns(const works& all, Timer&& seconds_of) {
  double turn = 0, warm = 0;
  for (int i = 0; i < most_warm_turns && (i == 0 || warm < warm_seconds); ++i) {
    turn = 0;
    for (const double seconds : one_turn(all, seconds_of)) turn += seconds;
    warm += turn;
  }
  std::vector<std::vector<double>> seconds(all.size());
  for (int left = turns_for(turn); left > 0; --left) {
    const std::vector<double> of_turn = one_turn(all, seconds_of);
    for (std::size_t i = 0; i < all.size(); ++i) seconds[i].push_back(of_turn[i]);
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_work : seconds) medians.push_back(median_of(of_work));
  return medians;
}

}  // namespace mx::kernels
