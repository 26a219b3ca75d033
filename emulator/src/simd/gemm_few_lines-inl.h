// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_few_lines-inl.h: codes of E2M1 of at most 32 elements a line to the order of
// gemm_slices.h; included once for each target.
#if defined(MX_SIMD_GEMM_FEW_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_FEW_LINES_INL_H
#undef MX_SIMD_GEMM_FEW_LINES_INL_H
#else
#define MX_SIMD_GEMM_FEW_LINES_INL_H
#endif

#include <cstdlib>

#include "dot/gemm_scales.h"
#include "simd/gemm_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

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

HWY_INLINE bool is_irregular_unit(const gemm_scale& scale, bool zeros) {
  return scale.use == scale_use::nan || (scale.use == scale_use::far && !zeros);
}

/// Units of a line.
///   at  of the line in its group's first unit
template <int Unit>
HWY_INLINE void place_few_units(const few_source& from, std::int64_t line, std::int64_t at,
                                const few_target& to, int bit, few_note& note) {
  static constexpr gemm_scale none{1, 0, scale_use::zero};
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
    const gemm_scale& scale = there ? from.table[from.scales[line * units + u]] : none;
    place_scale<Unit>(scale, sum, at, to);
    note.irregular |= static_cast<std::uint64_t>(is_irregular_unit(scale, zeros)) << bit;
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
