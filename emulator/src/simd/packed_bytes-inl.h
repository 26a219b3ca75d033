// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/packed_bytes-inl.h: bytes of four consecutive vectors of elements, by the
// instructions that pack pairs of vectors; included once for each target.
// In each 128 bits, packed bytes are four of each vector by turns: vectors_in_order() puts them in
// order.
#if defined(MX_SIMD_PACKED_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_PACKED_BYTES_INL_H
#undef MX_SIMD_PACKED_BYTES_INL_H
#else
#define MX_SIMD_PACKED_BYTES_INL_H
#endif

#include "simd/byte_codes-inl.h"

// AVX2 and AVX-512.
#undef MX_SIMD_PACKED_BYTES
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
#define MX_SIMD_PACKED_BYTES 1
#else
#define MX_SIMD_PACKED_BYTES 0
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_PACKED_BYTES

/// Lanes saturated to 16 bits.
HWY_INLINE halves packed_lanes(Vi a, Vi b) {
  const I16 d;
  return hn::BitCast(U16(), hn::ReorderDemote2To(d, a, b));
}

/// Signs of numbers, each in the highest bit of a byte.
HWY_INLINE byte_vector packed_signs(const V (&x)[4]) {
  const I32 d;
  const halves low = packed_lanes(hn::BitCast(d, x[0]), hn::BitCast(d, x[1]));
  const halves high = packed_lanes(hn::BitCast(d, x[2]), hn::BitCast(d, x[3]));
#if HWY_CAP_GE512
  return byte_vector{_mm512_packs_epi16(low.raw, high.raw)};
#else
  return byte_vector{_mm256_packs_epi16(low.raw, high.raw)};
#endif
}

#if HWY_CAP_GE512

/// Lower halves of lanes in the order of packed_lanes.
HWY_INLINE halves packed_lower_halves(Vi a, Vi b) {
  HWY_ALIGN static constexpr std::uint16_t numbers[32] = {
      0,  2,  4,  6,  32, 34, 36, 38, 8,  10, 12, 14, 40, 42, 44, 46,
      16, 18, 20, 22, 48, 50, 52, 54, 24, 26, 28, 30, 56, 58, 60, 62};
  const halves at = hn::Load(U16(), numbers);
  return halves{_mm512_permutex2var_epi16(a.raw, at.raw, b.raw)};
}

/// Lower halves of lanes, not above 255.
HWY_INLINE byte_vector packed_bytes(const Vi (&v)[4]) {
  const halves low = packed_lower_halves(v[0], v[1]), high = packed_lower_halves(v[2], v[3]);
  return byte_vector{_mm512_packus_epi16(low.raw, high.raw)};
}

#else

/// Lanes from 0 to 255.
HWY_INLINE byte_vector packed_bytes(const Vi (&v)[4]) {
  const halves low = packed_lanes(v[0], v[1]), high = packed_lanes(v[2], v[3]);
  return byte_vector{_mm256_packus_epi16(low.raw, high.raw)};
}

#endif

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
