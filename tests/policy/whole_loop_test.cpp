// SPDX-License-Identifier: Apache-2.0
// tests/policy/whole_loop_test.cpp: sim/policy/whole_loop.h: an exception in one call ends no other
// call and no loop inside another call.
#include "sim/policy/whole_loop.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"

namespace {

constexpr std::ptrdiff_t calls = 8, inner_calls = 64;

struct outcome {
  std::string error;
  std::vector<std::ptrdiff_t> done;  ///< inner calls, by call
};

using inner_loop = void (*)(std::ptrdiff_t, const std::function<void(std::ptrdiff_t)>&);

void loop_of_tbb(std::ptrdiff_t count, const std::function<void(std::ptrdiff_t)>& work) {
  tbb::parallel_for(std::ptrdiff_t{0}, count, work);
}

/// Calls 2 and 5 throw while the others are in loops of their own.
outcome run(int threads, inner_loop inner) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  outcome result{"", std::vector<std::ptrdiff_t>(calls)};
  std::vector<std::atomic<std::ptrdiff_t>> done(calls);
  tbb::task_arena arena(threads);
  try {
    arena.execute([&] {
      sim::whole_loop(calls, [&](std::ptrdiff_t i) {
        inner(inner_calls, [&](std::ptrdiff_t) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (++done[static_cast<std::size_t>(i)] == 2 && (i == 2 || i == 5)) {
            throw std::runtime_error("call " + std::to_string(i));
          }
        });
      });
    });
  } catch (const std::runtime_error& e) {
    result.error = e.what();
  }
  for (std::size_t i = 0; i < done.size(); ++i) result.done[i] = done[i];
  return result;
}

TEST_CASE("an_exception_ends_neither_other_calls_nor_loops_inside_them") {
  for (const inner_loop inner : {&sim::whole_loop, &loop_of_tbb}) {
    for (const int threads : {1, 2, 4}) {
      for (int round = 0; round < 10; ++round) {
        const outcome found = run(threads, inner);
        INFO(threads << " threads, round " << round);
        CHECK(found.error == "call 2");
        for (const std::size_t i : {0, 1, 3, 4, 6, 7}) CHECK(found.done[i] == inner_calls);
      }
    }
  }
}

TEST_CASE("a_cancelled_caller_does_not_cut_a_loop_short") {
  for (const int threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    std::atomic<int> done = 0;
    arena.execute([&] {
      tbb::task_group_context around;
      tbb::parallel_for(
          0, 1,
          [&](int) {
            around.cancel_group_execution();
            sim::whole_loop(inner_calls, [&](std::ptrdiff_t) { ++done; });
          },
          around);
    });
    CHECK(done == inner_calls);
  }
}

TEST_CASE("no_calls_are_no_loop") {
  sim::whole_loop(0, [](std::ptrdiff_t) { FAIL("a call"); });
}

}  // namespace
