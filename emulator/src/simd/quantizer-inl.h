// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/quantizer-inl.h: MXFP4 quantizers on vectors; included once for each target.
// Two shapes share all code: along a row a block fills whole vectors and its scale is the same in
// all lanes; along columns every lane is a block of its own.
#if defined(MX_SIMD_QUANTIZER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_QUANTIZER_INL_H
#undef MX_SIMD_QUANTIZER_INL_H
#else
#define MX_SIMD_QUANTIZER_INL_H
#endif

#include "mx/tensor/fused-inl.h"
#include "simd/rule_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::CappedTag<float, 16>;
using I32 = hn::RebindToSigned<F32>;
using F32Half = hn::Half<F32>;
using F64 = hn::Rebind<double, F32Half>;
using I64 = hn::RebindToSigned<F64>;
using V = hn::Vec<F32>;
using Vi = hn::Vec<I32>;
using W = hn::Vec<F64>;
using Wi = hn::Vec<I64>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(F32()));

enum class axis { row, column };

/// Both halves of a vector, widened to binary64.
struct wide {
  W low, high;
};

HWY_INLINE wide widen(V v) {
  const F64 d;
  return {hn::PromoteTo(d, hn::LowerHalf(v)), hn::PromoteTo(d, hn::UpperHalf(F32Half(), v))};
}

/// RNE32 of both halves.
HWY_INLINE V narrow(W low, W high) {
  const F32Half half;
  return hn::Combine(F32(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// Nearest multiple of the E2M1 grid times a power of two, ties to even, saturated.
///   magnitude  not negative      exponent_field  of the scale, in place
/// Below 2 * scale the grid has the pitch scale / 2, above it is half the binade of the magnitude.
/// Adding 1.5 * 2^(pitch + bits) leaves the multiple of the pitch in the low bits: the hardware
/// rounds to nearest, ties to the even multiple, and 1.5 * 2^bits is itself even.
HWY_INLINE V to_grid(V magnitude, Vi exponent_field) {
  const F32 d;
  const I32 di;
  const Vi binade = hn::And(hn::BitCast(di, magnitude), hn::Set(di, 0x7F800000));
  const Vi top = hn::Add(hn::Max(binade, exponent_field), hn::Set(di, (22 << 23) | 0x400000));
  const V anchor = hn::BitCast(d, top);
  const V largest = hn::BitCast(d, hn::Add(exponent_field, hn::Set(di, (2 << 23) | 0x400000)));
  return hn::Min(hn::Sub(hn::Add(magnitude, anchor), anchor), largest);
}

HWY_INLINE W to_grid(W magnitude, Wi exponent_field) {
  const F64 d;
  const I64 di;
  const Wi binade = hn::And(hn::BitCast(di, magnitude), hn::Set(di, 0x7FF0000000000000));
  const Wi larger = hn::IfThenElse(hn::Gt(binade, exponent_field), binade, exponent_field);
  const W anchor =
      hn::BitCast(d, hn::Add(larger, hn::Set(di, (std::int64_t{51} << 52) | 0x8000000000000)));
  const W largest = hn::BitCast(
      d, hn::Add(exponent_field, hn::Set(di, (std::int64_t{2} << 52) | 0x8000000000000)));
  return hn::Min(hn::Sub(hn::Add(magnitude, anchor), anchor), largest);
}

/// Exponent fields of blocks' scales, from their largest magnitudes. Equals mx::shared_scale if the
/// rule has bounds: a carry out of the fraction adds one from the rule's bound on.
class scale_fields {
 public:
  HWY_INLINE explicit scale_fields(scale_rule rule)
      : carry_(static_cast<int>(of_rule(rule, 23).carry(23))),
        wide_carry_(static_cast<std::int64_t>(of_rule(rule, 52).carry(52))),
        lowered_(of_rule(rule, 23).lowered) {}

  /// The field of a scale is its byte, shifted. A subnormal amax has the field 0: with a carry it
  /// is 1 at most, below the amount subtracted, and the scale is the smallest, as required.
  HWY_INLINE Vi of(V amax) const {
    const I32 di;
    const Vi raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, carry_));
    const Vi field = hn::And(raised, hn::Set(di, 0x7F800000));
    return hn::Max(hn::Sub(field, hn::Set(di, lowered_ << 23)), hn::Zero(di));
  }

  /// The same in binary64 for a product of an FP32 amax and a macro-block factor, which is exact.
  HWY_INLINE Wi of(W amax) const {
    const I64 di;
    const Wi raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, wide_carry_));
    const Wi field = hn::And(raised, hn::Set(di, 0x7FF0000000000000));
    const Wi lowered = hn::Sub(field, hn::Set(di, std::int64_t{lowered_} << 52));
    const Wi smallest = hn::Set(di, std::int64_t{1023 - 127} << 52);
    return hn::IfThenElse(hn::Gt(lowered, smallest), lowered, smallest);
  }

 private:
  [[nodiscard]] static rule_bounds of_rule(scale_rule rule, int fraction_bits) {
    return rule_bounds_of(formats::e2m1, has_rule_bounds(rule) ? rule : scale_rule::floor,
                          fraction_bits);
  }

  int carry_;
  std::int64_t wide_carry_;
  int lowered_;
};

/// The doubled element g of Q*, one of 0, 1, 2, 3, 4, 6, 8, 12, as a binary32 number.
/// The j-th step is taken where |x| > m_j amax / 6 (or >=, where the tie goes up). A binary32 |x|
/// and m_j amax / 6 are equal or differ by more than 2^-30 of their size, so moving the bound by
/// 2^-40 turns both kinds of tie into a plain comparison, and neither its two roundings nor the
/// cut of the bound to binary32 can change a decision.
struct ideal_bounds {
  Vi bound[7];

  HWY_INLINE explicit ideal_bounds(V amax) {
    constexpr double quarters[7] = {1, 3, 5, 7, 10, 14, 20};
    const wide m = widen(amax);
    for (int j = 0; j < 7; ++j) {
      const double nudge = j % 2 == 0 ? 1 + 0x1p-40 : 1 - 0x1p-40;
      const W step = hn::Set(F64(), quarters[j] / 24 * nudge);
      bound[j] = cut(hn::Mul(m.low, step), hn::Mul(m.high, step));
    }
  }

  /// Bit patterns of the largest binary32 numbers that are not above the bounds.
  static HWY_INLINE Vi cut(W low, W high) {
    const V nearest = narrow(low, high);
    const wide back = widen(nearest);
    const F64 d;
    const V above = narrow(hn::IfThenElseZero(hn::Gt(back.low, low), hn::Set(d, 1)),
                           hn::IfThenElseZero(hn::Gt(back.high, high), hn::Set(d, 1)));
    const I32 di;
    // 1.0f has its exponent's lowest bit at position 23; shifted down that is a one.
    const Vi one = hn::And(hn::ShiftRight<23>(hn::BitCast(di, above)), hn::Set(di, 1));
    return hn::Sub(hn::BitCast(di, nearest), one);
  }

  HWY_INLINE V doubled_element(V magnitude) const {
    constexpr float steps[7] = {1, 1, 1, 1, 2, 2, 4};
    const F32 d;
    const Vi bits = hn::BitCast(I32(), magnitude);
    V sum = hn::Zero(d);
    for (int j = 0; j < 7; ++j) {
      const auto passed = hn::RebindMask(d, hn::Gt(bits, bound[j]));
      sum = hn::Add(sum, hn::IfThenElseZero(passed, hn::Set(d, steps[j])));
    }
    return sum;
  }
};

/// Constants of one block for quantizing its elements, without corrections.
struct plain_block {
  Vi field;
  HWY_INLINE plain_block(const scale_fields& fields, V amax) : field(fields.of(amax)) {}
  HWY_INLINE V operator()(V x) const { return hn::CopySign(to_grid(hn::Abs(x), field), x); }
};

/// A quantizer with some parts of its error switched off; equals mx::inject and mx::operate.
struct toggled_block {
  Vi field;
  V amax, six_scales;
  ideal_bounds ideal;
  bool injected, scale, deadzone, grid, clip;

  HWY_INLINE toggled_block(const operand_format& f, const scale_fields& fields, V largest)
      : field(fields.of(largest)),
        amax(largest),
        six_scales(hn::BitCast(F32(), hn::Add(field, hn::Set(I32(), (2 << 23) | 0x400000)))),
        ideal(largest),
        injected(f.toggle == toggle::injection),
        scale(contains(f.parts, component::scale)),
        deadzone(contains(f.parts, component::deadzone)),
        grid(contains(f.parts, component::grid)),
        clip(contains(f.parts, component::clip)) {}

  HWY_INLINE V operator()(V x) const {
    const F32 d;
    const V magnitude = hn::Abs(x);
    const V quantized = to_grid(magnitude, field);
    const V doubled = ideal.doubled_element(magnitude);
    // RNE32(amax g / 12): 12 / g is exact, so the last division is the only rounding.
    const V rounded = hn::Div(amax, hn::Div(hn::Set(d, 12), doubled));
    const auto clipped = hn::Gt(magnitude, six_scales);
    if (injected) return inject_parts(x, magnitude, quantized, doubled, rounded, clipped);
    return operate_parts(x, quantized, doubled, rounded, clipped);
  }

 private:
  static HWY_INLINE auto mask(bool on) {
    return hn::Ne(hn::Set(F32(), on ? 1.0F : 0.0F), hn::Zero(F32()));
  }

  template <class M>
  HWY_INLINE V inject_parts(V x, V magnitude, V quantized, V doubled, V rounded, M clipped) const {
    const F32 d;
    const auto dead = hn::Eq(doubled, hn::Zero(d));
    const auto first = hn::Or(hn::And(clipped, mask(clip)), hn::AndNot(clipped, mask(scale)));
    const auto second = hn::Or(hn::And(dead, mask(deadzone)), hn::AndNot(dead, mask(grid)));
    V result = magnitude;
    if (scale || clip) {
      result = hn::IfThenElse(first, shifted(magnitude, quantized, doubled), result);
    }
    result = hn::IfThenElse(second, hn::IfThenElse(first, quantized, rounded), result);
    // A result whose sign differs from that of x is negative here; a zero takes the sign of x.
    const V flipped = hn::Xor(result, hn::And(x, hn::Set(d, -0.0F)));
    return hn::IfThenElse(hn::Eq(result, hn::Zero(d)), hn::CopySign(hn::Zero(d), x), flipped);
  }

  /// RNE32(|x| + Q - Q*) from the exact numerator over 12. The numerator is an integer of at most
  /// 34 bits in units of x. If 12 divides it the quotient is exact in binary64; otherwise it is at
  /// least 2^-40 of its size away from every binary32 number and every midpoint, because a third of
  /// an integer is, so the first rounding cannot move it onto one.
  HWY_INLINE V shifted(V magnitude, V quantized, V doubled) const {
    const wide x = widen(magnitude);
    const wide q = widen(quantized);
    const wide g = widen(doubled);
    const wide m = widen(amax);
    return narrow(twelfth(x.low, q.low, g.low, m.low), twelfth(x.high, q.high, g.high, m.high));
  }
  static HWY_INLINE W twelfth(W x, W quantized, W doubled, W largest) {
    const W twelve = hn::Set(F64(), 12);
    const W sum = hn::Mul(twelve, hn::Add(x, quantized));
    return hn::Div(hn::Sub(sum, hn::Mul(largest, doubled)), twelve);
  }

  template <class M>
  HWY_INLINE V operate_parts(V x, V quantized, V doubled, V rounded, M clipped) const {
    const F32 d;
    const auto zeroed = hn::Eq(scale ? quantized : doubled, hn::Zero(d));
    const V value = hn::CopySign(scale ? quantized : rounded, x);
    V kept = grid ? value : x;
    if (scale) kept = hn::IfThenElse(clipped, value, kept);
    return hn::IfThenElse(zeroed, deadzone ? hn::CopySign(hn::Zero(d), x) : x, kept);
  }
};

/// The factor of a macro block, and f times amax exactly. Equals mx::macro_factor_of.
struct macro {
  V factor;
  wide wide_factor;

  HWY_INLINE macro(int bits, V amax) {
    const F32 d;
    const wide m = widen(hn::IfThenElse(hn::Eq(amax, hn::Zero(d)), hn::Set(d, 6.0F), amax));
    wide_factor = {of(bits, m.low), of(bits, m.high)};
    factor = narrow(wide_factor.low, wide_factor.high);
  }

 private:
  /// floor(6 * 2^(bits + k) / amax) / 2^bits. The quotient is an integer or at least 2^-24 away
  /// from one, so rounding it to binary64 does not change its floor.
  static HWY_INLINE W of(int bits, W amax) {
    const F64 d;
    const I64 di;
    constexpr std::int64_t half = std::int64_t{1} << 51;
    const Wi raised = hn::Add(hn::BitCast(di, amax), hn::Set(di, half - 1));
    const Wi field = hn::And(raised, hn::Set(di, 0x7FF0000000000000));  // of 4 * 2^k
    const W six = hn::BitCast(d, hn::Or(field, hn::Set(di, half)));
    const double unit = 1.0 / static_cast<double>(std::int64_t{1} << bits);
    const W whole = hn::Floor(hn::Div(hn::Mul(six, hn::Set(d, 1 / unit)), amax));
    return hn::Mul(whole, hn::Set(d, unit));
  }
};

/// A block under the factor of its macro block; equals mx::quantize_with_factor.
struct factored_block {
  macro f;
  Wi low, high;

  HWY_INLINE factored_block(const scale_fields& fields, const macro& of, V amax) : f(of) {
    const wide m = widen(amax);
    low = fields.of(hn::Mul(m.low, f.wide_factor.low));
    high = fields.of(hn::Mul(m.high, f.wide_factor.high));
  }
  HWY_INLINE V operator()(V x) const {
    const wide w = widen(hn::Abs(x));
    const V quantized = narrow(to_grid(hn::Mul(w.low, f.wide_factor.low), low),
                               to_grid(hn::Mul(w.high, f.wide_factor.high), high));
    return hn::CopySign(hn::Div(quantized, f.factor), x);
  }
};

/// Applies an operand format along one row, or along one column in every lane.
template <axis Axis>
class quantizer {
 public:
  explicit quantizer(const operand_format& f) : f_(f), fields_(f.rule) {}

  /// All of `count` elements along the contraction axis, `step` apart; in and out may alias.
  /// Returns false, with nothing written, if the scale follows from more than a bound on amax, or
  /// an element is too large for the anchors above or not finite: then the scalar path is required.
  bool all(const float* in, std::ptrdiff_t step, int count, float* out,
           std::ptrdiff_t out_step) const {
    if (f_.numbers == number::fp32) return copy(in, step, count, out, out_step);
    if (f_.numbers == number::bf16) return round(in, step, count, out, out_step);
    if (!has_rule_bounds(f_.rule) || !manageable(in, step, count)) return false;
    const int span = f_.macro_block > 0 ? f_.macro_block : count;
    for (int begin = 0; begin < count; begin += span) {
      const int length = std::min(span, count - begin);
      const float* x = in + begin * step;
      float* y = out + begin * out_step;
      if (f_.fallback_alpha != 0) {
        with_fallback(x, step, length, y, out_step);
      } else {
        once(x, step, length, y, out_step);
      }
    }
    return true;
  }

 private:
  /// Elements along the axis in one vector.
  static constexpr int per_vector = Axis == axis::row ? lanes : 1;

  static HWY_INLINE V load(const float* in, std::ptrdiff_t step, int i) {
    return hn::LoadU(F32(), in + i * step);
  }
  static HWY_INLINE V largest(const float* in, std::ptrdiff_t step, int count) {
    const F32 d;
    V amax = hn::Zero(d);
    for (int i = 0; i < count; i += per_vector) {
      amax = hn::Max(amax, hn::Abs(load(in, step, i)));
    }
    return Axis == axis::row ? hn::MaxOfLanes(d, amax) : amax;
  }
  /// Whether every magnitude is below 2^100: no NaN, and the anchors stay finite.
  static bool manageable(const float* in, std::ptrdiff_t step, int count) {
    const I32 di;
    Vi high = hn::Zero(di);
    for (int i = 0; i < count; i += per_vector) {
      high = hn::Max(high, hn::BitCast(di, hn::Abs(load(in, step, i))));
    }
    return hn::AllTrue(di, hn::Lt(high, hn::Set(di, (127 + 100) << 23)));
  }

  static bool copy(const float* in, std::ptrdiff_t step, int count, float* out,
                   std::ptrdiff_t out_step) {
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(load(in, step, i), F32(), out + i * out_step);
    }
    return true;
  }

  static bool round(const float* in, std::ptrdiff_t step, int count, float* out,
                    std::ptrdiff_t out_step) {
    const F32 d;
    const I32 di;
    if (!manageable(in, step, count)) return false;
    for (int i = 0; i < count; i += per_vector) {
      const Vi bits = hn::BitCast(di, load(in, step, i));
      const Vi odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 1));
      const Vi raised = hn::Add(bits, hn::Add(odd, hn::Set(di, 0x7FFF)));
      hn::StoreU(hn::BitCast(d, hn::And(raised, hn::Set(di, -0x10000))), d, out + i * out_step);
    }
    return true;
  }

  template <class Block>
  static HWY_INLINE void each(const Block& quantize, const float* in, std::ptrdiff_t step,
                              int count, float* out, std::ptrdiff_t out_step) {
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(quantize(load(in, step, i)), F32(), out + i * out_step);
    }
  }

  void once(const float* in, std::ptrdiff_t step, int count, float* out,
            std::ptrdiff_t out_step) const {
    if (f_.macro_block > 0) return with_factor(in, step, count, out, out_step);
    for (int i = 0; i < count; i += mxfp4::size) {
      const int length = std::min<int>(mxfp4::size, count - i);
      const float* x = in + i * step;
      const V amax = largest(x, step, length);
      if (f_.toggle == toggle::none) {
        each(plain_block(fields_, amax), x, step, length, out + i * out_step, out_step);
      } else {
        each(toggled_block(f_, fields_, amax), x, step, length, out + i * out_step, out_step);
      }
    }
  }

  void with_factor(const float* in, std::ptrdiff_t step, int count, float* out,
                   std::ptrdiff_t out_step) const {
    const macro factor(f_.macro_bits, largest(in, step, count));
    for (int i = 0; i < count; i += mxfp4::size) {
      const int length = std::min<int>(mxfp4::size, count - i);
      const float* x = in + i * step;
      each(factored_block(fields_, factor, largest(x, step, length)), x, step, length,
           out + i * out_step, out_step);
    }
  }

  /// In pieces that fit the buffers; a macro block, or a block, is never split.
  void with_fallback(const float* in, std::ptrdiff_t step, int count, float* out,
                     std::ptrdiff_t out_step) const {
    constexpr int piece = 128;
    if (f_.macro_block > 0 && count > piece)
      return with_large_fallback(in, step, count, out, out_step);
    HWY_ALIGN float first[piece * (Axis == axis::row ? 1 : lanes)];
    HWY_ALIGN float residual[piece * (Axis == axis::row ? 1 : lanes)];
    for (int i = 0; i < count; i += piece) {
      const int length = std::min(piece, count - i);
      fallback_piece(in + i * step, step, length, out + i * out_step, out_step, first, residual);
    }
  }
  void with_large_fallback(const float* in, std::ptrdiff_t step, int count, float* out,
                           std::ptrdiff_t out_step) const {
    const std::size_t size = static_cast<std::size_t>(count) * (Axis == axis::row ? 1 : lanes);
    std::vector<float> buffer(2 * size);
    fallback_piece(in, step, count, out, out_step, buffer.data(), buffer.data() + size);
  }

  void fallback_piece(const float* in, std::ptrdiff_t step, int count, float* out,
                      std::ptrdiff_t out_step, float* first, float* residual) const {
    const F32 d;
    constexpr std::ptrdiff_t dense = Axis == axis::row ? 1 : lanes;
    once(in, step, count, first, dense);
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(hn::Sub(load(in, step, i), load(first, dense, i)), d, residual + i * dense);
    }
    once(residual, dense, count, residual, dense);
    const V alpha = hn::Set(d, f_.fallback_alpha);
    for (int i = 0; i < count; i += per_vector) {
      const V second = load(residual, dense, i);
      hn::StoreU(fused(alpha, second, load(first, dense, i)), d, out + i * out_step);
    }
  }

  operand_format f_;
  scale_fields fields_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
