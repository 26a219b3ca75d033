// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/steps_test.cpp: the fast steps against mx::dot at the edges of their exact
// range.
#include "gemm/steps.h"

#include <vector>

#include "catch.h"
#include "step_codes.h"

using namespace mx;
using namespace mx::kernels;
using kernels_test::agree;
using kernels_test::step_codes;

TEST_CASE("bytes_of_codes_are_twice_their_values") {
  for (std::uint32_t code = 0; code < 16; ++code) {
    CHECK(static_cast<std::int8_t>(byte_of_code(code)) == integer_of(formats::e2m1, code));
  }
  CHECK(dot_of_bytes(0xF40000FF, 0x0C7F8001, 5) == 5 - 144 - 1);
  CHECK(any_of_bytes(0xF40000FF, 0x0C7F8001, 5) == 5 + 244 * 12 + 255);
}

TEST_CASE("every_pair_of_scales_gives_the_sequential_step_of_the_core") {
  for (int a = 0; a < 256; ++a) {
    if (a > largest_row_code && a != 255) continue;
    for (int b = 0; b < 256; ++b) {
      step_codes codes(static_cast<std::uint64_t>(a * 256 + b));
      const auto scale_a = static_cast<std::uint8_t>(a), scale_b = static_cast<std::uint8_t>(b);
      const std::uint32_t word = kernels::drawn(77, static_cast<std::uint64_t>(a * 256 + b));
      // C about as large as the block: near the product of both scales.
      int field = a + b - 254 + 127 + static_cast<int>(word % 32) - 8;
      field = field < 0 ? 0 : (field > 255 ? 255 : field);
      const std::uint32_t c =
          word % 5 == 0 ? 0 : static_cast<std::uint32_t>(field) << 23 | (word & 0x807FFFFF);
      const std::uint32_t expected =
          dot(sequential_mxfp4, codes.a, codes.b, 32, c, &scale_a, &scale_b);
      const float found =
          sequential_step(float_of(c), codes.sum(0, 32),
                          row_factor::of(factor_of_scale<formats::e8m0>(gemm_side::row, scale_a)),
                          factor_of_scale<formats::e8m0>(gemm_side::column, scale_b));
      if (!agree(found, expected)) {
        FAIL("scales " << a << " and " << b << ", C " << c << ": " << bits_of(found) << " for "
                       << expected);
      }
    }
  }
}

TEST_CASE("every_pair_of_ue4m3_scales_gives_the_sequential_step_of_the_core") {
  for (int pair = 0; pair < 65536; ++pair) {
    step_codes codes(static_cast<std::uint64_t>(pair));
    const auto scale_a = static_cast<std::uint8_t>(pair),
               scale_b = static_cast<std::uint8_t>(pair >> 8);
    const std::uint32_t word = kernels::drawn(78, static_cast<std::uint64_t>(pair));
    const std::uint32_t c = (word & 0x807FFFFF) | (110 + word % 32) << 23;
    const std::uint32_t expected =
        dot(sequential_nvfp4, codes.a, codes.b, 16, c, &scale_a, &scale_b);
    const float found =
        sequential_step(float_of(c), codes.sum(0, 16),
                        row_factor::of(factor_of_scale<formats::ue4m3>(gemm_side::row, scale_a)),
                        factor_of_scale<formats::ue4m3>(gemm_side::column, scale_b));
    if (!agree(found, expected)) {
      FAIL("scales " << pair << ", C " << c << ": " << bits_of(found) << " for " << expected);
    }
  }
}

namespace {

/// A fused step at exponents relative to `base`, C at field `field`; whether the fast path ran.
bool fused_steps_agree(int base, int distance, int field, std::uint64_t seed) {
  step_codes codes(seed);
  const auto low = static_cast<std::uint8_t>(base / 2),
             high = static_cast<std::uint8_t>(base - base / 2);
  const bool first_is_high = seed % 2 == 0;
  const auto farther = static_cast<std::uint8_t>(high + distance);
  const std::uint8_t scale_a[] = {low, low};
  const std::uint8_t scale_b[] = {first_is_high ? farther : high, first_is_high ? high : farther};
  const std::uint32_t word = kernels::drawn(seed, 2000);
  const std::uint32_t bits = seed % 7 == 0 ? 0 : (word & 0x7FFFFF);
  const std::uint32_t c =
      seed % 13 == 0 ? 0 : static_cast<std::uint32_t>(field) << 23 | bits | (word & 0x80000000);
  const float acc = float_of(c);
  const fused_window window = window_of({low, low}, {high, farther}).below(fp32::magnitude(acc));
  if (window.needs_core(acc)) return false;
  row_factor rows[2];
  float columns[2];
  for (int i = 0; i < 2; ++i) {
    rows[i] = row_factor::of(factor_of_scale<formats::e8m0>(gemm_side::row, scale_a[i]));
    columns[i] = factor_of_scale<formats::e8m0>(gemm_side::column, scale_b[i]);
  }
  const std::int32_t sums[] = {codes.sum(0, 32), codes.sum(32, 32)};
  const float found = added_toward_zero(acc, fused_sum(sums, rows, columns));
  const std::uint32_t expected = dot(fused_mxfp4, codes.a, codes.b, 64, c, scale_a, scale_b);
  if (!agree(found, expected)) {
    FAIL("codes " << base << " + " << distance << ", C " << c << ", seed " << seed << ": "
                  << bits_of(found) << " for " << expected);
  }
  return true;
}

}  // namespace

TEST_CASE("fused_steps_are_the_core's_wherever_the_window_says_so") {
  std::uint64_t seed = 0;
  int fast = 0;
  for (const int exponent : {-200, -150, -140, -126, -115, -101, -100, -99, -60, -1,
                             0,    1,    50,   79,   80,   89,   90,   91,  105, 118}) {
    for (int distance = 0; distance <= 12; ++distance) {
      for (int over = -16; over <= 50; ++over) {
        const int field = exponent + 127 + over;
        if (field < 0 || field > 254) continue;
        for (int i = 0; i < 12; ++i) {
          fast += fused_steps_agree(exponent + 254, distance, field, ++seed) ? 1 : 0;
        }
      }
    }
  }
  CHECK(fast > 40000);
}

namespace {

/// A step of four blocks under scales of UE4M3 from code `base` on, C at field `field`; whether the
/// fast path ran.
bool fused_sixteens_agree(std::uint32_t base, std::uint32_t spread, int field, std::uint64_t seed) {
  const step_codes codes(seed);
  const std::uint32_t word = kernels::drawn(seed, 2000), other = kernels::drawn(seed, 2001);
  std::uint8_t scale_a[4], scale_b[4];
  row_factor rows[4];
  float columns[4];
  std::int32_t sums[4];
  code_bounds bounds_a, bounds_b;
  for (int i = 0; i < 4; ++i) {
    scale_a[i] = static_cast<std::uint8_t>(base + (word >> (8 * i) & 0xFF) % spread);
    scale_b[i] = static_cast<std::uint8_t>(base + (other >> (8 * i) & 0xFF) % spread);
    rows[i] = row_factor::of(factor_of_scale<formats::ue4m3>(gemm_side::row, scale_a[i]));
    columns[i] = factor_of_scale<formats::ue4m3>(gemm_side::column, scale_b[i]);
    sums[i] = codes.sum(16 * i, 16);
    bounds_a = bounds_a.with({scale_a[i], scale_a[i]});
    bounds_b = bounds_b.with({scale_b[i], scale_b[i]});
  }
  const std::uint32_t c =
      seed % 13 == 0 ? 0 : static_cast<std::uint32_t>(field) << 23 | (other & 0x807FFFFF);
  const float acc = float_of(c);
  const fused_window window =
      window_of<formats::ue4m3>(bounds_a, bounds_b).below(fp32::magnitude(acc));
  const fused_halves halves = fused_sums(sums, rows, columns);
  if (window.needs_core(acc) || halves.largest(0) >= window.whole) return false;
  const float found = added_toward_zero(acc, halves.first + halves.second);
  const std::uint32_t expected = dot(fused_nvfp4, codes.a, codes.b, 64, c, scale_a, scale_b);
  if (!agree(found, expected)) {
    FAIL("scales from " << base << ", C " << c << ", seed " << seed << ": " << bits_of(found)
                        << " for " << expected);
  }
  return true;
}

}  // namespace

TEST_CASE("fused_steps_of_four_blocks_are_the_core's_wherever_they_are_whole") {
  std::uint64_t seed = 0;
  int fast = 0, all = 0;
  for (std::uint32_t base = 0; base < 120; base += 3) {
    for (const std::uint32_t spread : {1U, 8U, 24U, 48U, 127U}) {
      if (base + spread > 127) continue;
      for (int over = -20; over <= 44; ++over) {
        for (int i = 0; i < 8; ++i) {
          const int field = 127 + 2 * (static_cast<int>(base) / 8 - 7) + over;
          fast += fused_sixteens_agree(base, spread, field, ++seed) ? 1 : 0;
          ++all;
        }
      }
    }
  }
  CHECK(fast > all / 4);
  CHECK(fast < all);
}

TEST_CASE("sums_are_cut_toward_zero") {
  CHECK(added_toward_zero(1.0F, 0x1.8p-24F) == 1.0F);
  CHECK(added_toward_zero(1.0F, -0x1p-40F) == 0x1.fffffep-1F);
  CHECK(added_toward_zero(-1.0F, 0x1p-40F) == -0x1.fffffep-1F);
  CHECK(bits_of(added_toward_zero(3.0F, -3.0F)) == 0);
  CHECK(added_toward_zero(0x1p-149F, 0x1p-149F) == 0x1p-148F);
}
