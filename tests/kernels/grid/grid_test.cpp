// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/grid_test.cpp: the grid on the CPU provides CUDA's guarantees, and refuses
// behaviour that CUDA leaves undefined.
#include "grid.h"

#include <atomic>
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

TEST_CASE("a_warp's_words_are_united_in_all_its_threads") {
  std::vector<std::uint32_t> words(64);
  run_grid({1, 64, 0}, [&](const host_thread& self) {
    const int i = self.index();
    words[static_cast<std::size_t>(i)] = self.united(i == 3 || i == 30 ? 1U << i : 0);
  });
  for (std::size_t i = 0; i < 64; ++i) CHECK(words[i] == (i < 32 ? 1U << 3 | 1U << 30 : 0));
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

namespace {

/// Bytes of A, 16 by k, and of B, k by 8, and a warp's product of them.
struct warp_product {
  int k;
  std::int8_t a[16][32], b[32][8];
  std::int32_t d[16][8] = {}, any[16][8] = {};

  explicit warp_product(int length) : k(length) {
    for (int i = 0; i < 32; ++i) {
      for (int row = 0; row < 16; ++row)
        a[row][i] = static_cast<std::int8_t>(row * 37 + i * 11 - 90);
      for (int column = 0; column < 8; ++column) {
        b[i][column] = static_cast<std::int8_t>(column * 53 + i * 29 - 77);
      }
    }
  }

  // Element i of a thread's fragments, g = lane / 4, t = lane % 4 (PTX ISA, "Matrix Fragments for
  // mma.m16n8k16 with integer type" and "mma.m16n8k32").
  [[nodiscard]] std::int8_t a_of(int lane, int i) const {
    const bool lower = k == 16 ? i < 4 : i < 4 || (i >= 8 && i < 12);
    return a[lane / 4 + (lower ? 0 : 8)][lane % 4 * 4 + i % 4 + (k == 32 && i >= 8 ? 16 : 0)];
  }
  [[nodiscard]] std::int8_t b_of(int lane, int i) const {
    return b[lane % 4 * 4 + i % 4 + (i >= 4 ? 16 : 0)][lane / 4];
  }

  void run(const host_thread& self) {
    const int lane = self.index();
    std::uint32_t x[4] = {}, y[2] = {};
    for (int i = 0; i < k / 2; ++i) {
      x[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(a_of(lane, i))} << i % 4 * 8;
    }
    for (int i = 0; i < k / 4; ++i) {
      y[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(b_of(lane, i))} << i % 4 * 8;
    }
    std::int32_t sum[4];
    if (k == 32) self.mma_k32(sum, x, y[0], y[1], 1000);
    if (k == 16) self.mma_k16(sum, x[0], x[1], y[0], 1000);
    for (int i = 0; i < 4; ++i) d[lane / 4 + (i < 2 ? 0 : 8)][lane % 4 * 2 + i % 2] = sum[i];
    if (k == 32) self.any_k32(sum, x, y[0], y[1]);
    if (k == 16) self.any_k16(sum, x[0], x[1], y[0]);
    for (int i = 0; i < 4; ++i) any[lane / 4 + (i < 2 ? 0 : 8)][lane % 4 * 2 + i % 2] = sum[i];
  }

  [[nodiscard]] std::int32_t expected_any(int row, int column) const {
    std::int32_t sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += static_cast<std::uint8_t>(a[row][i]) * static_cast<std::uint8_t>(b[i][column]);
    }
    return sum;
  }

  [[nodiscard]] std::int32_t expected(int row, int column) const {
    std::int32_t sum = 1000;
    for (int i = 0; i < k; ++i) sum += a[row][i] * b[i][column];
    return sum;
  }
};

}  // namespace

TEST_CASE("warps_multiply_matrices_that_lie_in_fragments") {
  for (const int k : {16, 32}) {
    warp_product product(k);
    run_grid({1, 32, 0}, [&](const host_thread& self) { product.run(self); });
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        CHECK(product.d[row][column] == product.expected(row, column));
        CHECK(product.any[row][column] == product.expected_any(row, column));
      }
    }
  }
}

TEST_CASE("copies_are_there_behind_the_wait_for_their_group_and_not_sooner") {
  struct alignas(16) sixteen {
    int number[4];
  };
  const sixteen from[2] = {{{1, 1, 1, 1}}, {{2, 2, 2, 2}}};
  std::vector<int> seen;
  run_grid({1, 1, 2 * sizeof(sixteen)}, [&](const host_thread& self) {
    auto* to = self.shared<sixteen>();
    to[0] = to[1] = {};
    for (int i = 0; i < 2; ++i) {
      self.copy_later(to + i, from + i);
      self.commit_copies();
    }
    const auto see = [&] { seen.insert(seen.end(), {to[0].number[3], to[1].number[3]}); };
    see();
    self.wait_for_copies<1>();
    see();
    self.wait_for_copies<0>();
    see();
  });
  CHECK(seen == std::vector<int>{0, 0, 1, 0, 1, 2});
}

TEST_CASE("a_warp_sees_all_words_of_its_lanes") {
  std::vector<std::uint32_t> wrong(64);
  run_grid({1, 64, 0}, [&](const host_thread& self) {
    const auto index = static_cast<std::uint32_t>(self.index());
    for (std::uint32_t call = 0; call < 3; ++call) {
      const auto all = self.all_words({index, call, 0, 0, 0, 0, 0, index * 7});
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const kernels_test::lane_words expected{index / 32 * 32 + lane,      call, 0, 0, 0, 0, 0,
                                                (index / 32 * 32 + lane) * 7};
        wrong[index] += all[lane] == expected ? 0 : 1;
      }
    }
  });
  for (const std::uint32_t count : wrong) CHECK(count == 0);
}

TEST_CASE("a_warp_that_waits_sees_what_others_do_meanwhile") {
  // Three blocks, so that warps run in every order.
  std::vector<int> rounds(3);
  run_grid({3, 96, 2 * sizeof(int)}, [&](const host_thread& self) {
    int* turn = self.shared<int>();
    if (self.index() == 0) turn[0] = 2;
    self.barrier();
    const int warp = self.index() / 32;
    self.wait_until([&] { return turn[0] == warp; });
    self.warp_barrier();
    if (self.index() % 32 == 0) turn[0] = warp - 1;
    self.barrier();
    if (self.index() == 0) rounds[self.block()] = turn[0];
  });
  CHECK(rounds == std::vector<int>{-1, -1, -1});
}

TEST_CASE("shared_memory_is_counted_from_its_beginning") {
  run_grid({1, 1, 64}, [&](const host_thread& self) {
    CHECK(self.shared_offset(self.shared<char>()) == 0);
    CHECK(self.shared_offset(self.shared<char>() + 48) == 48);
  });
}
