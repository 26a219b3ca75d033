// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_blocks-inl.h: blocks of any element format on vectors; included once for each
// target. Equals mx::quantize_block.
#if defined(MX_SIMD_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCKS_INL_H
#undef MX_SIMD_BLOCKS_INL_H
#else
#define MX_SIMD_BLOCKS_INL_H
#endif

#include <algorithm>

#include "block_batch.h"
#include "mxfp4_run.h"
#include "simd_random-inl.h"
#include "simd_rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using rounding_kernel::element_rounder;
using rounding_kernel::I32;
using rounding_kernel::lanes;
using rounding_kernel::rounding_class;
using rounding_kernel::sign_style;
using rounding_kernel::U32;
using rounding_kernel::Vi;
using F32 = hn::RebindToFloat<I32>;

constexpr int magnitude_mask = 0x7FFFFFFF;

HWY_INLINE Vi load_bits(const float* x) { return hn::BitCast(I32(), hn::LoadU(F32(), x)); }

HWY_INLINE void store_codes(Vi codes, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, I32> d;
  hn::StoreU(hn::TruncateTo(d, hn::BitCast(U32(), codes)), d, out);
}

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

/// Magnitudes under a power of two: a pattern of binary32 is one already.
struct shifted {
  static constexpr int fraction = 23;
  int one;  ///< exponent field of the pattern that stands for 1

  HWY_INLINE explicit shifted(const chosen_scale& scale) : one(static_cast<int>(scale.code)) {}
  HWY_INLINE Vi pattern(Vi bits) const { return hn::And(bits, hn::Set(I32(), magnitude_mask)); }
};

#if HWY_TARGET != HWY_SCALAR

/// |x| * denominator / numerator, rounded to binary64: the upper half of its pattern, and whether the
/// lower half is zero as the lowest bit.
/// The quotient's bounds and ties have at most 1 + m + 8 bits, m the element's fraction bits, and a
/// binary64 number for each: a quotient beside a bound b is |x| d - b n of b n away from it, an
/// integer of 1 over one of at most 16 + 33 bits, so that rounding it does not move it onto b.
struct divided {
  static constexpr int fraction = 20;
  using F32Half = hn::Half<F32>;
  using F64 = hn::Rebind<double, F32Half>;
  using U64 = hn::RebindToUnsigned<F64>;
  static constexpr int one = 1023;
  double numerator, denominator;

  HWY_INLINE explicit divided(const chosen_scale& scale)
      : numerator(value(scale.ratio.numerator)), denominator(value(scale.ratio.denominator)) {}

  HWY_INLINE Vi pattern(Vi bits) const {
    const auto magnitude = hn::BitCast(F32(), hn::And(bits, hn::Set(I32(), magnitude_mask)));
    const hn::Half<U32> half;
    return hn::BitCast(
        I32(), hn::Combine(U32(), hn::TruncateTo(half, upper(hn::UpperHalf(F32Half(), magnitude))),
                           hn::TruncateTo(half, upper(hn::LowerHalf(magnitude)))));
  }

 private:
  /// Exactly: the significand has at most 33 bits, the exponent is far from binary64's ends.
  static double value(const unpacked& v) {
    const auto power = static_cast<std::uint64_t>(v.exponent + 1023) << 52;
    return static_cast<double>(v.significand) * __builtin_bit_cast(double, power);
  }
  HWY_INLINE hn::Vec<U64> upper(hn::Vec<F32Half> magnitude) const {
    const F64 d;
    const U64 du;
    const auto product = hn::Mul(hn::PromoteTo(d, magnitude), hn::Set(d, denominator));
    const auto bits = hn::BitCast(du, hn::Div(product, hn::Set(d, numerator)));
    const auto low = hn::Set(du, 0xFFFFFFFF);
    const auto sticky = hn::ShiftRight<32>(hn::Add(hn::And(bits, low), low));
    return hn::Or(hn::ShiftRight<32>(bits), sticky);
  }
};

#endif

/// Codes of elements under a scale.
template <sign_style Style, rounding_class Class, class Scale>
HWY_INLINE void round_elements(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, std::uint8_t* codes) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const Vi code = round.template magnitude<Class>(scale.pattern(bits), lowest);
    store_codes(round.template with_sign<Style>(code, bits), codes + i);
  }
}

/// Random numbers from their bytes: the upper bits of 8, 16 or 32.
template <int Width>
HWY_INLINE Vi load_random(const std::uint8_t* bytes, std::uint64_t i) {
  const U32 d;
  if constexpr (Width == 8) {
    const hn::Rebind<std::uint8_t, U32> narrow;
    return hn::BitCast(I32(), hn::PromoteTo(d, hn::LoadU(narrow, bytes + i)));
  } else if constexpr (Width == 16) {
    const hn::Rebind<std::uint16_t, U32> narrow;
    const auto* words = reinterpret_cast<const std::uint16_t*>(bytes);
    return hn::BitCast(I32(), hn::PromoteTo(d, hn::LoadU(narrow, words + i)));
  } else {
    return hn::BitCast(I32(), hn::LoadU(d, reinterpret_cast<const std::uint32_t*>(bytes) + i));
  }
}

/// Codes with random rounding.
///   drawn  from a random_stream
template <sign_style Style, int Width, class Scale>
HWY_INLINE void round_randomly(const element_rounder<Scale::fraction>& round, const Scale& scale,
                               const float* x, std::uint64_t count, const std::uint8_t* drawn,
                               std::uint8_t* codes) {
  const Vi lowest = round.lowest_field(scale.one);
#pragma GCC unroll 2
  for (std::uint64_t i = 0; i < count; i += lanes) {
    const Vi bits = load_bits(x + i);
    const Vi random = round.top_bits(load_random<Width>(drawn, i), Width);
    const Vi code = round.magnitude(scale.pattern(bits), lowest, random);
    store_codes(round.template with_sign<Style>(code, bits), codes + i);
  }
}

enum class way : std::uint8_t { core, shift, division };

HWY_INLINE way way_of(const quantization& q) {
  const block_format& f = q.format;
  if (f.element.fraction_bits < 1 || q.rounding == rounding::away_from_zero) return way::core;
  if (f.scale == formats::e8m0 && f.tensor == tensor_scaling::none &&
      f.precision == scale_precision::stored) {
    return way::shift;
  }
  const bool many_bits = q.rounding == rounding::stochastic && q.random.bits > 8;
  return HWY_TARGET == HWY_SCALAR || many_bits ? way::core : way::division;
}

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

/// Quantizes the blocks of one batch.
template <sign_style Style, class Scale>
class block_quantizer {
 public:
  explicit block_quantizer(const quantization& q)
      : q_(q),
        simple_rule_(Scale::fraction == shifted::fraction &&
                     (is_power_of_two_rule(q.rule) || q.rule == scale_rule::static_four)),
        round_(q.format.element, q.rounding, q.random.bits),
        stream_(q.random) {
    if (simple_rule_) bounds_ = rule_bounds_of(q.format.element, q.rule);
  }

  /// Returns the number of special blocks.
  int all(const block_batch& batch) {
    int special = 0;
    if (!simple_rule_) {
      for (int b = 0; b < batch.count; ++b) special += unusual_block(batch, b, amax_of(batch, b));
      return special;
    }
    for (int b = 0; b < batch.count; b += part_blocks) {
      special += simple_blocks(batch, b, std::min(part_blocks, batch.count - b));
    }
    return special;
  }

 private:
  static constexpr std::uint32_t smallest_normal = 0x00800000;
  static constexpr int part_blocks = 64;

  static HWY_INLINE std::uint32_t amax_of(const block_batch& batch, int b) {
    return largest_bits(batch.x + static_cast<std::uint64_t>(b) * batch.stride, batch.stride);
  }

  /// Blocks whose scale follows from amax's pattern, and among them those that are no such blocks.
  int simple_blocks(const block_batch& batch, int first, int count) {
    // A part that is not full ends with blocks that nothing is wrong with.
    HWY_ALIGN std::uint32_t amax[part_blocks];
    HWY_ALIGN std::uint32_t codes[part_blocks];
    std::fill_n(amax, part_blocks, bits_of(1.0F));
    largest_of_blocks(batch, first, count, amax);
    const int first_usual = first_usual_code();
    const bool unusual = power_of_two_scales(bounds_, first_usual, amax, part_blocks, codes);
    std::copy_n(codes, count, batch.scales + first);
    round_blocks(batch, first, count);
    if (HWY_LIKELY(!unusual)) return 0;
    int special = 0;
    for (int b = 0; b < count; ++b) {
      const bool usual = amax[b] >= smallest_normal && amax[b] <= formats::binary32.max_code() &&
                         static_cast<int>(codes[b]) >= first_usual;
      if (!usual) special += unusual_block(batch, first + b, amax[b]);
    }
    return special;
  }

  static HWY_INLINE void largest_of_blocks(const block_batch& batch, int first, int count,
                                           std::uint32_t* amax) {
    int b = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; b + 4 <= count; b += 4) {
      if (batch.how == storing::streamed) {
        fetch(batch.x + static_cast<std::uint64_t>(first + b) * batch.stride, 4 * batch.stride);
      }
      largest_of_four(batch.x + static_cast<std::uint64_t>(first + b) * batch.stride, batch.stride,
                      amax + b);
    }
#endif
    for (; b < count; ++b) amax[b] = amax_of(batch, first + b);
  }

  void round_blocks(const block_batch& batch, int first, int count) {
    if (batch.stride == 32) return round_blocks_of<32>(batch, first, count);
    round_blocks_of<0>(batch, first, count);
  }

  /// Stride  of the batch, where the compiler shall know it; else 0
  template <int Stride>
  HWY_INLINE void round_blocks_of(const block_batch& batch, int first, int count) {
    const std::uint64_t stride = Stride > 0 ? Stride : batch.stride;
    const element_rounder<Scale::fraction> round = round_;  // codes cannot point into it
    const block_batch in = batch;
    for (int b = first; b < first + count; ++b) {
      const std::uint64_t at = static_cast<std::uint64_t>(b) * stride;
      const chosen_scale scale{in.scales[b], false, {unpacked::finite(false, 1, 0)}};
      round_block(round, Scale(scale), in.x + at, stride, in.first + static_cast<std::uint64_t>(b),
                  in.codes + at);
    }
  }

  /// Special blocks, zeros, and scales that take more than a look at amax.
  HWY_NOINLINE int unusual_block(const block_batch& batch, int b, std::uint32_t amax) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const float* x = batch.x + at;
    std::uint8_t* codes = batch.codes + at;
    if (amax > formats::binary32.max_code()) {
      batch.scales[b] = q_.format.scale.nan_code();
      std::fill_n(codes, batch.stride, std::uint8_t{0});
      return 1;
    }
    const chosen_scale scale = scale_of(q_, x, q_.format.size(), unpack(batch.tensor_scales[b]));
    batch.scales[b] = scale.code;
    if (amax == 0 || scale.ratio.numerator.is_zero()) {
      zero_elements(x, batch.stride, codes);
    } else {
      quantize_under(scale, x, batch.stride, batch.first + static_cast<std::uint64_t>(b), codes);
    }
    return 0;
  }

  /// Signed zeros: what everything is under a scale of zero.
  void zero_elements(const float* x, std::uint64_t count, std::uint8_t* codes) const {
    for (std::uint64_t i = 0; i < count; i += lanes) {
      store_codes(round_.template with_sign<Style>(hn::Zero(I32()), load_bits(x + i)), codes + i);
    }
  }

  HWY_INLINE void quantize_under(const chosen_scale& scale, const float* x, std::uint64_t count,
                                 std::uint64_t number, std::uint8_t* codes) {
    if (Scale::fraction == shifted::fraction && static_cast<int>(scale.code) < first_usual_code()) {
      quantize_block(q_, x, no_tensor_scale, number, codes);
    } else {
      round_block(round_, Scale(scale), x, count, number, codes);
    }
  }

  HWY_INLINE void round_block(const element_rounder<Scale::fraction>& round, const Scale& scale,
                              const float* x, std::uint64_t count, std::uint64_t number,
                              std::uint8_t* codes) {
    if (q_.rounding == rounding::ties_to_even) {
      return round_elements<Style, rounding_class::to_even>(round, scale, x, count, codes);
    }
    if (q_.rounding != rounding::stochastic) {
      return round_elements<Style, rounding_class::plain>(round, scale, x, count, codes);
    }
    constexpr std::uint64_t most = random_kernel::random_stream::most;
    const std::uint64_t first = number * static_cast<std::uint64_t>(q_.format.size());
    for (std::uint64_t i = 0; i < count; i += most) {
      const std::uint64_t length = std::min(most, count - i);
      const std::uint8_t* drawn = stream_.at(first + i, length);
      switch (elements_a_word(q_.random.bits)) {
        case 4:
          round_randomly<Style, 8>(round, scale, x + i, length, drawn, codes + i);
          break;
        case 2:
          round_randomly<Style, 16>(round, scale, x + i, length, drawn, codes + i);
          break;
        default:
          round_randomly<Style, 32>(round, scale, x + i, length, drawn, codes + i);
      }
    }
  }

  /// The smallest scale code under which FP32's subnormals are dead, with up to 24 random bits too:
  /// they are below 2^(1 - code) scales. Their hidden bit would be missed.
  HWY_INLINE int first_usual_code() const {
    const int last_place = q_.format.element.emin() - q_.format.element.fraction_bits;
    return 1 - last_place + 25;
  }

  const quantization& q_;
  bool simple_rule_;  ///< the scale follows from amax's pattern
  rule_bounds bounds_;
  element_rounder<Scale::fraction> round_;
  random_kernel::random_stream stream_;
};

}  // namespace block_kernel

template <class Scale>
int batch_with(const quantization& q, const block_batch& batch) {
  using block_kernel::block_quantizer;
  using block_kernel::sign_style;
  switch (rounding_kernel::style_of(q.format.element)) {
    case sign_style::own:
      return block_quantizer<sign_style::own, Scale>(q).all(batch);
    case sign_style::none_zero:
      return block_quantizer<sign_style::none_zero, Scale>(q).all(batch);
    case sign_style::negated:
      return block_quantizer<sign_style::negated, Scale>(q).all(batch);
  }
  return -1;
}

int batch_on_vectors(const quantization& q, const block_batch& batch) {
  switch (block_kernel::way_of(q)) {
    case block_kernel::way::shift:
      return batch_with<block_kernel::shifted>(q, batch);
    case block_kernel::way::division:
#if HWY_TARGET != HWY_SCALAR
      return batch_with<block_kernel::divided>(q, batch);
#endif
    case block_kernel::way::core:
      break;
  }
  return -1;
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
