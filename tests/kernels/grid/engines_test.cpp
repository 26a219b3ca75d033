// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/engines_test.cpp: products of four warps, counted copies and counters in the
// grid on the CPU: the guarantees of PTX, completed as late as it allows.
#include "engines.h"

#include <vector>

#include "catch.h"
#include "device/matrix_descriptor.h"
#include "grid.h"

using kernels_test::host_thread;
using kernels_test::run_grid;
using mx::kernels::descriptor_of;

namespace {

std::int8_t byte_at(int line, int k) { return static_cast<std::int8_t>(line * 37 + k * 11 - 90); }

/// 64 lines of A, then 64 of B, 32 of k each: halves of 16 of k in sequence, in core matrices
/// that lie `gap` bytes apart.
struct placed_lines {
  static constexpr int gap = 160, half = 8 * gap, matrix = 2 * half;

  static void store(unsigned char* shared) {
    for (int line = 0; line < 128; ++line) {
      for (int k = 0; k < 32; ++k) {
        shared[line / 64 * matrix + k / 16 * half + line % 64 / 8 * gap + line % 8 * 16 + k % 16] =
            static_cast<unsigned char>(byte_at(line, k));
      }
    }
  }
};

std::int32_t expected(int row, int column) {
  std::int32_t sum = 0;
  for (int k = 0; k < 32; ++k) sum += byte_at(row, k) * byte_at(64 + column, k);
  return sum;
}

}  // namespace

TEST_CASE("four_warps_multiply_matrices_that_descriptors_name") {
  std::vector<std::int32_t> d(64 * 64);
  run_grid({1, 128, 2 * placed_lines::matrix}, [&](const host_thread& self) {
    auto* shared = self.shared<unsigned char>();
    if (self.index() == 0) placed_lines::store(shared);
    self.barrier();
    const std::uint32_t first = self.shared_address(shared);
    const auto named = [&](int at) {
      return descriptor_of(
          {first + static_cast<std::uint32_t>(at), placed_lines::half, placed_lines::gap});
    };
    std::int32_t whole[32], parts[32];
    self.begin_products();
    self.multiply_64(whole, named(0), named(placed_lines::matrix));
    self.multiply_32<16>(parts, named(0), named(placed_lines::matrix + 4 * placed_lines::gap));
    self.multiply_32<0>(parts, named(0), named(placed_lines::matrix));
    self.commit_products();
    self.wait_for_products<0>(whole);
    const int row = self.index() / 32 * 16 + self.index() % 32 / 4, column = self.index() % 4 * 2;
    for (int i = 0; i < 32; ++i) {
      CHECK(whole[i] == parts[i]);
      d[static_cast<std::size_t>((row + i % 4 / 2 * 8) * 64 + column + i / 4 * 8 + i % 2)] =
          whole[i];
    }
  });
  for (int i = 0; i < 64 * 64; ++i) {
    CHECK(d[static_cast<std::size_t>(i)] == expected(i / 64, i % 64));
  }
}

TEST_CASE("sums_of_four_warps_are_there_behind_the_wait_and_not_sooner") {
  run_grid({1, 128, 2 * placed_lines::matrix}, [&](const host_thread& self) {
    auto* shared = self.shared<unsigned char>();
    if (self.index() == 0) placed_lines::store(shared);
    self.barrier();
    const std::uint64_t a =
        descriptor_of({self.shared_address(shared), placed_lines::half, placed_lines::gap});
    std::int32_t first[32] = {}, second[32] = {};
    self.begin_products();
    self.multiply_64(first, a, a);
    self.commit_products();
    self.multiply_64(second, a, a);
    self.commit_products();
    CHECK(first[0] == second[0]);
    self.wait_for_products<1>(first);
    CHECK(first[0] != second[0]);
    self.wait_for_products<0>(second);
    CHECK(first[0] == second[0]);
  });
}

TEST_CASE("copies_end_the_phase_of_their_counter") {
  struct alignas(16) sixteen {
    std::uint64_t word[2];
  };
  const sixteen from[2] = {{{1, 2}}, {{3, 4}}};
  // Block 1 copies late, block 0 at once.
  std::uint64_t before[2][2], behind[2][2][64];
  run_grid({2, 64, 3 * sizeof(sixteen)}, [&](const host_thread& self) {
    auto* to = self.shared<sixteen>();
    std::uint64_t* counter = &to[2].word[0];
    if (self.index() == 0) {
      to[0] = to[1] = {};
      self.begin_counter(counter, 1);
    }
    for (int phase = 0; phase < 2; ++phase) {
      self.barrier();
      if (self.index() == 32) {
        self.arrive_expecting(counter, sizeof(sixteen));
        self.copy_counted(to + phase, from + phase, sizeof(sixteen), counter);
        before[self.block()][phase] = to[phase].word[0];
      }
      self.wait_for_phase(counter, phase);
      behind[self.block()][phase][self.index()] = to[phase].word[1];
    }
  });
  for (int phase = 0; phase < 2; ++phase) {
    CHECK(before[0][phase] == from[phase].word[0]);
    CHECK(before[1][phase] == 0);
    for (int i = 0; i < 128; ++i) {
      CHECK(behind[i / 64][phase][i % 64] == from[phase].word[1]);
    }
  }
}
