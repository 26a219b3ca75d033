// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/byte_codes-inl.h: codes of four consecutive vectors of elements, with their
// signs, to bytes in the order of the elements; included once for each target.
#if defined(MX_SIMD_BYTE_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BYTE_CODES_INL_H
#undef MX_SIMD_BYTE_CODES_INL_H
#else
#define MX_SIMD_BYTE_CODES_INL_H
#endif

#include "simd/rounding-inl.h"

// SSE2 has no table of bytes.
#undef MX_SIMD_BYTE_CODES
#if HWY_TARGET == HWY_SCALAR
#define MX_SIMD_BYTE_CODES 0
#elif defined(HWY_SSE2) && HWY_TARGET == HWY_SSE2
#define MX_SIMD_BYTE_CODES 0
#else
#define MX_SIMD_BYTE_CODES 1
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_BYTE_CODES

using rounding_kernel::sign_style;
using U16 = hn::Repartition<std::uint16_t, I32>;
using I16 = hn::RebindToSigned<U16>;
using U8 = hn::Repartition<std::uint8_t, I32>;
using halves = hn::Vec<U16>;
using byte_vector = hn::Vec<U8>;

/// Elements whose codes fill a vector of bytes.
constexpr int byte_lanes = 4 * lanes;

/// Lower halves of lanes: those of a in even lanes of 16 bits, those of b in odd ones; and upper
/// halves.
#if HWY_TARGET <= HWY_AVX3
template <int Upper>
HWY_INLINE halves halves_by_turns(Vi a, Vi b) {
  HWY_ALIGN std::uint16_t numbers[2 * lanes];
  for (int i = 0; i < 2 * lanes; ++i) {
    numbers[i] = static_cast<std::uint16_t>(i / 2 * 2 + Upper + i % 2 * 2 * lanes);
  }
  const halves at = hn::Load(U16(), numbers);
  return halves{_mm512_permutex2var_epi16(a.raw, at.raw, b.raw)};
}
HWY_INLINE halves lower_halves(Vi a, Vi b) { return halves_by_turns<0>(a, b); }
HWY_INLINE halves upper_halves(Vi a, Vi b) { return halves_by_turns<1>(a, b); }
#else
HWY_INLINE halves lower_halves(Vi a, Vi b) {
  const U16 d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(b)), hn::BitCast(d, a));
}
HWY_INLINE halves upper_halves(Vi a, Vi b) {
  const U16 d;
  return hn::OddEven(hn::BitCast(d, b), hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(U32(), a))));
}
#endif

/// Shifts by the same number of places, which AVX-512 has as one instruction with a vector of them.
HWY_INLINE halves shifted_right(halves v, int places) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Shr(v, hn::Set(U16(), static_cast<std::uint16_t>(places)));
#else
  return hn::ShiftRightSame(v, places);
#endif
}
HWY_INLINE halves shifted_left(halves v, int places) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Shl(v, hn::Set(U16(), static_cast<std::uint16_t>(places)));
#else
  return hn::ShiftLeftSame(v, places);
#endif
}

/// Lanes of 32 bits that in each 128 bits are one of each of four vectors, in the order of those.
HWY_INLINE byte_vector vectors_in_order(byte_vector by_turns) {
  constexpr int turns = lanes / 4;
  if constexpr (turns == 1) return by_turns;
  HWY_ALIGN std::int32_t order[lanes];
  for (int i = 0; i < lanes; ++i) order[i] = i % turns * 4 + i / turns;
  const auto across = hn::SetTableIndices(I32(), order);
  return hn::BitCast(U8(), hn::TableLookupLanes(hn::BitCast(I32(), by_turns), across));
}

/// Bytes of lanes of 32 bits that hold elements of vectors 0, 2, 1, 3, in the order of the
/// elements.
HWY_INLINE byte_vector in_order(byte_vector v) {
  HWY_ALIGN static constexpr std::uint8_t together[16] = {0, 4, 8, 12, 2, 6, 10, 14,
                                                          1, 5, 9, 13, 3, 7, 11, 15};
  return vectors_in_order(hn::TableLookupBytes(v, hn::LoadDup128(U8(), together)));
}

/// Lower bytes of the first, upper bytes of the second.
HWY_INLINE byte_vector bytes_by_turns(halves lower, halves upper) {
  const U8 d;
  return hn::OddEven(hn::BitCast(d, upper), hn::BitCast(d, lower));
}

/// Bytes of codes from those of magnitudes and of signs, of an element format with a sign bit, for
/// zeros too or not.
template <sign_style Style>
HWY_INLINE byte_vector signed_bytes(byte_vector size, byte_vector signs, byte_vector sign) {
  if constexpr (Style == sign_style::own) return hn::OrAnd(size, signs, sign);
  const auto zero = hn::Eq(size, hn::Zero(U8()));
  return hn::Or(size, hn::IfThenZeroElse(zero, hn::And(signs, sign)));
}

/// Codes from words that have a magnitude's code in the lower byte, and the sign above.
class signs_of_words {
 public:
  explicit HWY_INLINE signs_of_words(const format& f)
      : largest_(hn::Set(U8(), static_cast<std::uint8_t>(f.max_code()))),
        sign_(hn::Set(U8(), static_cast<std::uint8_t>(f.sign_mask()))),
        down_(8 + f.fraction_bits - (f.width() - 1)),
        up_(8 - down_) {}

  /// Saturated.
  ///   first, second  of vectors 0 and 1, 2 and 3, by turns; the sign is bit 8 + fraction bits;
  ///                  those of unusual blocks may be any
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(halves first, halves second) const {
    const byte_vector size = hn::Min(bytes_by_turns(first, hn::ShiftLeft<8>(second)), largest_);
    const byte_vector signs =
        bytes_by_turns(shifted_right(first, down_), shifted_left(second, up_));
    return in_order(signed_bytes<Style>(size, signs, sign_));
  }

 private:
  byte_vector largest_, sign_;
  int down_, up_;
};

/// Saturated codes in twos complement, of sums with an anchor that have the multiple in their low
/// bits.
class complements {
 public:
  explicit HWY_INLINE complements(const format& f)
      : largest_(hn::Set(I16(), static_cast<std::int16_t>(f.max_code()))),
        mask_(hn::Set(U16(), static_cast<std::uint16_t>(2 * f.sign_mask() - 1))) {}

  HWY_INLINE byte_vector bytes(const Vi (&sums)[4]) const {
    const halves first = saturated(lower_halves(sums[0], sums[1]));
    const halves second = saturated(lower_halves(sums[2], sums[3]));
    return in_order(hn::BitCast(U8(), hn::Or(first, hn::ShiftLeft<8>(second))));
  }

 private:
  HWY_INLINE halves saturated(halves codes) const {
    const auto least = hn::Neg(largest_);
    const auto inside = hn::Min(hn::Max(hn::BitCast(I16(), codes), least), largest_);
    return hn::And(hn::BitCast(U16(), inside), mask_);
  }

  hn::Vec<I16> largest_;
  halves mask_;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
