// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_lines-inl.h: codes of E2M1 to the order of gemm_slices.h, unit by unit,
// and lines of at most 32 elements together with their scales; included once for each target.
#if defined(MX_SIMD_GEMM_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_LINES_INL_H
#undef MX_SIMD_GEMM_LINES_INL_H
#else
#define MX_SIMD_GEMM_LINES_INL_H
#endif

#include <cstdlib>
#include <cstring>

#include "dot/gemm_scales.h"
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

/// `count` bytes of at most 16, and zeros.
HWY_INLINE V16 bytes_of(const std::uint8_t* from, int count) {
#if HWY_TARGET == HWY_AVX3
  return V16{_mm_maskz_loadu_epi8(static_cast<__mmask16>((1U << count) - 1), from)};
#else
  HWY_ALIGN std::uint8_t bytes[16] = {};
  for (int i = 0; i < count; ++i) bytes[i] = from[i];
  return hn::Load(U8x16(), bytes);
#endif
}

/// Codes of 32 elements, one a byte.
struct few_codes {
  V16 low, high;

  ///   k  codes there are; the others are zeros
  static HWY_INLINE few_codes of(const std::uint8_t* line, int k, code_packing packing) {
    const U8x16 d;
    if (packing == code_packing::unpacked) {
      return {bytes_of(line, HWY_MIN(k, 16)), bytes_of(line + 16, HWY_MAX(k, 16) - 16)};
    }
    const V16 pairs = bytes_of(line, (k + 1) / 2), nibble = hn::Set(d, 0x0F);
    const hn::Repartition<std::uint16_t, U8x16> d16;
    const V16 even = hn::And(pairs, nibble);
    V16 odd = hn::And(hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(d16, pairs))), nibble);
    odd = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(k / 2)), odd);
    return {hn::InterleaveLower(d, even, odd), hn::InterleaveUpper(d, even, odd)};
  }
};

/// Whether all codes are zeros of either sign.
HWY_INLINE bool are_zeros(V16 codes) {
  const U8x16 d;
  return hn::AllTrue(d, hn::Eq(hn::And(codes, hn::Set(d, 7)), hn::Zero(d)));
}

/// A line's scale of a unit, and what the kernels subtract.
///   sum  of the unit's 2 x
template <int Unit>
HWY_INLINE void place_scale(const gemm_scale& scale, int sum, std::int64_t at,
                            const few_target& to) {
  if (to.starts == nullptr) {
    to.scales[at] = scale.value;
    return;
  }
  const float value = 0.25F * scale.value, start = sum_start + 12.0F * static_cast<float>(sum);
  to.scales[at] = value;
  to.starts[at] = Unit == 32 ? -start * value : start;
}

/// Units of a line.
///   at  of the line in its group's first unit
template <int Unit>
HWY_INLINE void place_few_units(const few_source& from, std::int64_t line, std::int64_t at,
                                const few_target& to, int bit, few_note& note) {
  const V16 table = hn::Load(U8x16(), doubled[to.starts == nullptr ? 1 : 0]);
  const bool there = line < from.lines;
  const few_codes codes =
      there ? few_codes::of(from.codes + line * from.line_bytes, from.k, from.packing)
            : few_codes{hn::Zero(U8x16()), hn::Zero(U8x16())};
  const V16 both[2] = {codes.low, codes.high};
  const int units = (from.k + Unit - 1) / Unit;
  const gemm_scale* before = nullptr;
  for (int u = 0; u < units; ++u, at += to.width) {
    int sum = 0;
    bool zeros = true;
#pragma GCC unroll 2
    for (int half = 0; half < Unit / 16; ++half) {
      const V16 of_half = both[u * (Unit / 16) + half];
      const V16 elements = hn::TableLookupBytes(table, of_half);
      if (to.starts != nullptr) sum += sum_of(elements);
      zeros = zeros && are_zeros(of_half);
      // A group's units lie one after another, and in each the lines' fours.
      const std::int64_t first = (at - bit) * Unit + (half * 4 * to.width + bit) * 4;
      store_fours(elements, to.codes + first, 4 * to.width);
    }
    const gemm_scale& scale = there ? from.table[from.scales[line * units + u]] : no_scale;
    place_scale<Unit>(scale, sum, at, to);
    note.irregular |= static_cast<std::uint64_t>(scale.is_irregular(zeros)) << bit;
    if (Unit == 32 || zeros || scale.use != scale_use::regular) continue;
    if (before != nullptr) {
      note.apart = HWY_MAX(note.apart, std::abs(before->exponent - scale.exponent));
    }
    before = &scale;
  }
}

template <int Unit>
HWY_NOINLINE void place_few(const few_source& from, const few_target& to) {
  const std::int64_t units = (from.k + Unit - 1) / Unit, group_units = units * to.width;
  const std::int64_t groups = (from.lines + to.width - 1) / to.width;
  for (std::int64_t group = 0; group < groups; ++group) {
    few_note note;
    for (int i = 0; i < to.width; ++i) {
      place_few_units<Unit>(from, group * to.width + i, group * group_units + i, to, i, note);
    }
    to.notes[group] = note;
  }
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
