// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/sum.h: the energies of all shares, added as a tree of fixed shape: a block
// of threads adds 128 neighbours, the next launch 128 of those sums, and so on. Equals
// mx::sum_of_shares (tests/kernels/decompose/decompose_test.cpp).
#pragma once
#include <cstdint>

#include "mx/block/energy_sums.h"

namespace mx::kernels {

/// One level of the tree.
struct sum_arguments {
  const error_energy* from = nullptr;
  std::uint64_t count = 0;
  error_energy* out = nullptr;
};

inline constexpr int sum_threads = 128;

/// Blocks of threads of a level, which are the entries of the next one.
[[nodiscard]] constexpr std::uint64_t sums_of(std::uint64_t count) noexcept {
  return count <= sum_threads ? 1 : (count - 1) / sum_threads + 1;
}

/// Block of threads b adds entries 128 b to 128 b + 127.
///   shared memory  an entry for each thread
template <class Thread>
MX_HD void add_shares(const Thread& self, const sum_arguments& to) {
  auto* entries = self.template shared<error_energy>();
  const std::uint64_t first = self.block() * sum_threads, left = to.count - first;
  const int here = left < sum_threads ? static_cast<int>(left) : sum_threads;
  const int own = self.index();
  entries[own] = own < here ? to.from[first + static_cast<std::uint64_t>(own)] : error_energy{};
  for (int step = 1; step < here; step *= 2) {
    self.barrier();
    const int at = 2 * step * own;
    if (at + step < here) entries[at] += entries[at + step];
  }
  if (own == 0) to.out[self.block()] = entries[0];
}

}  // namespace mx::kernels
