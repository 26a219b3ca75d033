// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/aligned_test.cpp: steps with truncated terms, against mx::dot: all distances
// of exponents, sums at the edges of FP32, groups of zeros and groups that cancel.
#include "gemm/aligned.h"

#include "catch.h"
#include "step_codes.h"

using namespace mx;
using namespace mx::kernels;
using kernels_test::agree;
using kernels_test::drawn;
using kernels_test::step_codes;

namespace {

/// A step with its scales and C, and the results of both sides.
template <dot_model M>
struct step_case {
  static constexpr int blocks = 64 / M.block;

  step_codes codes{0};
  std::uint8_t a[blocks] = {}, b[blocks] = {};
  std::uint32_t c = 0;

  template <group_cut Cut = group_cut::toward_zero>
  [[nodiscard]] step_terms<M, Cut> terms() const {
    step_terms<M, Cut> terms;
    constexpr int groups = step_terms<M, Cut>::groups, size = 64 / groups;
    for (int g = 0; g < groups; ++g) terms.sum[g] = codes.sum(g * size, size);
    for (int i = 0; i < blocks; ++i) {
      const float row = factor_of_scale<M.scale>(gemm_side::row, a[i]);
      terms.row[i] = row_factor::of(row);
      terms.column[i] = factor_of_scale<M.scale>(gemm_side::column, b[i]);
      const bool is_zero = row == 0 || terms.column[i] == 0;
      terms.any[i] = is_zero ? 0 : codes.any(i * M.block, M.block);
    }
    return terms;
  }
  [[nodiscard]] aligned_range range() const {
    constexpr int mask = (1 << M.scale.width()) - 1;
    code_bounds rows, columns;
    for (int i = 0; i < blocks; ++i) {
      rows = rows.with({a[i] & mask, a[i] & mask});
      columns = columns.with({b[i] & mask, b[i] & mask});
    }
    return range_of<M.scale>(rows, columns);
  }

  /// Whether the step is served; fails if it is served and differs from the model.
  [[nodiscard]] bool is_served() {
    const aligned_range in = range();
    if (in.is_empty()) return false;
    const bool served = is_served_with<group_cut::toward_zero>(in);
    if (!(fp32::magnitude(float_of(c)) < in.limit)) return served;
    ++whole;
    const bool served_whole = is_served_with<group_cut::none>(in);
    if (served != served_whole) FAIL("served with cuts, or without, and not both");
    if constexpr (M.block == 32) expect_fast_where_it_may_be();
    return served;
  }
  static inline int whole = 0;  ///< steps whose groups need no truncation
  static inline int fast = 0;   ///< those of them that margin_of_element allows as one addition

 private:
  void expect_fast_where_it_may_be() const {
    const step_terms<M, group_cut::none> from = terms<group_cut::none>();
    const float sum = fused_sum(from.sum, from.row, from.column);
    if (margin_of_element(float_of(c), sum, from.row, from.column) >= 0) return;
    ++fast;
    const std::uint32_t expected = dot(M, codes.a, codes.b, 64, c, a, b);
    const float found = added_toward_zero(float_of(c), sum);
    if (!agree(found, expected)) {
      FAIL("fast with scales " << int(a[0]) << " " << int(a[1]) << ", " << int(b[0]) << " "
                               << int(b[1]) << ", C " << c << ": " << bits_of(found) << " for "
                               << expected);
    }
  }

  template <group_cut Cut>
  [[nodiscard]] bool is_served_with(const aligned_range& in) const {
    const aligned_result found = aligned_step(terms<Cut>(), float_of(c), in);
    const std::uint32_t expected = dot(M, codes.a, codes.b, 64, c, a, b);
    if (found.is_served && !agree(found.sum, expected)) {
      FAIL("scales " << int(a[0]) << " " << int(a[1]) << ", " << int(b[0]) << " " << int(b[1])
                     << ", C " << c << ", cut " << int(Cut) << ": " << bits_of(found.sum) << " for "
                     << expected);
    }
    return found.is_served;
  }
};

/// C with a biased exponent, its fraction drawn or at an edge.
std::uint32_t drawn_c(int field, std::uint32_t word) {
  constexpr std::uint32_t edges[] = {0, 1, 0x7FFFFF, 0x400000, 0x7FF000, 0xFFF};
  const std::uint32_t fraction = word % 3 == 0 ? edges[word / 3 % 6] : word >> 5 & 0x7FFFFF;
  return static_cast<std::uint32_t>(field < 0 ? 0 : (field > 254 ? 254 : field)) << 23 | fraction |
         (word << 31);
}

/// One of 8 modifications for each group of a step.
void shape_groups(step_codes& codes, std::uint32_t word) {
  for (int g = 0; g < 4; ++g) {
    const std::uint32_t what = word >> (g * 4) & 15;
    if (what == 0) codes.clear(g);
    if (what == 1) codes.cancel(g);
    if (what == 2) codes.fill(g, (word >> (20 + g) & 1) != 0);
  }
}

}  // namespace

TEST_CASE("aligned_steps_of_mxf4_are_the_core's_at_every_distance") {
  std::uint64_t seed = 0;
  int served = 0, all = 0;
  for (const int base : {-149, -146, -130, -115, -114, -113, -60, 0, 60, 114, 115}) {
    for (int distance = 0; distance <= 48; ++distance) {
      for (int over = -50; over <= 50; ++over) {
        ++seed;
        const std::uint32_t word = drawn(seed, 3000);
        step_case<fused_mxfp4> one{step_codes(seed)};
        shape_groups(one.codes, drawn(seed, 3001));
        const int low = base + 254, far = word % 2;
        for (int i = 0; i < 2; ++i) {
          const int sum = i == far ? low - distance : low;
          const int row = sum < 2 ? 0 : (sum > 380 ? 190 : sum / 2);
          one.a[i] = static_cast<std::uint8_t>(row);
          one.b[i] = static_cast<std::uint8_t>(sum - row < 0 ? 0 : sum - row);
        }
        one.c = word % 17 == 0 ? 0 : drawn_c(base + 127 + over, word);
        served += one.is_served() ? 1 : 0;
        ++all;
      }
    }
  }
  CHECK(served > all / 2);
  CHECK(step_case<fused_mxfp4>::whole > all / 10);
  CHECK(step_case<fused_mxfp4>::whole < served);
  CHECK(step_case<fused_mxfp4>::fast > all / 20);
  CHECK(step_case<fused_mxfp4>::fast < step_case<fused_mxfp4>::whole);
}

TEST_CASE("aligned_steps_of_mxf4_are_the_core's_for_any_scales") {
  int served = 0;
  for (std::uint64_t seed = 1; seed <= 400000; ++seed) {
    const std::uint32_t word = drawn(seed, 4000), other = drawn(seed, 4001);
    step_case<fused_mxfp4> one{step_codes(seed)};
    shape_groups(one.codes, other);
    for (int i = 0; i < 2; ++i) {
      one.a[i] = static_cast<std::uint8_t>(word >> (i * 8));
      one.b[i] = static_cast<std::uint8_t>(word >> (16 + i * 8));
    }
    one.c = other % 5 == 0 ? other : drawn_c(static_cast<int>(other >> 8 & 0xFF), other);
    served += one.is_served() ? 1 : 0;
  }
  CHECK(served > 100000);
}

TEST_CASE("aligned_steps_of_mxf4nvf4_are_the_core's_for_every_pair_of_scales") {
  int served = 0;
  for (std::uint32_t pair = 0; pair < 4 * 65536; ++pair) {
    const std::uint64_t seed = pair + 1;
    const std::uint32_t word = drawn(seed, 5000), other = drawn(seed, 5001),
                        third = drawn(seed, 5002);
    step_case<fused_nvfp4> one{step_codes(seed)};
    shape_groups(one.codes, other);
    for (int i = 0; i < 4; ++i) {
      one.a[i] = static_cast<std::uint8_t>(word >> (i * 8));
      one.b[i] = static_cast<std::uint8_t>(third >> (i * 8));
      if (one.a[i] % 128 == 127) --one.a[i];
      if (one.b[i] % 128 == 127) --one.b[i];
    }
    one.a[pair >> 16] = static_cast<std::uint8_t>(pair);
    one.b[pair >> 16] = static_cast<std::uint8_t>(pair >> 8);
    // C from far below the smallest group to far above the largest.
    one.c = other % 19 == 0 ? 0 : drawn_c(127 - 70 + static_cast<int>(other >> 12 & 127), third);
    served += one.is_served() ? 1 : 0;
  }
  CHECK(served > 4 * 64000);
  CHECK(step_case<fused_nvfp4>::whole > served / 4);
  CHECK(step_case<fused_nvfp4>::whole < served);
}

TEST_CASE("sums_of_the_largest_groups_of_mxf4nvf4_are_exact_or_left_to_the_core") {
  int served = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 100000; ++seed) {
    const std::uint32_t word = drawn(seed, 6000);
    step_case<fused_nvfp4> one{step_codes(seed)};
    for (int g = 0; g < 4; ++g) {
      if ((word >> g & 3) != 3) one.codes.fill(g, (word >> (g + 4) & 7) == 0);
      one.a[g] =
          static_cast<std::uint8_t>(word >> (g + 8) & 1 ? 0x7E : 0x77 - (word >> (g * 4) & 31));
      one.b[g] =
          static_cast<std::uint8_t>(word >> (g + 12) & 1 ? 0x7E : 0x6F - (word >> (g + 9) & 63));
    }
    one.c = drawn_c(127 - 6 + static_cast<int>(word >> 24 & 31), word);
    served += one.is_served() ? 1 : 0;
    ++all;
  }
  CHECK(served < all);
  CHECK(served > all / 2);
}

TEST_CASE("low_parts_of_mxf4nvf4_add_up_to_more_than_24_bits") {
  // In units of U, where C has the largest exponent: three groups of 518400 * 8, one of 1127 * 13 *
  // 13, and C = 2^35 + 2^22 - 2^12. The sum of their low parts is 16822271 > 2^24, one below a
  // multiple of the result's last place, 2^12.
  step_case<fused_nvfp4> one{step_codes(1), {0x3F, 0x3F, 0x3F, 0x25}, {0x3F, 0x3F, 0x3F, 0x3D}};
  for (int g = 0; g < 4; ++g) one.codes.fill(g, false);
  constexpr std::uint8_t last_a[] = {7, 7, 7, 7, 7, 7, 7, 7, 5, 4, 1},
                         last_b[] = {7, 7, 7, 7, 7, 7, 7, 6, 3, 1, 1};
  for (int i = 0; i < 16; ++i) {
    one.codes.a[48 + i] = i < 11 ? last_a[i] : 0;
    one.codes.b[48 + i] = i < 11 ? last_b[i] : 0;
  }
  REQUIRE(one.codes.sum(48, 16) - static_cast<std::int32_t>(bits_of_no_sum) == 1127);
  one.c = (24U + 127) << 23 | 1023;
  CHECK(one.is_served());
}

TEST_CASE("nan_scales_make_an_aligned_step_nan") {
  step_case<fused_nvfp4> nvfp4{step_codes(3), {0x38, 0x7F, 0x38, 0}, {0x38, 0x30, 0x38, 0xFF}};
  CHECK(nvfp4.is_served());
  const aligned_range all = range_of<formats::e8m0>({}, {});
  step_case<fused_mxfp4> mxfp4{step_codes(3), {127, 255}, {127, 127}};
  const float row = aligned_step(mxfp4.terms(), 1.0F, all).sum;
  CHECK(row != row);
  mxfp4.a[1] = 127;
  mxfp4.b[0] = 255;
  const float column = aligned_step(mxfp4.terms(), 1.0F, all).sum;
  CHECK(column != column);
}
