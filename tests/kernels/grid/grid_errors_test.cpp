// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/grid_errors_test.cpp: behaviour that CUDA leaves undefined is refused, and
// errors reach the caller.
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
  CHECK_THROWS_AS(
      run_grid({1, 64, 0}, [](const host_thread& self) { self.wait_until([] { return false; }); }),
      std::logic_error);
}

TEST_CASE("what_four_warps_must_do_alike_is_refused_otherwise") {
  constexpr std::uint64_t a = 1024 / 16, elsewhere = a + 8;
  const auto refused = [&](const kernels_test::grid_shape& shape, auto body) {
    CHECK_THROWS_AS(run_grid(shape, body), std::logic_error);
  };
  refused({1, 128, 4096}, [&](const host_thread& self) {  // other matrices in one warp
    std::int32_t sum[32];
    self.begin_products();
    self.multiply_64(sum, self.index() < 32 ? a : elsewhere, a);
  });
  refused({1, 128, 4096}, [&](const host_thread& self) {  // no fence
    std::int32_t sum[32];
    self.multiply_64(sum, a, a);
  });
  refused({1, 128, 64}, [&](const host_thread& self) {  // beyond shared memory
    std::int32_t sum[32];
    self.begin_products();
    self.multiply_64(sum, a, a);
    self.commit_products();
    self.wait_for_products<0>(sum);
  });
  refused({1, 128, 4096}, [&](const host_thread& self) {  // swizzled
    std::int32_t sum[32];
    self.begin_products();
    self.multiply_64(sum, a | std::uint64_t{1} << 62, a);
    self.commit_products();
    self.wait_for_products<0>(sum);
  });
  refused({1, 128, 4096}, [&](const host_thread& self) {  // three warps of four
    std::int32_t sum[32];
    if (self.index() >= 96) return;
    self.begin_products();
    self.multiply_64(sum, a, a);
    self.commit_products();
    self.wait_for_products<0>(sum);
  });
}

TEST_CASE("counters_that_never_end_their_phase_are_refused") {
  for (const int bytes : {0, 32}) {
    CHECK_THROWS_AS(run_grid({2, 64, 64},
                             [&](const host_thread& self) {
                               auto* counter = self.shared<std::uint64_t>();
                               if (self.index() == 0) self.begin_counter(counter, 2);
                               self.barrier();
                               if (self.index() == 0) self.arrive_expecting(counter, bytes);
                               if (self.index() == 32 && bytes > 0) self.arrive(counter);
                               self.wait_for_phase(counter, 0);
                             }),
                    std::logic_error);
  }
}

TEST_CASE("an_error_in_a_thread_reaches_the_caller") {
  CHECK_THROWS_AS(run_grid({2, 32, 0},
                           [](const host_thread& self) {
                             if (self.index() == 3) throw std::runtime_error("3");
                           }),
                  std::runtime_error);
}
