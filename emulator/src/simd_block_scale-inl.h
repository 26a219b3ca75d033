// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_block_scale-inl.h: largest magnitudes of blocks, and the powers of two that follow
// from them as scales; included once for each target. Equals mx::scale_code_of where amax is no
// subnormal.
#if defined(MX_SIMD_BLOCK_SCALE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_SCALE_INL_H
#undef MX_SIMD_BLOCK_SCALE_INL_H
#else
#define MX_SIMD_BLOCK_SCALE_INL_H
#endif

#include <cstdint>

#include "mxfp4_run.h"
#include "simd_rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using rounding_kernel::I32;
using rounding_kernel::lanes;
using rounding_kernel::Vi;
using F32 = hn::RebindToFloat<I32>;

constexpr int magnitude_mask = 0x7FFFFFFF;

HWY_INLINE Vi load_bits(const float* x) { return hn::BitCast(I32(), hn::LoadU(F32(), x)); }

/// Fetches what will be wanted two parts of blocks later into the second-level cache, a line more
/// than whole pages ahead as in simd_mxfp4-inl.h.
HWY_INLINE void fetch(const float* x, std::uint64_t count) {
  const auto at = reinterpret_cast<std::uintptr_t>(x) + 2 * 8192 + 64;
  for (std::uint64_t line = 0; line < count * sizeof(float); line += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line), 0, 2);
  }
}

/// Largest magnitudes of a block, one in each lane.
HWY_INLINE Vi largest_lanes(const float* x, std::uint64_t count) {
  const I32 d;
  Vi largest = hn::Zero(d);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    largest = hn::Max(largest, hn::And(load_bits(x + i), hn::Set(d, magnitude_mask)));
  }
  return largest;
}

/// Largest magnitude of a block, as a pattern: above FLT_MAX's where a NaN or an Inf is among them.
HWY_INLINE std::uint32_t largest_bits(const float* x, std::uint64_t count) {
  return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(I32(), largest_lanes(x, count))));
}

#if HWY_TARGET != HWY_SCALAR

template <class D>
HWY_INLINE Vi folded(D d, Vi a, Vi b) {
  const auto left = hn::BitCast(d, a), right = hn::BitCast(d, b);
  return hn::Max(hn::BitCast(I32(), hn::InterleaveLower(d, left, right)),
                 hn::BitCast(I32(), hn::InterleaveUpper(d, left, right)));
}

template <class D>
HWY_INLINE hn::Vec<hn::Half<D>> halves_folded(D d, hn::Vec<D> v) {
  const hn::Half<D> half;
  return hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
}

/// largest_bits of four blocks.
HWY_INLINE void largest_of_four(const float* x, std::uint64_t stride, std::uint32_t* out) {
  const I32 d;
  const hn::Repartition<std::int64_t, I32> d64;
  const Vi a = folded(d, largest_lanes(x, stride), largest_lanes(x + stride, stride));
  const Vi b =
      folded(d, largest_lanes(x + 2 * stride, stride), largest_lanes(x + 3 * stride, stride));
  const Vi all = folded(d64, a, b);  // once in every 128 bits
  const hn::CappedTag<std::int32_t, 4> four;
  auto* to = reinterpret_cast<std::int32_t*>(out);
#if HWY_TARGET <= HWY_AVX3
  hn::StoreU(halves_folded(hn::Half<I32>(), halves_folded(d, all)), four, to);
#elif HWY_TARGET == HWY_AVX2
  hn::StoreU(halves_folded(d, all), four, to);
#else
  hn::StoreU(all, four, to);
#endif
}

#endif

/// Scale codes of blocks under E8M0; as mx::scale_code_of where amax is no subnormal.
///   first_usual  smallest code that is not unusual
///   returns      whether a block is unusual: NaN, Inf, a subnormal amax or zero, a low scale
HWY_INLINE bool power_of_two_scales(const rule_bounds& bounds, int first_usual,
                                    const std::uint32_t* amax, int count, std::uint32_t* codes) {
  const I32 d;
  Vi unusual = hn::Zero(d);
  for (int b = 0; b < count; b += lanes) {
    const Vi a = hn::Load(d, reinterpret_cast<const std::int32_t*>(amax + b));
    const Vi fraction = hn::And(a, hn::Set(d, 0x7FFFFF));
    const Vi below =
        hn::BroadcastSignBit(hn::Sub(fraction, hn::Set(d, static_cast<int>(bounds.raise_from))));
    const Vi field = hn::Add(hn::ShiftRight<23>(a), hn::Add(below, hn::Set(d, 1)));
    const Vi code = hn::Min(hn::Max(hn::Sub(field, hn::Set(d, bounds.lowered)), hn::Zero(d)),
                            hn::Set(d, 2 * e8m0::bias));
    hn::Store(code, d, reinterpret_cast<std::int32_t*>(codes + b));
    // Signs are all that counts.
    const Vi low = hn::Sub(code, hn::Set(d, first_usual));
    const Vi high = hn::Sub(hn::Set(d, 0x7F7FFFFF), a);
    unusual = hn::Or(unusual, hn::Or(low, hn::Or(high, hn::Sub(a, hn::Set(d, 0x00800000)))));
  }
  return !hn::AllFalse(d, hn::Lt(unusual, hn::Zero(d)));
}

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
