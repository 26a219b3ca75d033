// SPDX-License-Identifier: Apache-2.0
// kernels/src/decompose_sum.h: the energies of all shares, added in their order: a thread takes one
// figure, since no sum may be made in another order. Equals mx::error_energy::operator+= over them
// (tests/kernels/decompose_test.cpp).
#pragma once
#include <cstdint>

#include "mx/energy_sums.h"

namespace mx::kernels {

struct sum_arguments {
  const error_energy* shares = nullptr;
  std::uint64_t count = 0;
  error_energy* out = nullptr;
};

inline constexpr int sum_threads = 32;
inline constexpr int summed_energies = 14, summed_counts = 6;
static_assert(sizeof(error_energy) == 8 * (summed_energies + summed_counts));

/// Thread t of the one block takes figure t.
template <class Thread>
MX_HD void add_shares(const Thread& self, const sum_arguments& to) {
  using sums = energy_sums;
  using all = error_energy;
  constexpr double sums::*energies[summed_energies] = {
      &sums::total,      &sums::scale,         &sums::deadzone,       &sums::grid,
      &sums::clip,       &sums::scale_dead,    &sums::scale_deadzone, &sums::scale_grid,
      &sums::scale_clip, &sums::deadzone_grid, &sums::deadzone_clip,  &sums::grid_clip,
      &sums::x_squared,  &sums::x_quantized};
  constexpr std::int64_t all::*counts[summed_counts] = {
      &all::elements, &all::dead,           &all::dead_actual,
      &all::blocks,   &all::special_blocks, &all::identity_violations};
  const int own = self.index();
  if (own < summed_energies) {
    double sum = 0;
    for (std::uint64_t i = 0; i < to.count; ++i) sum += to.shares[i].sums.*energies[own];
    to.out->sums.*energies[own] = sum;
  } else if (own < summed_energies + summed_counts) {
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < to.count; ++i) sum += to.shares[i].*counts[own - summed_energies];
    to.out->*counts[own - summed_energies] = sum;
  }
}

}  // namespace mx::kernels
