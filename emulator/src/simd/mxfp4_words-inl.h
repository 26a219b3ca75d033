// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4_words-inl.h: FP32 elements reduced to words of 16 bits, and the largest
// of every block; included once for each target.
// An element needs no more than the upper half of its FP32 pattern and whether the lower half is
// zero: that sticky bit goes into the lowest bit of the upper half, which is below every bound and
// every tie of E2M1. Both orders, of magnitudes and of bounds, survive: x < y gives word(x) <=
// word(y).
#if defined(MX_SIMD_MXFP4_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_WORDS_INL_H
#undef MX_SIMD_MXFP4_WORDS_INL_H
#else
#define MX_SIMD_MXFP4_WORDS_INL_H
#endif

#include "hwy/highway.h"
#include "tensor/mxfp4_run.h"

// SSE2 has no table of bytes, and smaller targets gain nothing.
#undef MX_SIMD_MXFP4
#if HWY_TARGET == HWY_SCALAR
#define MX_SIMD_MXFP4 0
#elif defined(HWY_SSE2) && HWY_TARGET == HWY_SSE2
#define MX_SIMD_MXFP4 0
#else
#define MX_SIMD_MXFP4 1
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using U8 = hn::CappedTag<std::uint8_t, 64>;
using U16 = hn::Repartition<std::uint16_t, U8>;
using U32 = hn::Repartition<std::uint32_t, U8>;
using U64 = hn::Repartition<std::uint64_t, U8>;
using words = hn::Vec<U16>;

constexpr int word_lanes = static_cast<int>(hn::MaxLanes(U16()));
constexpr int block_words = mxfp4::size / word_lanes;  ///< vectors of words in a block: 1, 2 or 4
constexpr int group_blocks = 16;                       ///< blocks served by one vector of bounds

/// Fields of a word: sign, exponent from bit 7, fraction of six bits and the sticky bit.
constexpr int fraction_bits = 7;

/// Words of 2 * lanes elements, those of the first and second vector interleaved.
HWY_INLINE words words_of(const float* x) {
  const U8 d8;
  const U16 d;
  const hn::Repartition<float, U8> df;
  HWY_ALIGN static constexpr std::uint8_t exchange[16] = {2,  3,  0, 1, 6,  7,  4,  5,
                                                          10, 11, 8, 9, 14, 15, 12, 13};
  const auto order = hn::LoadDup128(d8, exchange);
  const auto a = hn::BitCast(d8, hn::LoadU(df, x));
  const auto b = hn::BitCast(d8, hn::LoadU(df, x + word_lanes / 2));
  const U32 d32;
  const words aw = hn::BitCast(d, a), bw = hn::BitCast(d, b);
  const words own = hn::OddEven(bw, aw);  // lower half of a, upper half of b
  const words other =
      hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, hn::OddEven(aw, bw)), order));
  const words first = hn::Min(own, hn::BitCast(d, hn::Set(d32, 0xFFFF0001)));
  const words second = hn::Min(other, hn::BitCast(d, hn::Set(d32, 0x0001FFFF)));
  return hn::Or(first, second);
}

/// Of BF16, whose numbers are words.
HWY_INLINE words words_of(const std::uint16_t* x) {
  const U32 d;
  const hn::Rebind<std::uint16_t, U32> half;
  const auto first = hn::PromoteTo(d, hn::LoadU(half, x));
  const auto second = hn::PromoteTo(d, hn::LoadU(half, x + word_lanes / 2));
  return hn::BitCast(U16(), hn::Or(first, hn::ShiftLeft<16>(second)));
}

template <class D>
HWY_INLINE words folded(D d, words a, words b) {
  const U16 u;
  const auto left = hn::BitCast(d, a), right = hn::BitCast(d, b);
  return hn::Max(hn::BitCast(u, hn::InterleaveLower(d, left, right)),
                 hn::BitCast(u, hn::InterleaveUpper(d, left, right)));
}

/// The largest of each of four blocks, in every 64 bits.
HWY_INLINE words largest_of_four(const words (&m)[4]) {
  return folded(U32(), folded(U16(), m[0], m[1]), folded(U16(), m[2], m[3]));
}

/// Largest words of the group's blocks, in their order.
HWY_INLINE void store_largest(words first, words second, std::uint16_t* out) {
  const U16 d;
#if HWY_TARGET <= HWY_AVX3
  const words halves =
      hn::Max(hn::ConcatLowerLower(d, second, first), hn::ConcatUpperUpper(d, second, first));
  const words whole = hn::Max(halves, hn::SwapAdjacentBlocks(halves));
  const hn::Half<U16> half;
  const hn::Half<decltype(half)> quarter;
  hn::StoreU(hn::LowerHalf(quarter, hn::LowerHalf(half, whole)), quarter, out);
  hn::StoreU(hn::LowerHalf(quarter, hn::UpperHalf(half, whole)), quarter, out + 8);
#elif HWY_TARGET == HWY_AVX2
  hn::StoreU(
      hn::Max(hn::ConcatLowerLower(d, second, first), hn::ConcatUpperUpper(d, second, first)), d,
      out);
#else
  hn::StoreU(first, d, out);
  hn::StoreU(second, d, out + 8);
#endif
}

}  // namespace mxfp4_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
