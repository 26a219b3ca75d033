// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/pairs-inl.h: pairs of codes to bytes; included once for each target.
#if defined(MX_SIMD_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_PAIRS_INL_H
#undef MX_SIMD_PAIRS_INL_H
#else
#define MX_SIMD_PAIRS_INL_H
#endif

#include "hwy/cache_control.h"
#include "simd/vectors-inl.h"
#include "tensor/block_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

/// Two codes a byte, the first in the low bits.
HWY_INLINE void store_pairs(const std::uint8_t* codes, std::uint64_t pairs, storing how,
                            std::uint8_t* out) {
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint16_t, 32> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  constexpr std::uint64_t at_once = hn::MaxLanes(d);
  const bool streamed =
      how == storing::streamed && reinterpret_cast<std::uintptr_t>(out) % at_once == 0;
  for (; i + at_once <= pairs; i += at_once) {
    const hn::Repartition<std::uint8_t, decltype(d)> bytes;
    const auto two = hn::BitCast(d, hn::LoadU(bytes, codes + 2 * i));
    const auto one = hn::And(hn::Or(two, hn::ShiftRight<4>(two)), hn::Set(d, 0xFF));
    const auto narrow = hn::TruncateTo(d8, one);
    if (streamed) {
      hn::Stream(narrow, d8, out + i);
    } else {
      hn::StoreU(narrow, d8, out + i);
    }
  }
#else
  static_cast<void>(how);
#endif
  for (; i < pairs; ++i) {
    out[i] = static_cast<std::uint8_t>(codes[2 * i] | codes[2 * i + 1] << 4);
  }
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
