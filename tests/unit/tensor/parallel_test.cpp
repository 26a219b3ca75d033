// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/parallel_test.cpp: mx/tensor/parallel.h.
#include "mx/tensor/parallel.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "mx/tensor/ieee_arithmetic.h"
#include "unit/host_arithmetic.h"

namespace {

using mx::division;
using mx::index_range;

/// How often each index below `all.last` is in a part, and the length of the longest part.
struct divided {
  std::vector<int> visits;
  std::uint64_t longest = 0;
};

divided parts_of(index_range all, std::uint64_t grain, division where) {
  divided found{std::vector<int>(all.last), 0};
  std::mutex noting;
  mx::in_parallel(
      all, grain,
      [&](index_range part) {
        for (std::uint64_t i = part.first; i < part.last; ++i) ++found.visits[i];
        const std::scoped_lock lock(noting);
        found.longest = std::max(found.longest, part.size());
      },
      where);
  return found;
}

}  // namespace

TEST_CASE("every_index_of_a_range_is_in_one_part") {
  for (const division where : {division::as_needed, division::to_the_grain}) {
    for (const std::uint64_t grain : {1, 7, 1000}) {
      const divided found = parts_of({5, 300}, grain, where);
      for (std::uint64_t i = 0; i < 300; ++i) CHECK(found.visits[i] == (i < 5 ? 0 : 1));
      if (where == division::to_the_grain) CHECK(found.longest <= grain);
    }
  }
  CHECK(parts_of({4, 4}, 1, division::as_needed).longest == 0);
  CHECK(parts_of({4, 2}, 1, division::to_the_grain).longest == 0);
}

TEST_CASE("a_loop_calls_its_work_once_for_each_index_of_any_type") {
  std::vector<int> visits(1000);
  mx::for_each_in_parallel(std::int64_t{1000},
                           [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  mx::for_each_in_parallel(visits.size(), [&](std::size_t i) { ++visits[i]; });
  CHECK(std::ranges::all_of(visits, [](int times) { return times == 2; }));
}

TEST_CASE("results_of_parts_are_joined") {
  const auto sum_of = [](index_range part) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = part.first; i < part.last; ++i) sum += i;
    return sum;
  };
  CHECK(mx::joined_in_parallel({1, 1001}, 3, std::uint64_t{0}, sum_of, std::plus<>()) == 500500);
  CHECK(mx::joined_in_parallel({1, 1}, 3, std::uint64_t{9}, sum_of, std::plus<>()) == 9);
}

TEST_CASE("an_exception_of_a_part_leaves_the_loop") {
  const auto work = [](std::uint64_t i) {
    if (i == 71) throw std::out_of_range("71");
  };
  CHECK_THROWS_AS(mx::for_each_in_parallel(std::uint64_t{100}, work), std::out_of_range);
}

TEST_CASE("every_part_computes_under_ieee_754_and_leaves_its_thread_as_it_was") {
  tests::in_every_host([] {
    std::atomic<int> others{0};
    const auto count = [&](index_range part) {
      for (std::uint64_t i = part.first; i < part.last; ++i) {
        if (!mx::ieee_arithmetic::holds()) ++others;
      }
    };
    for (const division where : {division::as_needed, division::to_the_grain}) {
      mx::in_parallel({0, 4096}, 1, count, where);
    }
    CHECK(others == 0);
    CHECK_FALSE(mx::ieee_arithmetic::holds());
  });
}
