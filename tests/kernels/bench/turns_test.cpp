// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/turns_test.cpp: works are timed in alternating turns, after warm-up turns.
#include "turns.h"

#include <string>

#include "catch.h"

using namespace mx::kernels;

namespace {

using list = std::vector<double>;

/// Works that record their names, and a clock that gives each the next of its times.
struct clocked {
  std::string order;
  std::vector<std::vector<double>> times;
  std::vector<std::size_t> next;

  template <class... Lists>
  explicit clocked(const Lists&... of_works) : times{of_works...}, next(times.size()) {}

  [[nodiscard]] std::vector<double> medians() {
    works all;
    for (std::size_t i = 0; i < times.size(); ++i) {
      all.emplace_back([this, i] { order += static_cast<char>('a' + i); });
    }
    return medians_by_turns(all, [this](const auto& work) {
      work();
      const std::size_t i = static_cast<std::size_t>(order.back() - 'a');
      return times[i][std::min(next[i]++, times[i].size() - 1)];
    });
  }
};

}  // namespace

TEST_CASE("works_run_by_turns_and_the_first_turn_does_not_count") {
  clocked of(list{9, 0.25, 0.5, 0.125}, list{8, 0.5, 0.25, 0.5});
  // A turn of 17 seconds is measured once more and no further.
  CHECK(of.medians() == std::vector<double>{0.25, 0.5});
  CHECK(of.order == "abab");
}

TEST_CASE("the_median_is_of_an_odd_number_of_turns") {
  clocked of(list{0.5, 0.125, 1, 0.25, 0.5, 0.75, 0.375, 2, 3});
  const std::vector<double> seconds = of.medians();
  CHECK(of.order.size() == 10);  // 0.3 s of warm-up are the first; 9 more fit into 5 s
  CHECK(seconds[0] == 0.75);
}

TEST_CASE("quick_works_are_warmed_up_for_a_while_and_not_for_ever") {
  clocked of(list{0.0625});
  CHECK(of.medians()[0] == 0.0625);
  CHECK(of.order.size() == 5 + most_turns);
  clocked without_a_clock(list{0});
  CHECK(without_a_clock.medians()[0] == 0);
  CHECK(without_a_clock.order.size() == most_warm_turns + most_turns);
}

TEST_CASE("turns_fit_into_the_time_for_them") {
  CHECK(turns_for(0.001) == most_turns);
  CHECK(turns_for(1.0 / 3) == most_turns);
  CHECK(turns_for(0.5) == 9);
  CHECK(turns_for(0.55) == 9);
  CHECK(turns_for(1.1) == 3);
  CHECK(turns_for(2.6) == 1);
  CHECK(turns_for(80) == 1);
}
