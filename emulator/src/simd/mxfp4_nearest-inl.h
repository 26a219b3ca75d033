// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4_nearest-inl.h: words to the nearest codes of E2M1, ties to even; included
// once for each target.
#if defined(MX_SIMD_MXFP4_NEAREST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_NEAREST_INL_H
#undef MX_SIMD_MXFP4_NEAREST_INL_H
#else
#define MX_SIMD_MXFP4_NEAREST_INL_H
#endif

#include <cstring>

#include "simd/mxfp4_scales-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

/// Position of |x| / scale among the bounds: in 1/32 quarters of a binade from 1/8 on. A tie that
/// rounds down to an even code is moved below its bound by the extra one in floor; one that rounds
/// up, with the fraction's highest bit set, is unchanged.
HWY_INLINE words rest_of(words w, words floor) {
  const U16 d;
  const words magnitude = hn::And(w, hn::Set(d, 0x7FFF));
  const auto upper = hn::TestBit(w, hn::Set(d, 0x40));
  return hn::SaturatedSub(magnitude, hn::IfThenElse(upper, hn::Sub(floor, hn::Set(d, 1)), floor));
}

/// Codes of two vectors of words, interleaved in bytes.
/// In quarters of a binade: below 4 is code 0; to 9: 1; to 12: 2; to 14: 3; to 16: 4; to 18: 5;
/// to 20: 6; then 7. |x| < 8 * scale, under every rule but floor6, so 23 is the last.
HWY_INLINE words codes_of(words a, words b, words floor_a, words floor_b) {
  const U8 d;
  const U16 d16;
  const auto places =
      hn::BitCast(d, hn::OrAnd(hn::ShiftRight<5>(rest_of(a, floor_a)),
                               hn::ShiftLeft<3>(rest_of(b, floor_b)), hn::Set(d16, 0xFF00)));
  HWY_ALIGN static constexpr std::uint8_t steps[16] = {1, 1, 2, 2, 2, 3, 3, 4,
                                                       4, 5, 5, 6, 6, 7, 7, 7};
  const auto table = hn::LoadDup128(d, steps);
  const auto index = hn::SaturatedSub(places, hn::Set(d, 8));
  const auto size =
      hn::Min(hn::TableLookupBytes(table, index), hn::SaturatedSub(places, hn::Set(d, 3)));
  const words signs = hn::OrAnd(hn::ShiftRight<8>(a), b, hn::Set(d16, 0xFF00));
  return hn::OrAnd(hn::BitCast(d16, size), hn::ShiftRight<4>(signs), hn::Set(d16, 0x0808));
}

/// Rounds to nearest-even.
class nearest {
 public:
  /// Below this scale byte FP32's subnormals may be alive.
  static constexpr int first_easy_scale = 4;
  static constexpr bool waits_for_memory = true;

  explicit HWY_INLINE nearest(const random_source& /*none*/) {}
  HWY_INLINE void begin(const group& /*next*/) {}

  /// Codes of vectors v and v + 1 of a group's words, interleaved in bytes.
  [[nodiscard]] HWY_INLINE words codes(const group& g, int v) const {
    return codes_of(word_vector(g, v), word_vector(g, v + 1), floor(g, v), floor(g, v + 1));
  }

 private:
  static HWY_INLINE words floor(const group& g, int v) {
    std::uint32_t two;
    std::memcpy(&two, g.scales.floor + v / block_words * 2, sizeof two);
    return hn::BitCast(U16(), hn::Set(U32(), two));
  }
};

}  // namespace mxfp4_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
