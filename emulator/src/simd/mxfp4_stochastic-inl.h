// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4_stochastic-inl.h: elements to codes of E2M1 with random bits; included
// once for each target.
#if defined(MX_SIMD_MXFP4_STOCHASTIC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_STOCHASTIC_INL_H
#undef MX_SIMD_MXFP4_STOCHASTIC_INL_H
#else
#define MX_SIMD_MXFP4_STOCHASTIC_INL_H
#endif

#include <algorithm>

#include "simd/mxfp4_scales-inl.h"
#include "simd/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

/// Highway's conversions correct values beyond int32; none occur here.
HWY_INLINE hn::Vec<hn::Repartition<std::int32_t, U8>> truncated(
    hn::Vec<hn::Repartition<float, U8>> v) {
  using I32 = hn::Repartition<std::int32_t, U8>;
#if HWY_TARGET <= HWY_AVX3
  return hn::Vec<I32>{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<I32>{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(I32(), v);
#endif
}

/// Rounds with up to 8 random bits an element. The code as a function of |x| is linear between the
/// codes of E2M1: with u = |x| / scale it is min(2 u, u + 2, u / 2 + 4), a place among the codes.
/// 256 times that, truncated to an integer, plus a random byte: the code is the part above the
/// lower eight bits. Fewer random bits are the upper ones of both.
class stochastic {
 public:
  /// From this scale byte on a subnormal FP32 |x| has 512 u < 1, and so has an |x| whose product
  /// with 512 / scale is subnormal: whether the processor flushes them changes nothing.
  static constexpr int first_easy_scale = 11;
  static constexpr bool waits_for_memory = false;

  explicit HWY_INLINE stochastic(const random_source& from)
      : stream_(from), kept_(hn::Set(U8(), upper_bits(from.bits))) {
    HWY_ALIGN std::uint32_t order[dwords];
    for (int i = 0; i < dwords; ++i) order[i] = static_cast<std::uint32_t>(i % 4 * lanes + i / 4);
    order_ = hn::Load(U32(), order);
  }

  /// Draws the random bits of a group.
  HWY_INLINE void begin(const group& next) {
    drawn_ = stream_.at(next.first, group_blocks * mxfp4::size);
  }

  /// Codes of vectors v and v + 1 of a group's words, interleaved in bytes.
  [[nodiscard]] HWY_INLINE words codes(const group& g, int v) const {
    const U8 d;
    const U16 d16;
    const words low_byte = hn::Set(d16, 0x00FF), random = random_words(drawn_ + v * word_lanes);
    const words a = hn::Add(place(g, v), hn::And(random, low_byte));
    const words b = hn::Add(place(g, v + 1), hn::ShiftRight<8>(random));
    const auto whole = hn::BitCast(d, by_turns(a, b));
    const words size = hn::BitCast(d16, hn::Min(whole, hn::Set(d, 7)));
    const words signs = by_turns(word_vector(g, v), word_vector(g, v + 1));
    return hn::OrAnd(size, hn::ShiftRight<4>(signs), hn::Set(d16, 0x0808));
  }

 private:
  using F32 = hn::Repartition<float, U8>;
  using I16 = hn::RebindToSigned<U16>;
  static constexpr int dwords = static_cast<int>(hn::MaxLanes(U32()));
  static constexpr int lanes = dwords / 4;  ///< number of 128-bit parts

  static constexpr std::uint8_t upper_bits(int bits) {
    return static_cast<std::uint8_t>(0xFF00 >> bits);
  }

  /// Upper bytes of words, interleaved.
  static HWY_INLINE words by_turns(words a, words b) {
    return hn::OrAnd(hn::ShiftRight<8>(a), b, hn::Set(U16(), 0xFF00));
  }

  /// 512 / scale of a block. A scale byte of 0 means zeros here: any finite factor will do.
  static HWY_INLINE hn::Vec<F32> factor(const group& g, int v) {
    constexpr std::uint32_t one = 127, field_of_512 = 127 + 9, largest = 254;
    const std::uint32_t byte = g.scales.bytes[v / block_words];
    return hn::BitCast(F32(), hn::Set(U32(), std::min(field_of_512 + one - byte, largest) << 23));
  }

  /// 256 times the places of vector v's elements, truncated to integers and to the random bits:
  /// |x| < 8 scale, so that 512 u has 12 bits. Products with a power of two are exact.
  HWY_INLINE words place(const group& g, int v) const {
    const U16 d;
    const F32 df;
    const float* x = static_cast<const float*>(g.x) + v * word_lanes;
    const auto by = factor(g, v);
    const auto first = truncated(hn::Mul(hn::LoadU(df, x), by));
    const auto second = truncated(hn::Mul(hn::LoadU(df, x + word_lanes / 2), by));
    const auto both =
        hn::OddEven(hn::BitCast(I16(), hn::ShiftLeft<16>(second)), hn::BitCast(I16(), first));
    const words u = hn::BitCast(d, hn::Abs(both));
    // (u + 1) / 2 + n, cut, is u / 2 + n + 1/2, cut: rounded means of u and of 2 * 512 - 1, and of
    // that and of 2 * 1024 - 512 - 1.
    const words from_two = hn::AverageRound(u, hn::Set(d, 2 * 2 * 256 - 1));
    const words from_four = hn::AverageRound(from_two, hn::Set(d, 2 * 4 * 256 - 2 * 256 - 1));
    const words kept = hn::Or(hn::BitCast(d, kept_), hn::Set(d, 0xFF00));
    return hn::And(hn::Min(u, hn::Min(from_two, from_four)), kept);
  }

  /// Random bytes in the order of the codes: byte k of 128 bits' dwords 0, 2, 1, 3 together, since
  /// a vector of words interleaves its first and second vector of FP32, and bytes interleave two
  /// vectors of words.
  HWY_INLINE words random_words(const std::uint8_t* drawn) const {
    const U8 d;
    HWY_ALIGN static constexpr std::uint8_t turns[16] = {0, 8,  4, 12, 1, 9,  5, 13,
                                                         2, 10, 6, 14, 3, 11, 7, 15};
    const auto quarters = hn::TableLookupLanes(hn::BitCast(U32(), hn::LoadU(d, drawn)),
                                               hn::IndicesFromVec(U32(), order_));
    const auto bytes = hn::TableLookupBytes(hn::BitCast(d, quarters), hn::LoadDup128(d, turns));
    return hn::BitCast(U16(), hn::And(bytes, kept_));
  }

  random_kernel::random_stream stream_;
  hn::Vec<U8> kept_;    ///< mask of the random bits of a byte
  hn::Vec<U32> order_;  ///< fourths of a vector, 32 bits of each interleaved
  const std::uint8_t* drawn_ = nullptr;
};

}  // namespace mxfp4_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
