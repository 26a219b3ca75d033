// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4_scales-inl.h: scale bytes of groups of MXFP4 blocks; included once for
// each target.
#if defined(MX_SIMD_MXFP4_SCALES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_SCALES_INL_H
#undef MX_SIMD_MXFP4_SCALES_INL_H
#else
#define MX_SIMD_MXFP4_SCALES_INL_H
#endif

#include "simd/mxfp4_words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

/// Constants of a group for quantizing its blocks.
struct group_scales {
  HWY_ALIGN std::uint16_t floor[2 * group_blocks];  ///< twice: from words, 1/8 scale plus one
  HWY_ALIGN std::uint8_t bytes[group_blocks];
  bool easy;  ///< false: some blocks must go through the core
};

/// Scale bytes from the largest words. If amax is subnormal its exponent field is 0, and so is the
/// byte, as required.
///   first_easy  the core handles a block below this scale byte, unless it is zero
HWY_INLINE void choose_scales(const std::uint16_t* largest, const rule_bounds& bounds,
                              int first_easy, group_scales& out) {
  const hn::CappedTag<std::uint16_t, group_blocks> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto raise_from =
      hn::Set(d, static_cast<std::uint16_t>((bounds.raise_from >> 16) |
                                            ((bounds.raise_from & 0xFFFF) != 0 ? 1 : 0)));
  const auto one = hn::Set(d, 1);
  auto hard = hn::Zero(d);
  for (std::size_t i = 0; i < group_blocks; i += hn::MaxLanes(d)) {
    const auto word = hn::LoadU(d, largest + i);
    const auto fraction = hn::And(word, hn::Set(d, 0x7F));
    // An unsigned comparison: nonzero if the fraction is below raise_from.
    const auto missing = hn::SaturatedSub(raise_from, fraction);
    const auto raised = hn::Sub(one, hn::Min(missing, one));
    const auto field = hn::Add(hn::ShiftRight<fraction_bits>(word), raised);
    const auto byte =
        hn::SaturatedSub(field, hn::Set(d, static_cast<std::uint16_t>(bounds.lowered)));
    const auto above = hn::SaturatedSub(byte, hn::Set(d, 3));
    const auto floor = hn::Add(hn::ShiftLeft<fraction_bits>(above), one);
    hn::StoreInterleaved2(floor, floor, d, out.floor + 2 * i);
    hn::StoreU(hn::TruncateTo(d8, byte), d8, out.bytes + i);
    // Hard: a nonzero block with a scale below first_easy; or a NaN or an Inf.
    const auto low =
        hn::Min(hn::SaturatedSub(hn::Set(d, static_cast<std::uint16_t>(first_easy)), byte), word);
    hard = hn::Or3(hard, low, hn::SaturatedSub(word, hn::Set(d, 0x7F7F)));
  }
  out.easy = hn::AllTrue(d, hn::Eq(hard, hn::Zero(d)));
}

/// A group between its two steps: its words, and the constants of its blocks.
///   x      its elements
///   first  number of its first element in the tensor
///   x  FP32 or BF16
struct group {
  const void* x;
  std::uint64_t first;
  HWY_ALIGN std::uint16_t w[group_blocks * mxfp4::size];
  words largest[4];
  group_scales scales;
};

HWY_INLINE words word_vector(const group& g, int v) {
  return hn::Load(U16(), g.w + v * word_lanes);
}

}  // namespace mxfp4_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
