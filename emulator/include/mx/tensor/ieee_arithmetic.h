// SPDX-License-Identifier: Apache-2.0
// mx/tensor/ieee_arithmetic.h: IEEE 754's default arithmetic in a thread whose program has chosen
// another.
// Source: IEEE 754-2019, clauses 4.3.3 (roundTiesToEven by default) and 7.5 (underflow keeps
// subnormals).
#pragma once
#include <bit>
#include <cfenv>
#include <cstdint>
#include <limits>

namespace mx {

/// While it lives, the calling thread rounds to the nearest, ties to even, keeps subnormal operands
/// and results, and traps no exception; then what held before holds again. A program may flush
/// subnormals to zero without knowing it: a library that is linked with fast math makes it so for
/// every thread that begins later.
class ieee_arithmetic {
 public:
  ieee_arithmetic() noexcept : changed_(!holds()) {
    if (!changed_) return;
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~ieee_arithmetic() {
    if (changed_) std::fesetenv(&before_);
  }
  ieee_arithmetic(const ieee_arithmetic&) = delete;
  ieee_arithmetic& operator=(const ieee_arithmetic&) = delete;

  /// Whether it is the calling thread's now. Where nothing traps, sums tell, for a fraction of what
  /// asking the processor costs: a flushed subnormal vanishes, and each other rounding moves one of
  /// the three sums near 1.
  [[nodiscard]] static bool holds() noexcept {
    if (fegetexcept() != 0) return false;
    const volatile float least = std::numeric_limits<float>::denorm_min();
    const volatile float one = 1.0F, below_half = 0x1p-25F, above_half = 0x1.8p-24F;
    const float twice = least + least, up = one + below_half, down = -one - below_half,
                nearest = one + above_half;
    return pattern(twice) == 2 && pattern(up) == 0x3F800000 && pattern(down) == 0xBF800000 &&
           pattern(nearest) == 0x3F800001;
  }

 private:
  // Compared as patterns: where subnormals are flushed they equal zero.
  [[nodiscard]] static std::uint32_t pattern(float value) noexcept {
    return std::bit_cast<std::uint32_t>(value);
  }

  bool changed_;
  std::fenv_t before_{};
};

}  // namespace mx
