// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/interval_codes-inl.h: E2M1 elements to codes by the intervals of the parts of
// the error, under any scales; included once for each target. Equals mx::encode of each element
// over its scale.
#if defined(MX_SIMD_INTERVAL_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_INTERVAL_CODES_INL_H
#undef MX_SIMD_INTERVAL_CODES_INL_H
#else
#define MX_SIMD_INTERVAL_CODES_INL_H
#endif

#include <cstring>

#include "simd/energy_intervals-inl.h"
#include "simd/nearest_codes-inl.h"
#include "simd/packed_bytes-inl.h"
#include "tensor/block_batch.h"

// Intervals are found in a table of eight or sixteen lanes.
#undef MX_SIMD_INTERVAL_CODES
#if HWY_NATIVE_FMA && MX_SIMD_PACKED_BYTES
#define MX_SIMD_INTERVAL_CODES 1
#else
#define MX_SIMD_INTERVAL_CODES 0
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_INTERVAL_CODES

#if HWY_CAP_GE512

/// Codes, packed, of intervals and of whether their ties are passed.
class codes_of_intervals {
 public:
  HWY_INLINE codes_of_intervals() : codes_(hn::LoadDup128(U8(), codes)) {}

  /// The number of the interval, or of the next one if its tie is passed. Where an interval may be
  /// left both ways, the next one is not reached by the tie of another, or has the same code there.
  [[nodiscard]] static HWY_INLINE Vi number(Vi interval, hn::Mask<F32> passed) {
    return Vi{_mm512_mask_add_epi32(interval.raw, passed.raw, interval.raw, hn::Set(I32(), 1).raw)};
  }
  [[nodiscard]] HWY_INLINE byte_vector bytes(const Vi (&numbers)[4]) const {
    return hn::TableLookupBytes(codes_, packed_bytes(numbers));
  }

 private:
  HWY_ALIGN static constexpr std::uint8_t codes[16] = {0, 0, 1, 2, 3, 4, 4, 5,
                                                       5, 6, 6, 6, 7, 7, 7, 7};
  byte_vector codes_;
};

#else

class codes_of_intervals {
 public:
  HWY_INLINE codes_of_intervals() : below_(hn::Load(I32(), tie_of_interval)) {}

  [[nodiscard]] HWY_INLINE Vi number(Vi interval, hn::Mask<F32> passed) const {
    const I32 d;
    const decltype(hn::IndicesFromVec(d, interval)) index{interval.raw};  // the low bits
    const Vi below = hn::TableLookupLanes(below_, index);
    return hn::Sub(below, hn::VecFromMask(d, hn::RebindMask(d, passed)));
  }
  [[nodiscard]] static HWY_INLINE byte_vector bytes(const Vi (&numbers)[4]) {
    return packed_bytes(numbers);
  }

 private:
  Vi below_;
};

#endif

/// E2M1 under any scale, by the intervals of the parts of the error: amax is 6 times the scale.
class interval_codes {
 public:
  struct fields {
    V inverse;  ///< from magnitudes to intervals
    table ties;
  };

  explicit HWY_INLINE interval_codes(const format& f)
      : sign_(hn::Set(U8(), static_cast<std::uint8_t>(f.sign_mask()))), down_(8 - f.width()) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const F32 d;
    return {hn::Mul(hn::Set(d, part.inverses[b]), hn::Set(d, intervals_of_amax / 6)),
            tie_table::of(6 * part.products[b])};
  }
  HWY_INLINE Vi number(V x, const fields& f) const {
    const V magnitude = hn::Abs(x);
    const Vi interval = last_interval_or_of(magnitude, f.inverse);
    return codes_.number(interval, hn::Gt(magnitude, f.ties[interval]));
  }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&x)[4]) const {
    const halves signs = shifted_right(hn::BitCast(U16(), packed_signs(x)), down_);
    return vectors_in_order(
        signed_bytes<Style>(codes_.bytes(numbers), hn::BitCast(U8(), signs), sign_));
  }

 private:
  codes_of_intervals codes_;
  byte_vector sign_;
  int down_;
};

/// Scales under one tensor scale, by code: chosen without divisions, and with the constants of E2M1
/// elements. Equals divided_scales where a block is usual.
class scale_table {
 public:
  /// Whether scales of batches of q follow from a table.
  [[nodiscard]] static bool serves(const quantization& q, const block_batch& batch) {
    const block_format& f = q.format;
    const bool nearest = q.rule == scale_rule::ideal || q.rule == scale_rule::static_four;
    return f.element == formats::e2m1 && f.scale == formats::ue4m3 &&
           f.precision == scale_precision::stored && nearest &&
           f.tensor != tensor_scaling::per_row && q.rounding == rounding::ties_to_even &&
           batch.count >= least_blocks && is_usual(batch.tensor_scales[0]) &&
           has_one_tensor_scale(batch);
  }

  scale_table(const quantization& q, float tensor)
      : nearest_(q.format.scale),
        element_(q.rule == scale_rule::static_four ? 4 : 6),
        tensor_(tensor),
        divided_(divided_by(nearest_, double{tensor} * element_)) {
    for (int code = 0; code < codes; ++code) {
      const unpacked scale = decode(q.format.scale, static_cast<std::uint32_t>(code));
      const double reach =
          6 * (code == 0 ? scale_reciprocals::of_zero : exact_double(scale) * double{tensor});
      inverses_[code] = static_cast<float>(intervals_of_amax / reach);
      hn::Store(tie_table::of(reach).low, F32(), ties_[code]);
    }
  }

  [[nodiscard]] HWY_INLINE interval_codes::fields of(int code) const {
    return {hn::Set(F32(), inverses_[code]), table::of(ties_[code])};
  }

  /// Codes of as many blocks from b on as there are lanes.
  ///   returns  lanes, negative for NaN, Inf and subnormals
  [[nodiscard]] HWY_INLINE Vi choose(block_part& part, int b) const {
    const I32 d;
    const Vi amax = hn::Load(d, part.amax + b);
    const V number = hn::BitCast(F32(), amax);
    const auto sums = nearest_.sums(number, divided_);
    Vi code = lower_byte(nearest_.code(sums.above));
    if (HWY_UNLIKELY(!hn::AllTrue(F32(), hn::Eq(sums.above, sums.below)))) {
      code = settled(number, lower_byte(nearest_.code(sums.below)));
    }
    hn::Store(hn::Min(code, hn::Set(d, codes - 1)), d, part.codes + b);  // a NaN's may be any
    return hn::IfThenZeroElse(hn::Eq(amax, hn::Zero(d)), outside_normals(amax));
  }

 private:
  static constexpr int codes = 127;
  static constexpr int least_blocks = 256;

  static HWY_INLINE Vi lower_byte(Vi word) { return hn::And(word, hn::Set(I32(), 0xFF)); }

  /// Codes that are `low` or the next one: whether amax is beyond the tie between both, or on it
  /// while `low` is odd. A tie has one fraction bit more than a code; times the element it has 8
  /// bits, and amax minus its product with the tensor scale, rounded once, has the exact sign: the
  /// product is at least 4 * 2^-10 * 2^-80 and has 32 bits, so that an amax close to it differs
  /// from it by more than binary32's smallest number.
  [[nodiscard]] HWY_INLINE Vi settled(V amax, Vi low) const {
    const F32 d;
    const I32 di;
    const Vi twice = hn::Add(hn::Add(low, low), hn::Set(di, 1));
    const V tie = hn::Mul(hn::BitCast(d, hn::ShiftLeft<19>(twice)), hn::Set(d, 0x1p120F));
    const V target = hn::Mul(tie, hn::Set(d, element_));
    const V beyond = hn::NegMulAdd(target, hn::Set(d, tensor_), amax);
    const auto on_tie = hn::Eq(beyond, hn::Zero(d));
    const auto is_odd = hn::RebindMask(d, hn::TestBit(low, hn::Set(di, 1)));
    const auto next = hn::Or(hn::Gt(beyond, hn::Zero(d)), hn::And(on_tie, is_odd));
    return hn::Sub(low, hn::VecFromMask(di, hn::RebindMask(di, next)));
  }

  [[nodiscard]] static multiplied_codes::fields divided_by(const multiplied_codes& nearest,
                                                           double number) {
    return nearest.of(static_cast<float>(1 / number), number);
  }

  /// Rows of operands have a tensor scale each, whatever their format says of tensors.
  [[nodiscard]] static bool has_one_tensor_scale(const block_batch& batch) {
    const float* all = batch.tensor_scales;
    return std::memcmp(all, all + 1, sizeof(float) * static_cast<std::size_t>(batch.count - 1)) ==
           0;
  }
  /// Under which every code is usual to divided_scales.
  [[nodiscard]] static bool is_usual(float tensor) { return tensor > 0x1p-80F && tensor < 0x1p80F; }

  multiplied_codes nearest_;
  float element_, tensor_;            ///< amax becomes this element under a scale and the tensor's
  multiplied_codes::fields divided_;  ///< from amax to scales
  HWY_ALIGN float ties_[codes][lanes];
  float inverses_[codes];
};

/// E2M1 under scales of a table.
class tabled_codes {
 public:
  using fields = interval_codes::fields;

  HWY_INLINE explicit tabled_codes(const format& f, const scale_table& scales)
      : scales_(scales), elements_(f) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    return scales_.of(part.codes[b]);
  }
  HWY_INLINE Vi number(V x, const fields& f) const { return elements_.number(x, f); }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&x)[4]) const {
    return elements_.template bytes<Style>(numbers, x);
  }

 private:
  const scale_table& scales_;
  interval_codes elements_;
};

/// E2M1 under a scale, ties to the smaller magnitude: those of public kernels that search for the
/// code with the smallest error. A tie has 3 bits, and its product with a scale of 8 is exact.
class searched_codes {
 public:
  using fields = interval_codes::fields;

  HWY_INLINE explicit searched_codes(const format& f) : elements_(f) {
    constexpr float ties[7] = {.25F, .75F, 1.25F, 1.75F, 2.5F, 3.5F, 5};
    for (int i = 0; i < lanes; ++i) ties_[i] = ties[tie_of_interval[i]];
  }

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const F32 d;
    const V scale = hn::Set(d, part.factors[b]), ties = hn::Mul(hn::Load(d, ties_), scale);
    return {hn::Mul(hn::Set(d, part.inverses[b]), hn::Set(d, intervals_of_amax / 6)), {ties, ties}};
  }
  HWY_INLINE Vi number(V x, const fields& f) const { return elements_.number(x, f); }
  template <sign_style Style>
  HWY_INLINE byte_vector bytes(const Vi (&numbers)[4], const V (&x)[4]) const {
    return elements_.template bytes<Style>(numbers, x);
  }

 private:
  interval_codes elements_;
  HWY_ALIGN float ties_[lanes];
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
