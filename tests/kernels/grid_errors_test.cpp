// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid_errors_test.cpp: what CUDA leaves undefined is refused, and errors reach the caller.
#include <stdexcept>

#include "catch.h"
#include "grid.h"

using kernels_test::host_thread;
using kernels_test::run_grid;

TEST_CASE("threads_that_do_not_meet_are_refused") {
  CHECK_THROWS_AS(run_grid({1, 64, 0},
                           [](const host_thread& self) {
                             if (self.index() != 5) static_cast<void>(self.exchange(1, 1));
                           }),
                  std::logic_error);
  CHECK_THROWS_AS(run_grid({1, 64, 0},
                           [](const host_thread& self) {
                             if (self.index() >= 32) self.barrier();
                           }),
                  std::logic_error);
}

TEST_CASE("warps_that_wait_for_each_other_without_end_are_refused") {
  CHECK_THROWS_AS(run_grid({1, 64, 0},
                           [](const host_thread& self) {
                             for (;;) self.give_way();
                           }),
                  std::logic_error);
}

TEST_CASE("an_error_in_a_thread_reaches_the_caller") {
  CHECK_THROWS_AS(run_grid({2, 32, 0},
                           [](const host_thread& self) {
                             if (self.index() == 3) throw std::runtime_error("3");
                           }),
                  std::runtime_error);
}
