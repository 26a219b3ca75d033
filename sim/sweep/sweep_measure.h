// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_measure.h: what a sweep measures at a point on an input.
#pragma once
#include <cstdint>

namespace sim {

///   total       of numbers: SQNR, gain, bias and zeros of the whole error
///   components  of numbers: energies and cosines of its parts
///   product     of numbers: a product
///   frozen      of a policy: its distributions beside FP32's
///   training    of a policy: what a short training leads to
enum class sweep_measure : std::uint8_t { total, components, product, frozen, training };

/// Whether it is of policies, and not of numbers.
[[nodiscard]] constexpr bool is_of_policies(sweep_measure m) noexcept {
  return m == sweep_measure::frozen || m == sweep_measure::training;
}

}  // namespace sim
