// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_lines-inl.h: codes of E2M1 to the order of gemm_slices.h; included once
// for each target.
#if defined(MX_SIMD_GEMM_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_LINES_INL_H
#undef MX_SIMD_GEMM_LINES_INL_H
#else
#define MX_SIMD_GEMM_LINES_INL_H
#endif

#include <cstring>

#include "dot/gemm_slices.h"
#include "simd/gemm_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

using U8x16 = hn::FixedTag<std::uint8_t, 16>;
using V16 = hn::Vec<U8x16>;

/// Twice the values of codes; for B with 12 added.
HWY_ALIGN constexpr std::uint8_t doubled[2][16] = {
    {0, 1, 2, 3, 4, 6, 8, 12, 0, 255, 254, 253, 252, 250, 248, 244},
    {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0}};

/// Stores the 32-bit parts of 16 elements `step` bytes apart.
HWY_INLINE void store_fours(V16 elements, std::uint8_t* to, std::ptrdiff_t step) {
  HWY_ALIGN std::uint8_t bytes[16];
  hn::Store(elements, U8x16(), bytes);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * step, bytes + 4 * i, 4);
}

/// Sum of 16 signed bytes of at most 12.
HWY_INLINE int sum_of(V16 elements) {
  const V16 raised = hn::Add(elements, hn::Set(U8x16(), 12));
  const auto halves = hn::SumsOf8(raised);
  const hn::Repartition<std::uint64_t, U8x16> d;
  return static_cast<int>(hn::GetLane(hn::SumOfLanes(d, halves))) - 12 * 16;
}

/// Codes of 16 elements, one a byte, without the bits above the lowest four.
HWY_INLINE V16 codes_of(const std::uint8_t* line, int k, code_packing packing) {
  const U8x16 d;
  if (packing == code_packing::unpacked) return hn::LoadU(d, line + k);
  const hn::Half<U8x16> half;
  const auto pairs = hn::ZeroExtendVector(d, hn::LoadU(half, line + k / 2));
  const V16 nibble = hn::Set(d, 0x0F);
  const hn::Repartition<std::uint16_t, U8x16> d16;
  const V16 high = hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(d16, pairs)));
  return hn::InterleaveLower(d, hn::And(pairs, nibble), hn::And(high, nibble));
}

/// Stores a line's units in their positions among `width` lines.
template <int Unit>
void place_line(const gemm_line& line, const gemm_place& place) {
  const U8x16 d;
  const int width = place.width;
  const V16 table = hn::Load(d, doubled[place.sums == nullptr ? 1 : 0]);
  for (int u = 0; u < line.units; ++u) {
    int sum = 0;
    V16 seen = hn::Zero(d);
    for (int k = 0; k < Unit; k += 16) {
      const V16 codes = codes_of(line.codes, u * Unit + k, line.packing);
      const V16 elements = hn::TableLookupBytes(table, codes);
      seen = hn::Or(seen, codes);
      if (place.sums != nullptr) sum += sum_of(elements);
      store_fours(elements, place.codes + (u * Unit + k) * width, 4 * width);
    }
    if (place.sums != nullptr) place.sums[u] = sum;
    const V16 sizes = hn::And(seen, hn::Set(d, 7));
    place.zeros[u] = hn::AllTrue(d, hn::Eq(sizes, hn::Zero(d))) ? 1 : 0;
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
