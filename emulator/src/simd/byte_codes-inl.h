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

/// Lower halves of lanes: those of a in even lanes of 16 bits, those of b in odd ones.
HWY_INLINE halves lower_halves(Vi a, Vi b) {
  const U16 d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(b)), hn::BitCast(d, a));
}
/// Upper halves in the same order.
HWY_INLINE halves upper_halves(Vi a, Vi b) {
  const U16 d;
  return hn::OddEven(hn::BitCast(d, b), hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(U32(), a))));
}

/// Bytes of lanes of 32 bits that hold elements of vectors 0, 2, 1, 3, in the order of the elements.
HWY_INLINE byte_vector in_order(byte_vector v) {
  const U8 d;
  HWY_ALIGN static constexpr std::uint8_t together[16] = {0, 4, 8, 12, 2, 6, 10, 14,
                                                          1, 5, 9, 13, 3, 7, 11, 15};
  const byte_vector quarters = hn::TableLookupBytes(v, hn::LoadDup128(d, together));
  if constexpr (lanes == 4) {
    return quarters;
  } else {
    HWY_ALIGN std::int32_t order[lanes];
    for (int i = 0; i < lanes; ++i) order[i] = i % (lanes / 4) * 4 + i / (lanes / 4);
    const auto across = hn::SetTableIndices(I32(), order);
    return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(I32(), quarters), across));
  }
}

/// Codes of an element format with a sign bit, for zeros too or not, or in twos complement.
template <sign_style Style>
class code_bytes {
 public:
  explicit HWY_INLINE code_bytes(const format& f)
      : largest_(hn::Set(U8(), static_cast<std::uint8_t>(f.max_code()))),
        sign_(hn::Set(U8(), static_cast<std::uint8_t>(f.sign_mask()))),
        below_sign_(8 - f.width()) {}

  /// Saturated codes with the signs of the elements.
  ///   first, second  words of the magnitudes' codes: of vectors 0 and 1, and 2 and 3; those of
  ///                  unusual blocks may be any
  ///   bits           the elements
  HWY_INLINE byte_vector of(halves first, halves second, const Vi (&bits)[4]) const {
    const U8 d;
    const auto codes = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<8>(second)), hn::BitCast(d, first));
    const halves low = upper_halves(bits[0], bits[1]), high = upper_halves(bits[2], bits[3]);
    const halves upper = hn::OrAnd(hn::ShiftRight<8>(low), high, hn::Set(U16(), 0xFF00));
    const auto moved = hn::BitCast(d, hn::ShiftRightSame(upper, below_sign_));
    const byte_vector size = hn::Min(codes, largest_);
    if constexpr (Style == sign_style::own) return in_order(hn::OrAnd(size, moved, sign_));
    const auto zero = hn::Eq(size, hn::Zero(d));
    return in_order(hn::Or(size, hn::IfThenZeroElse(zero, hn::And(moved, sign_))));
  }

 private:
  byte_vector largest_, sign_;
  int below_sign_;
};

/// A sum with an anchor has the multiple in twos complement in its low bits.
template <>
class code_bytes<sign_style::negated> {
 public:
  explicit HWY_INLINE code_bytes(const format& f)
      : largest_(hn::Set(I16(), static_cast<std::int16_t>(f.max_code()))),
        mask_(hn::Set(U16(), static_cast<std::uint16_t>(2 * f.sign_mask() - 1))) {}

  ///   first, second  words of the codes with their signs
  HWY_INLINE byte_vector of(halves first, halves second, const Vi (&)[4]) const {
    return in_order(
        hn::BitCast(U8(), hn::Or(saturated(first), hn::ShiftLeft<8>(saturated(second)))));
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
