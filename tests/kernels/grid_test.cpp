// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid_test.cpp: the grid on the CPU keeps what CUDA promises, and refuses what it leaves
// undefined.
#include "grid.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "catch.h"

using kernels_test::host_thread;
using kernels_test::run_grid;

TEST_CASE("every_thread_of_every_block_runs_once") {
  std::vector<std::atomic<int>> runs(7 * 96);
  run_grid({7, 96, 0}, [&](const host_thread& self) {
    ++runs[self.block() * 96 + static_cast<std::uint64_t>(self.index())];
  });
  for (const auto& count : runs) CHECK(count == 1);
}

TEST_CASE("exchanges_give_the_partner's_word_of_the_same_call") {
  std::vector<std::uint32_t> sums(64);
  run_grid({1, 64, 0}, [&](const host_thread& self) {
    auto sum = static_cast<std::uint32_t>(1) << (self.index() % 32);
    for (const int mask : {1, 2, 4, 8, 16}) sum += self.exchange(sum, mask);
    sums[static_cast<std::size_t>(self.index())] = sum;
  });
  for (const std::uint32_t sum : sums) CHECK(sum == 0xFFFFFFFF);
}

TEST_CASE("what_was_written_before_a_barrier_is_read_behind_it") {
  std::vector<int> seen(128);
  run_grid({1, 128, 128 * sizeof(int)}, [&](const host_thread& self) {
    int* shared = self.shared<int>();
    shared[self.index()] = self.index();
    self.barrier();
    seen[static_cast<std::size_t>(self.index())] = shared[127 - self.index()];
  });
  for (int i = 0; i < 128; ++i) CHECK(seen[static_cast<std::size_t>(i)] == 127 - i);
}

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

TEST_CASE("an_error_in_a_thread_reaches_the_caller") {
  CHECK_THROWS_AS(run_grid({2, 32, 0},
                           [](const host_thread& self) {
                             if (self.index() == 3) throw std::runtime_error("3");
                           }),
                  std::runtime_error);
}
