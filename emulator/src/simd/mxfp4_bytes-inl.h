// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4_bytes-inl.h: codes into bytes, and bytes into memory; included once for
// each target.
#if defined(MX_SIMD_MXFP4_BYTES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_BYTES_INL_H
#undef MX_SIMD_MXFP4_BYTES_INL_H
#else
#define MX_SIMD_MXFP4_BYTES_INL_H
#endif

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "simd/mxfp4_words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

/// Packed codes of four vectors of words, in the order of the elements.
HWY_INLINE hn::Vec<U8> packed(words first, words second) {
  const U8 d8;
  const U32 d32;
  const U64 d;
  // In each 64 bits: elements 2j and 2j + 1 of eight vectors of FP32, whose codes share one byte.
  const auto low = hn::BitCast(d, first), high = hn::BitCast(d, second);
  const auto even = hn::Or(low, hn::ShiftRight<28>(low));
  const auto odd = hn::Or(hn::ShiftLeft<32>(high), hn::ShiftLeft<4>(high));
  const auto dense = hn::OddEven(hn::BitCast(d32, odd), hn::BitCast(d32, even));
  // In each 32 bits of that: the parts of FP32 vectors 0, 2, 1, 3 and 4, 6, 5, 7.
  HWY_ALIGN static constexpr std::uint8_t order[16] = {0, 8,  2, 10, 1, 9,  3, 11,
                                                       4, 12, 6, 14, 5, 13, 7, 15};
  const auto bytes = hn::TableLookupBytes(hn::BitCast(d8, dense), hn::LoadDup128(d8, order));
  // Now each 16 of 128 bits hold one vector's elements; a permutation joins the vectors' parts.
#if HWY_TARGET <= HWY_AVX3
  HWY_ALIGN static constexpr std::uint16_t across[32] = {0,  8,  16, 24, 1,  9,  17, 25, 2,  10, 18,
                                                         26, 3,  11, 19, 27, 4,  12, 20, 28, 5,  13,
                                                         21, 29, 6,  14, 22, 30, 7,  15, 23, 31};
  const U16 d16;
  return hn::Vec<U8>{_mm512_permutexvar_epi16(hn::Load(d16, across).raw, bytes.raw)};
#elif HWY_TARGET == HWY_AVX2
  const hn::Half<U16> half;
  const auto lower = hn::BitCast(half, hn::LowerHalf(hn::Half<U8>(), bytes));
  const auto upper = hn::BitCast(half, hn::UpperHalf(hn::Half<U8>(), bytes));
  return hn::BitCast(d8, hn::Combine(U16(), hn::InterleaveUpper(half, lower, upper),
                                     hn::InterleaveLower(half, lower, upper)));
#else
  return bytes;
#endif
}

template <storing How>
HWY_INLINE void store(hn::Vec<U8> v, std::uint8_t* to) {
  const U8 d;
  if constexpr (How == storing::streamed) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

/// Streams bytes past the caches in whole lines of 64.
HWY_INLINE void stream_bytes(const std::uint8_t* bytes, std::uint64_t count, std::uint8_t* to) {
  const U8 d;
  const std::uint64_t head =
      std::min<std::uint64_t>(-reinterpret_cast<std::uintptr_t>(to) % 64, count);
  std::memcpy(to, bytes, head);
  std::uint64_t i = head;
  for (; i + 64 <= count; i += 64) {
    for (std::uint64_t k = 0; k < 64; k += hn::MaxLanes(d)) {
      hn::Stream(hn::LoadU(d, bytes + i + k), d, to + i + k);
    }
  }
  std::memcpy(to + i, bytes + i, count - i);
}

}  // namespace mxfp4_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
