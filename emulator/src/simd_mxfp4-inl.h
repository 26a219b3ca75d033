// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_mxfp4-inl.h: FP32 to MXFP4 at the speed of memory; included once for each
// target.
// An element needs no more than the upper half of its FP32 pattern and whether the lower half is
// zero: that sticky bit goes into the lowest bit of the upper half, which is below every bound and
// every tie of E2M1. Both orders, of magnitudes and of bounds, survive: x < y gives word(x) <= word(y).
#if defined(MX_SIMD_MXFP4_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_INL_H
#undef MX_SIMD_MXFP4_INL_H
#else
#define MX_SIMD_MXFP4_INL_H
#endif

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "mxfp4_run.h"

// SSE2 has no table of bytes, and less than that nothing to gain.
#undef MX_SIMD_MXFP4
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
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
constexpr int group_blocks = 16;                       ///< what one vector of bounds serves
constexpr int group_bytes = group_blocks * mxfp4::size / 2;

/// Fields of a word: sign, exponent from bit 7, fraction of six bits and the sticky bit.
constexpr int fraction_bits = 7;
/// Below this scale byte FP32's subnormals are no longer dead: the core takes such blocks.
constexpr int first_easy_scale = 4;

/// Words of 2 * lanes elements, those of the first and second vector by turns.
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

/// What a group's blocks are quantized with.
struct group_scales {
  HWY_ALIGN std::uint16_t floor[2 * group_blocks];  ///< twice: from words, 1/8 scale plus one
  HWY_ALIGN std::uint8_t bytes[group_blocks];
  bool easy;  ///< false: some blocks must go through the core
};

/// Scale bytes from the largest words. Where amax is subnormal its exponent field is 0, and the byte
/// is 0 as it must be.
HWY_INLINE void choose_scales(const std::uint16_t* largest, const rule_bounds& bounds,
                              group_scales& out) {
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
    // An unsigned comparison: at least raise_from where nothing is left of the difference.
    const auto missing = hn::SaturatedSub(raise_from, fraction);
    const auto raised = hn::Sub(one, hn::Min(missing, one));
    const auto field = hn::Add(hn::ShiftRight<fraction_bits>(word), raised);
    const auto byte =
        hn::SaturatedSub(field, hn::Set(d, static_cast<std::uint16_t>(bounds.lowered)));
    const auto above = hn::SaturatedSub(byte, hn::Set(d, 3));
    const auto floor = hn::Add(hn::ShiftLeft<fraction_bits>(above), one);
    hn::StoreInterleaved2(floor, floor, d, out.floor + 2 * i);
    hn::StoreU(hn::TruncateTo(d8, byte), d8, out.bytes + i);
    // Hard: a word, but a scale of at most 3; or a NaN or an Inf.
    const auto low = hn::Min(hn::SaturatedSub(hn::Set(d, first_easy_scale), byte), word);
    hard = hn::Or3(hard, low, hn::SaturatedSub(word, hn::Set(d, 0x7F7F)));
  }
  out.easy = hn::AllTrue(d, hn::Eq(hard, hn::Zero(d)));
}

/// Where |x| / scale lies among the bounds: in 1/32 quarters of a binade from 1/8 on. A tie that goes
/// down to an even code is moved below its bound by the one that floor holds more; where it goes up,
/// and the fraction's highest bit is set, it stays.
HWY_INLINE words rest_of(words w, words floor) {
  const U16 d;
  const words magnitude = hn::And(w, hn::Set(d, 0x7FFF));
  const auto upper = hn::TestBit(w, hn::Set(d, 0x40));
  return hn::SaturatedSub(magnitude, hn::IfThenElse(upper, hn::Sub(floor, hn::Set(d, 1)), floor));
}

/// Codes of two vectors of words, by turns in bytes.
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

/// Packed codes of four vectors of words, in the order of the elements.
HWY_INLINE hn::Vec<U8> packed(words first, words second) {
  const U8 d8;
  const U32 d32;
  const U64 d;
  // In 64 bits: elements 2j and 2j + 1 of eight vectors of FP32, whose codes meet in one byte.
  const auto low = hn::BitCast(d, first), high = hn::BitCast(d, second);
  const auto even = hn::Or(low, hn::ShiftRight<28>(low));
  const auto odd = hn::Or(hn::ShiftLeft<32>(high), hn::ShiftLeft<4>(high));
  const auto dense = hn::OddEven(hn::BitCast(d32, odd), hn::BitCast(d32, even));
  // In 32 bits of that the parts of FP32 vectors 0, 2, 1, 3 and 4, 6, 5, 7.
  HWY_ALIGN static constexpr std::uint8_t order[16] = {0, 8,  2, 10, 1, 9,  3, 11,
                                                       4, 12, 6, 14, 5, 13, 7, 15};
  const auto bytes = hn::TableLookupBytes(hn::BitCast(d8, dense), hn::LoadDup128(d8, order));
  // Now 16 bits in each 128 hold one vector's elements; the vectors' parts are brought together.
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

/// Values are fetched so many bytes ahead of their use, whatever lies there: into the second-level
/// cache, which has room for many more requests at a time than the first, and from there into the
/// first. Distances of whole pages cost a tenth of the speed, hence the line more.
constexpr std::uintptr_t far_ahead = 8192 + 64, near_ahead = 1024 + 64;

/// One cache line.
HWY_INLINE void fetch(const float* x) {
  const auto at = reinterpret_cast<std::uintptr_t>(x);
  __builtin_prefetch(reinterpret_cast<const void*>(at + far_ahead), 0, 2);
  __builtin_prefetch(reinterpret_cast<const void*>(at + near_ahead), 0, 3);
}

/// Blocks by the core, whose rules the compiler sees with constants here.
HWY_NOINLINE int through_core(const float* x, scale_rule rule, std::uint8_t* codes,
                              std::uint8_t* scales, int count) {
  const quantization q{block_formats::mxfp4, rule};
  int special = 0;
  for (int b = 0; b < count; ++b) {
    std::uint8_t unpacked_codes[mxfp4::size];
    float values[mxfp4::size];
    std::memcpy(values, x + b * mxfp4::size, sizeof values);
    const chosen_scale scale = quantize_block(q, values, no_tensor_scale, 0, unpacked_codes);
    for (int k = 0; k < mxfp4::size / 2; ++k) {
      codes[b * mxfp4::size / 2 + k] =
          static_cast<std::uint8_t>(unpacked_codes[2 * k] | unpacked_codes[2 * k + 1] << 4);
    }
    scales[b] = static_cast<std::uint8_t>(scale.code);
    special += scale.special ? 1 : 0;
  }
  return special;
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

/// A group between its two steps: its words, and what its blocks are quantized with.
struct group {
  HWY_ALIGN std::uint16_t w[group_blocks * mxfp4::size];
  words largest[4];
  group_scales scales;
};

constexpr int quarter_blocks = group_blocks / 4;
constexpr int quarter_words = quarter_blocks * block_words;  ///< vectors of words

/// The first step of a quarter: words, and the largest ones.
template <storing How>
HWY_INLINE void read_quarter(const float* x, int quarter, group& g) {
  const U16 d;
  words m[quarter_blocks];
#pragma GCC unroll 4
  for (int b = 0; b < quarter_blocks; ++b) {
    const int at = (quarter * quarter_blocks + b) * mxfp4::size;
    if constexpr (How == storing::streamed) {
      fetch(x + at);
      fetch(x + at + 16);
    }
#pragma GCC unroll 4
    for (int v = 0; v < block_words; ++v) {
      const words some = words_of(x + at + v * word_lanes);
      hn::Store(some, d, g.w + at + v * word_lanes);
      const words magnitude = hn::And(some, hn::Set(d, 0x7FFF));
      m[b] = v == 0 ? magnitude : hn::Max(m[b], magnitude);
    }
  }
  g.largest[quarter] = largest_of_four(m);
}

HWY_INLINE void choose_scales(const rule_bounds& bounds, group& g) {
  HWY_ALIGN std::uint16_t largest[group_blocks];
  store_largest(folded(U64(), g.largest[0], g.largest[1]),
                folded(U64(), g.largest[2], g.largest[3]), largest);
  choose_scales(largest, bounds, g.scales);
}

/// The second step of a quarter.
template <storing How>
HWY_INLINE void write_quarter(const group& g, int quarter, std::uint8_t* codes) {
  const U16 d;
#pragma GCC unroll 4
  for (int v = quarter * quarter_words; v < (quarter + 1) * quarter_words; v += 4) {
    const auto at = [&](int k) { return hn::Load(d, g.w + (v + k) * word_lanes); };
    const auto floor = [&](int k) {
      std::uint32_t two;
      std::memcpy(&two, g.scales.floor + (v + k) / block_words * 2, sizeof two);
      return hn::BitCast(d, hn::Set(U32(), two));
    };
    store<How>(packed(codes_of(at(0), at(1), floor(0), floor(1)),
                      codes_of(at(2), at(3), floor(2), floor(3))),
               codes + v * word_lanes / 2);
  }
}

/// Bytes past the caches where whole lines of 64 are written.
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

/// Blocks whose scales are collected before they are written.
constexpr std::uint64_t piece_blocks = 4096;

/// The first step of group `next` between the quarters of the second step of group `now`: what waits
/// for memory and what computes are then never far apart.
template <storing How>
HWY_INLINE void both_steps(const group& now, std::uint8_t* codes, const float* x, group& next) {
#pragma GCC unroll 4
  for (int quarter = 0; quarter < 4; ++quarter) {
    read_quarter<How>(x, quarter, next);
    write_quarter<How>(now, quarter, codes);
  }
}

/// Up to piece_blocks blocks, whole groups. Returns the special ones.
template <storing How>
std::int64_t quantize_piece(const mxfp4_run& run, const rule_bounds& bounds) {
  group groups[2];
  std::int64_t special = 0;
  for (int quarter = 0; quarter < 4; ++quarter) read_quarter<How>(run.x, quarter, groups[0]);
  choose_scales(bounds, groups[0]);
  for (std::uint64_t b = 0; b < run.blocks; b += group_blocks) {
    const group& now = groups[b / group_blocks % 2];
    group& next = groups[1 - b / group_blocks % 2];
    // After the last group its values are read once more, for nothing.
    const std::uint64_t ahead = std::min(b + group_blocks, run.blocks - group_blocks);
    const float* x = run.x + b * mxfp4::size;
    std::uint8_t* codes = run.codes + b * mxfp4::size / 2;
    both_steps<How>(now, codes, run.x + ahead * mxfp4::size, next);
    std::memcpy(run.scales + b, now.scales.bytes, group_blocks);
    if (HWY_UNLIKELY(!now.scales.easy)) {
      // NaN or Inf somewhere, or a scale below first_easy_scale. What is streamed goes first.
      if constexpr (How == storing::streamed) hwy::FlushStream();
      special += through_core(x, run.rule, codes, run.scales + b, group_blocks);
    }
    choose_scales(bounds, next);
  }
  return special;
}

/// Whole groups.
template <storing How>
std::int64_t quantize_groups(const mxfp4_run& run, std::uint64_t blocks) {
  const rule_bounds bounds = rule_bounds_of(formats::e2m1, run.rule);
  HWY_ALIGN std::uint8_t collected[piece_blocks];
  std::int64_t special = 0;
  for (std::uint64_t first = 0; first < blocks; first += piece_blocks) {
    const std::uint64_t count = std::min(piece_blocks, blocks - first);
    std::uint8_t* scales = How == storing::streamed ? collected : run.scales + first;
    special += quantize_piece<How>({run.x + first * mxfp4::size, count, run.rule, run.how,
                                    run.codes + first * mxfp4::size / 2, scales},
                                   bounds);
    if constexpr (How == storing::streamed) stream_bytes(collected, count, run.scales + first);
  }
  return special;
}

HWY_INLINE mxfp4_run from(mxfp4_run run, std::uint64_t first) {
  run.x += first * mxfp4::size;
  run.codes += first * mxfp4::size / 2;
  run.scales += first;
  run.blocks -= first;
  return run;
}

}  // namespace mxfp4_kernel

std::int64_t mxfp4_blocks(const mxfp4_run& run) {
  namespace kernel = mxfp4_kernel;
  if (run.rule == scale_rule::floor6) return -1;
  const auto misaligned = reinterpret_cast<std::uintptr_t>(run.codes) % 64;
  const bool streamed = run.how == storing::streamed && misaligned % 16 == 0;
  const auto head = static_cast<int>(
      streamed ? std::min<std::uint64_t>((64 - misaligned) % 64 / 16, run.blocks) : 0);
  std::int64_t special = kernel::through_core(run.x, run.rule, run.codes, run.scales, head);
  const mxfp4_run rest = kernel::from(run, static_cast<std::uint64_t>(head));
  const std::uint64_t whole = rest.blocks - rest.blocks % kernel::group_blocks;
  if (streamed) {
    special += kernel::quantize_groups<storing::streamed>(rest, whole);
    hwy::FlushStream();
  } else {
    special += kernel::quantize_groups<storing::cached>(rest, whole);
  }
  const mxfp4_run tail = kernel::from(rest, whole);
  return special + kernel::through_core(tail.x, tail.rule, tail.codes, tail.scales,
                                        static_cast<int>(tail.blocks));
}

#else

std::int64_t mxfp4_blocks(const mxfp4_run&) { return -1; }

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
