// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/interval_codes-inl.h: E2M1 elements to codes by the intervals of the parts of the
// error, under any scales; included once for each target. Equals mx::encode of each element over its
// scale.
#if defined(MX_SIMD_INTERVAL_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_INTERVAL_CODES_INL_H
#undef MX_SIMD_INTERVAL_CODES_INL_H
#else
#define MX_SIMD_INTERVAL_CODES_INL_H
#endif

#include <cstring>

#include "simd/energy_intervals-inl.h"
#include "simd/nearest_codes-inl.h"

// Intervals are found in a table of eight or sixteen lanes.
#undef MX_SIMD_INTERVAL_CODES
#if HWY_NATIVE_FMA && HWY_CAP_GE256
#define MX_SIMD_INTERVAL_CODES 1
#else
#define MX_SIMD_INTERVAL_CODES 0
#endif

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_INTERVAL_CODES

/// E2M1 under any scale, by the intervals of the parts of the error: amax is 6 times the scale.
class interval_codes {
 public:
  struct fields {
    V inverse, reach;  ///< 6 scale: magnitudes above have the largest code
    table ties;
  };

  explicit HWY_INLINE interval_codes(const format&) : below_(hn::Load(I32(), tie_of_interval)) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const F32 d;
    const double reach = 6 * part.products[b];
    return {hn::Mul(hn::Set(d, part.inverses[b]), hn::Set(d, intervals_of_amax / 6)),
            hn::Set(d, static_cast<float>(reach)), tie_table::of(reach)};
  }
  static HWY_INLINE halves first_code(const fields&) { return hn::Zero(U16()); }

  HWY_INLINE Vi code(Vi bits, const fields& f) const {
    const F32 d;
    const I32 di;
    const V magnitude = hn::Abs(hn::BitCast(d, bits));
    const Vi interval = interval_of(hn::Min(magnitude, f.reach), f.inverse);
    const auto passed = hn::RebindMask(di, hn::Gt(magnitude, f.ties[interval]));
    const decltype(hn::IndicesFromVec(di, interval)) index{interval.raw};  // the low bits
    const Vi below = hn::TableLookupLanes(below_, index);
    return hn::Sub(below, hn::VecFromMask(di, passed));
  }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

 private:
  Vi below_;
};

/// Scales under one tensor scale, by code: chosen without divisions, and with the constants of E2M1
/// elements. Equals divided_scales where a block is usual.
class scale_table {
 public:
  struct alignas(64) entry {
    float ties[lanes];
    float inverse, reach;  ///< as in interval_codes::fields
  };

  /// Whether scales of batches of q follow from a table.
  [[nodiscard]] static bool serves(const quantization& q, const block_batch& batch) {
    const block_format& f = q.format;
    const bool nearest = q.rule == scale_rule::ideal || q.rule == scale_rule::static_four;
    return f.element == formats::e2m1 && f.scale == formats::ue4m3 && nearest &&
           f.tensor != tensor_scaling::per_row && q.rounding == rounding::ties_to_even &&
           batch.count >= least_blocks && is_usual(batch.tensor_scales[0]) &&
           has_one_tensor_scale(batch);
  }

  scale_table(const quantization& q, float tensor)
      : nearest_(q.format.scale),
        inverse_(static_cast<float>(
            1 / (double{tensor} * (q.rule == scale_rule::static_four ? 4 : 6)))) {
    for (std::uint32_t code = 0; code < codes; ++code) {
      const unpacked scale = decode(q.format.scale, code);
      const double reach =
          6 * (code == 0 ? scale_reciprocals::of_zero : exact_double(scale) * double{tensor});
      entry& one = entries_[code];
      one.inverse = static_cast<float>(intervals_of_amax / reach);
      one.reach = static_cast<float>(reach);
      hn::Store(tie_table::of(reach).low, F32(), one.ties);
    }
  }

  [[nodiscard]] HWY_INLINE const entry& of(int code) const { return entries_[code]; }

  /// Codes of as many blocks from b on as there are lanes.
  ///   unusual  negative for NaN, Inf and subnormals
  ///   returns  false, with nothing stored, if a quotient is close to a tie
  [[nodiscard]] HWY_INLINE bool choose(block_part& part, int b, Vi& unusual) {
    const I32 d;
    const Vi amax = hn::Load(d, part.amax + b);
    const V inverse = hn::Set(F32(), inverse_);
    const Vi first = hn::BitCast(d, nearest_.first_code(inverse));
    const Vi code = hn::And(hn::Sub(nearest_.code(amax, inverse), first), hn::Set(d, 0xFF));
    if (HWY_UNLIKELY(!nearest_.is_decided())) return false;
    unusual = hn::IfThenZeroElse(hn::Eq(amax, hn::Zero(d)), outside_normals(amax));
    hn::Store(code, d, part.codes + b);
    hn::Store(unusual, d, part.unusual + b);
    return true;
  }

 private:
  static constexpr std::uint32_t codes = 127;
  static constexpr int least_blocks = 256;

  /// Rows of operands have a tensor scale each, whatever their format says of tensors.
  [[nodiscard]] static bool has_one_tensor_scale(const block_batch& batch) {
    const float* all = batch.tensor_scales;
    return std::memcmp(all, all + 1, sizeof(float) * static_cast<std::size_t>(batch.count - 1)) ==
           0;
  }
  /// Under which every code is usual to divided_scales.
  [[nodiscard]] static bool is_usual(float tensor) { return tensor > 0x1p-80F && tensor < 0x1p80F; }

  multiplied_codes nearest_;
  float inverse_;
  entry entries_[codes];
};

/// E2M1 under scales of a table.
class tabled_codes {
 public:
  using fields = interval_codes::fields;

  HWY_INLINE explicit tabled_codes(const format& f, const scale_table& scales)
      : scales_(scales), elements_(f) {}

  HWY_INLINE fields of_block(const block_part& part, int b) const {
    const scale_table::entry& one = scales_.of(part.codes[b]);
    return {hn::Set(F32(), one.inverse), hn::Set(F32(), one.reach), table::of(one.ties)};
  }
  static HWY_INLINE halves first_code(const fields&) { return hn::Zero(U16()); }
  HWY_INLINE Vi code(Vi bits, const fields& f) const { return elements_.code(bits, f); }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

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
    return {hn::Mul(hn::Set(d, part.inverses[b]), hn::Set(d, intervals_of_amax / 6)),
            hn::Mul(scale, hn::Set(d, 6)),
            {ties, ties}};
  }
  static HWY_INLINE halves first_code(const fields&) { return hn::Zero(U16()); }
  HWY_INLINE Vi code(Vi bits, const fields& f) const { return elements_.code(bits, f); }
  [[nodiscard]] static HWY_INLINE bool is_decided() { return true; }

 private:
  interval_codes elements_;
  HWY_ALIGN float ties_[lanes];
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
