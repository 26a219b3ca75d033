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

#if HWY_TARGET != HWY_SCALAR

using pair_words = hn::CappedTag<std::uint16_t, 32>;
using pair_bytes = hn::Rebind<std::uint8_t, pair_words>;

/// Bytes of two codes, the first in the low bits.
HWY_INLINE hn::Vec<pair_bytes> pairs_of(hn::Vec<hn::Repartition<std::uint8_t, pair_words>> codes) {
  const pair_words d;
  const auto two = hn::BitCast(d, codes);
  return hn::TruncateTo(pair_bytes(),
                        hn::And(hn::Or(two, hn::ShiftRight<4>(two)), hn::Set(d, 0xFF)));
}

/// Whether vectors of pairs may be streamed to an address.
[[nodiscard]] inline bool may_stream_pairs(storing how, const std::uint8_t* out) {
  return how == storing::streamed &&
         reinterpret_cast<std::uintptr_t>(out) % hn::MaxLanes(pair_bytes()) == 0;
}

#endif

/// Two codes a byte, the first in the low bits.
HWY_INLINE void store_pairs(const std::uint8_t* codes, std::uint64_t pairs, storing how,
                            std::uint8_t* out) {
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const pair_bytes d;
  constexpr std::uint64_t at_once = hn::MaxLanes(d);
  const bool streamed = may_stream_pairs(how, out);
  for (; i + at_once <= pairs; i += at_once) {
    const hn::Repartition<std::uint8_t, pair_words> bytes;
    const auto some = pairs_of(hn::LoadU(bytes, codes + 2 * i));
    if (streamed) {
      hn::Stream(some, d, out + i);
    } else {
      hn::StoreU(some, d, out + i);
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
