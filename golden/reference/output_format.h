// SPDX-License-Identifier: Apache-2.0
// golden/reference/output_format.h: the one rounding at the end of a sum.
// Source: MMA-Sim, arXiv 2511.10909v2, conversion functions rho (RZ-FP32, RZ-E8M13, RNE-FP16,
// RNE-FP32); tensor cores overflow to Inf under RZ too. MMA-Sim 2.1: +0.0 is added to every result
// of NVIDIA's.
#pragma once
#include <cstdint>
#include <vector>

#include "golden/reference/element_rounding.h"
#include "golden/reference/term.h"

namespace golden {

/// Whether a result that is zero may be -0.
enum class zero_results : unsigned char { either_sign, plus_only };

/// A binary floating-point format as the lower end of the words of a wider one.
struct output_format {
  int width = 32;          ///< of the word, sign bit on top
  int fraction_bits = 23;  ///< that a result may use
  int unused_bits = 0;     ///< of the fraction, at its low end: zero
  int emin = -126;
  int emax = 127;
  rounding direction = rounding::nearest_even;  ///< nearest_even or toward_zero
  std::uint32_t nan = 0x7fc00000;
  zero_results zeros = zero_results::either_sign;

  friend bool operator==(const output_format&, const output_format&) = default;
};

namespace outputs {

/// NVIDIA's results, whose NaN has every bit but the sign set, and whose zeros have no sign.
inline constexpr zero_results unsigned_zeros = zero_results::plus_only;
inline constexpr output_format rz_fp32{
    32, 23, 0, -126, 127, rounding::toward_zero, 0x7fffffff, unsigned_zeros};
inline constexpr output_format rz_e8m13{
    32, 13, 10, -126, 127, rounding::toward_zero, 0x7fffffff, unsigned_zeros};
inline constexpr output_format rne_fp16{
    16, 10, 0, -14, 15, rounding::nearest_even, 0x7fff, unsigned_zeros};
inline constexpr output_format nvidia_rne_fp32{
    32, 23, 0, -126, 127, rounding::nearest_even, 0x7fffffff, unsigned_zeros};
/// Those of everyone else.
inline constexpr output_format ieee_rne_fp32{};
inline constexpr output_format ieee_rz_fp32{32,        23, 0, -126, 127, rounding::toward_zero,
                                            0x7fc00000};

}  // namespace outputs

/// A result: its bits, and the term that the next step reads from them.
struct rounded {
  std::uint32_t bits = 0;
  term value;
};

/// A sum of terms, rounded.
///   sum        what the terms add up to where all are finite, by whatever rule
///   specials   a NaN or an Inf among the terms decides (special_sum)
///   zero       +0, but -0 where every term is a negative zero; a nonzero sum that rounds to zero
///              keeps its sign. Neither in a format without -0 among its results
///   overflow   to Inf, in either direction of rounding
///   subnormal  kept
[[nodiscard]] rounded rounded_sum(const output_format& to, const dyadic& sum,
                                  const std::vector<term>& terms);

/// The exact sum of the terms, rounded once.
[[nodiscard]] rounded rounded_exact_sum(const output_format& to, const std::vector<term>& terms);

/// A result without subnormals: these become zeros with their signs.
[[nodiscard]] rounded flushed(const output_format& to, const rounded& result);

/// The bits of a number that is not finite.
[[nodiscard]] rounded special_result(const output_format& to, const term& special);

}  // namespace golden
