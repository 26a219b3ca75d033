// SPDX-License-Identifier: Apache-2.0
// sim/sweep/total_error.h: sums of a whole quantization error, of any operand, corrected or not.
#pragma once
#include <cstdint>

#include "mx/tensor/operand.h"

namespace sim {

/// Sums over elements, in binary64: element i of every 2^16 goes to lane i mod 16, a tree adds the
/// lanes, the sums of all 2^16 are added in order.
/// Left out: NaN and Inf, and what they turn into NaN or Inf by sharing a block with it (D-005).
/// Any other number that becomes NaN or Inf counts: the error is infinite then, and the sums of Q
/// are what they are with it.
struct total_sums {
  double x_squared = 0, error = 0, x_quantized = 0;  ///< of x^2, (Q - x)^2, Q x
  double x_magnitude = 0, quantized_magnitude = 0;   ///< of |x|, |Q|
  std::int64_t elements = 0, zeroed = 0;             ///< zeroed: Q is zero and x is not
  std::int64_t not_finite = 0;                       ///< Q is NaN or Inf

  total_sums& operator+=(const total_sums& other);
};

/// Quantizes a matrix along its rows and back, and sums; starts no thread.
///   errors  requires refusal_of(f) to be none
[[nodiscard]] total_sums total_error(const mx::operand& f, const float* x, int rows, int columns);

}  // namespace sim
