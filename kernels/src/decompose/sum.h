// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose/sum.h: the energies of all shares, added in their order: a thread adds one
// figure, since the order of a sum is fixed; many threads load them. Equals
// mx::error_energy::operator+= over them (tests/kernels/decompose/decompose_test.cpp).
#pragma once
#include <cstdint>

#include "mx/block/energy_sums.h"

namespace mx::kernels {

struct sum_arguments {
  const error_energy* shares = nullptr;
  std::uint64_t count = 0;
  error_energy* out = nullptr;
};

inline constexpr int sum_threads = 128;
inline constexpr int summed_energies = 14, summed_counts = 6;
static_assert(sizeof(error_energy) == 8 * (summed_energies + summed_counts));

/// Figure number 0 to 13 of the energies.
[[nodiscard]] MX_HD constexpr double& energy_figure(energy_sums& of, int number) noexcept {
  using sums = energy_sums;
  constexpr double sums::*members[summed_energies] = {
      &sums::total,      &sums::scale,         &sums::deadzone,       &sums::grid,
      &sums::clip,       &sums::scale_dead,    &sums::scale_deadzone, &sums::scale_grid,
      &sums::scale_clip, &sums::deadzone_grid, &sums::deadzone_clip,  &sums::grid_clip,
      &sums::x_squared,  &sums::x_quantized};
  return of.*members[number];
}
/// Figure number 0 to 5 of the counts.
[[nodiscard]] MX_HD constexpr std::int64_t& count_figure(error_energy& of, int number) noexcept {
  using all = error_energy;
  constexpr std::int64_t all::*members[summed_counts] = {
      &all::elements, &all::dead,           &all::dead_actual,
      &all::blocks,   &all::special_blocks, &all::identity_violations};
  return of.*members[number];
}

/// The single block of threads loads as many shares at a time as it has threads; thread t < 20 adds
/// figure t of them.
///   shared memory  a share for each thread
template <class Thread>
MX_HD void add_shares(const Thread& self, const sum_arguments& to) {
  constexpr int figures = summed_energies + summed_counts;
  auto* fetched = self.template shared<error_energy>();
  const int own = self.index();
  double energy = 0;
  std::int64_t count = 0;
  for (std::uint64_t first = 0; first < to.count; first += sum_threads) {
    const std::uint64_t left = to.count - first;
    const int here = left < sum_threads ? static_cast<int>(left) : sum_threads;
    if (own < here) fetched[own] = to.shares[first + static_cast<std::uint64_t>(own)];
    self.barrier();
    if (own < summed_energies) {
      for (int i = 0; i < here; ++i) energy += energy_figure(fetched[i].sums, own);
    } else if (own < figures) {
      for (int i = 0; i < here; ++i) count += count_figure(fetched[i], own - summed_energies);
    }
    self.barrier();
  }
  if (own < summed_energies) {
    energy_figure(to.out->sums, own) = energy;
  } else if (own < figures) {
    count_figure(*to.out, own - summed_energies) = count;
  }
}

}  // namespace mx::kernels
