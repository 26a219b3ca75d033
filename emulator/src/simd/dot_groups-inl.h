// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/dot_groups-inl.h: exact sums of groups of 16 products of E2M1, for words whose
// codes lie one a byte; included once for each target.
#if defined(MX_SIMD_DOT_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_DOT_GROUPS_INL_H
#undef MX_SIMD_DOT_GROUPS_INL_H
#else
#define MX_SIMD_DOT_GROUPS_INL_H
#endif

#include "dot/dot_groups.h"
#include "simd/gemm_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace dot_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using gemm_kernel::I32;
using gemm_kernel::Vi;
using U8 = hn::Repartition<std::uint8_t, I32>;
constexpr int bytes = static_cast<int>(hn::MaxLanes(U8()));
constexpr int pieces = 64 / bytes;  ///< vectors that hold a word's codes of one operand

/// Sums of products four by four: (2 a + 12) * 2 b - 12 * 2 b.
struct fours {
  Vi sum;
  std::uint64_t nonzero;  ///< a bit a product

  template <class Dot>
  static HWY_INLINE fours of(const std::uint8_t* a, const std::uint8_t* b) {
    const U8 d;
    HWY_ALIGN static constexpr std::uint8_t negated[16] = {0, 255, 254, 253, 252, 250, 248, 244,
                                                           0, 1,   2,   3,   4,   6,   8,   12};
    const auto codes_a = hn::LoadU(d, a), codes_b = hn::LoadU(d, b);
    const auto table = [&](const std::uint8_t* of) { return hn::LoadDup128(d, of); };
    const auto left = hn::TableLookupBytes(table(gemm_kernel::doubled[1]), codes_a);
    const auto right = hn::TableLookupBytes(table(gemm_kernel::doubled[0]), codes_b);
    const auto minus = hn::TableLookupBytes(table(negated), codes_b);
    const auto as_int = [](auto v) { return hn::BitCast(I32(), v); };
    Vi sum = Dot::add(hn::Zero(I32()), as_int(left), as_int(right));
    sum = Dot::add(sum, as_int(hn::Set(d, 12)), as_int(minus));
    const auto sizes = hn::Set(d, 7);
    const auto zero = hn::Or(hn::Eq(hn::And(codes_a, sizes), hn::Zero(d)),
                             hn::Eq(hn::And(codes_b, sizes), hn::Zero(d)));
    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Not(zero), reinterpret_cast<std::uint8_t*>(&bits));
    return {sum, bits};
  }
};

/// Horizontal sums of each 128 bits of four vectors, one number for each vector.
HWY_INLINE Vi added(Vi a, Vi b, Vi c, Vi e) {
  const I32 d;
  const hn::Repartition<std::int64_t, I32> d64;
  const Vi ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const Vi ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  const auto low = hn::InterleaveLower(d64, hn::BitCast(d64, ab), hn::BitCast(d64, ce));
  const auto high = hn::InterleaveUpper(d64, hn::BitCast(d64, ab), hn::BitCast(d64, ce));
  return hn::Add(hn::BitCast(d, low), hn::BitCast(d, high));
}

template <class Dot>
void sum_groups(const group_codes& codes, group_sums& sums) {
  std::fill_n(sums.nonzero, group_sums::words, std::uint64_t{0});
#pragma GCC unroll 2
  for (int piece = 0; piece < pieces; ++piece) {
    Vi four[group_sums::words];
#pragma GCC unroll 4
    for (int w = 0; w < group_sums::words; ++w) {
      const std::int64_t at = w * codes.distance + piece * bytes;
      const fours some = fours::of<Dot>(codes.a + at, codes.b + at);
      four[w] = some.sum;
      sums.nonzero[w] |= some.nonzero << (piece * bytes);
    }
    hn::Store(added(four[0], four[1], four[2], four[3]), I32(),
              sums.quarters[0] + piece * (bytes / 4));
  }
}

}  // namespace dot_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
