// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/scale_search-inl.h: scales that are chosen by the errors of the elements, on
// vectors; included once for each target. Equals mx::searched_scale and mx::four_over_six_scale.
#if defined(MX_SIMD_SCALE_SEARCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_SCALE_SEARCH_INL_H
#undef MX_SIMD_SCALE_SEARCH_INL_H
#else
#define MX_SIMD_SCALE_SEARCH_INL_H
#endif

#include <algorithm>
#include <optional>
#include <type_traits>

#include "simd/block_elements-inl.h"
#include "tensor/block_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if HWY_TARGET != HWY_SCALAR

/// Magnitudes under one scale.
class under_scale {
 public:
  HWY_INLINE under_scale(const grid<F64>& elements, const scale_numbers& scale)
      : grid_(elements),
        reciprocal_(hn::Set(F64(), scale.reciprocal)),
        product_(hn::Set(F64(), scale.product)) {}

  /// Quantized, exactly: elements and scales together have 41 bits at most.
  [[nodiscard]] HWY_INLINE Vd value(Vd size) const {
    const auto one = hn::Set(I64(), std::int64_t{reciprocal::one} << 52);
    const Vd quotient = reciprocal::quotient(size, reciprocal_);
    return hn::Mul(grid_.nearest_value(quotient, one), product_);
  }
  [[nodiscard]] HWY_INLINE Vd error(Vd size) const { return hn::Sub(value(size), size); }

 private:
  const grid<F64>& grid_;
  Vd reciprocal_, product_;
};

/// How the errors of elements become one of a block. Each is rounded once, to binary64; none is
/// added that is negative, so a sum of 2^20 is wrong by less than 2^-32 of itself.
struct squared_errors {
  static HWY_INLINE Vd with(Vd error, Vd sum) { return hn::MulAdd(error, error, sum); }
  static HWY_INLINE double of(Vd sums) { return hn::GetLane(hn::SumOfLanes(F64(), sums)); }
  static HWY_INLINE Vd both(Vd a, Vd b) { return hn::Add(a, b); }
};
struct error_magnitudes {
  static HWY_INLINE Vd with(Vd error, Vd sum) { return hn::Add(sum, hn::Abs(error)); }
  static HWY_INLINE double of(Vd sums) { return hn::GetLane(hn::SumOfLanes(F64(), sums)); }
  static HWY_INLINE Vd both(Vd a, Vd b) { return hn::Add(a, b); }
};
struct largest_errors {
  static HWY_INLINE Vd with(Vd error, Vd largest) { return hn::Max(largest, hn::Abs(error)); }
  static HWY_INLINE double of(Vd largest) { return hn::GetLane(hn::MaxOfLanes(F64(), largest)); }
  static HWY_INLINE Vd both(Vd a, Vd b) { return hn::Max(a, b); }
};

/// Whether an error is less than another; nothing if they are close.
HWY_INLINE std::optional<bool> is_less(double error, double than) {
  const double close = (error + than) * 0x1p-30;
  if (error < than - close) return true;
  if (error > than + close || error + than == 0) return false;
  return std::nullopt;
}

/// Errors of a block under `Count` scales.
///   x, size  elements, padded with zeros to whole vectors
template <class Measure, int Count>
HWY_INLINE void find_errors(const grid<F64>& elements, const float* x, std::uint64_t size,
                            const scale_numbers (&scales)[Count], double (&errors)[Count]) {
  Vd low[Count], high[Count];
#pragma GCC unroll 3
  for (int k = 0; k < Count; ++k) low[k] = high[k] = hn::Zero(F64());
  for (std::uint64_t i = 0; i < size; i += lanes) {
    const doubles sizes = widened(hn::Abs(hn::LoadU(F32(), x + i)));
#pragma GCC unroll 3
    for (int k = 0; k < Count; ++k) {
      const under_scale scale(elements, scales[k]);
      low[k] = Measure::with(scale.error(sizes.low), low[k]);
      high[k] = Measure::with(scale.error(sizes.high), high[k]);
    }
  }
#pragma GCC unroll 3
  for (int k = 0; k < Count; ++k) errors[k] = Measure::of(Measure::both(low[k], high[k]));
}

/// Whether elements err less under `b` than under `a`, as far as those can tell whose values
/// differ: the errors of the others are the same. Nothing if that is not enough.
template <class Measure>
HWY_NOINLINE std::optional<bool> is_less_where_differing(const grid<F64>& elements, const float* x,
                                                         std::uint64_t size, const scale_numbers& a,
                                                         const scale_numbers& b) {
  const F64 d;
  const under_scale first(elements, a), second(elements, b);
  Vd errors[2] = {hn::Zero(d), hn::Zero(d)}, same = hn::Zero(d);
  const auto add = [&](Vd sizes) HWY_ATTR {
    const Vd values[2] = {first.value(sizes), second.value(sizes)};
    const auto equal = hn::Eq(values[0], values[1]);
    for (int k = 0; k < 2; ++k) {
      errors[k] = Measure::with(hn::IfThenZeroElse(equal, hn::Sub(values[k], sizes)), errors[k]);
    }
    same = Measure::with(hn::IfThenElseZero(equal, hn::Sub(values[0], sizes)), same);
  };
  for (std::uint64_t i = 0; i < size; i += lanes) {
    const doubles sizes = widened(hn::Abs(hn::LoadU(F32(), x + i)));
    add(sizes.low), add(sizes.high);
  }
  double of_a = Measure::of(errors[0]), of_b = Measure::of(errors[1]);
  if constexpr (std::is_same_v<Measure, largest_errors>) {
    const double of_both = Measure::of(same);
    if (is_less(std::max(of_a, of_b), of_both) == true) return false;
    of_a = std::max(of_a, of_both), of_b = std::max(of_b, of_both);
  }
  return is_less(of_b, of_a);
}

/// Chooses the scales of blocks among two or three by the errors of the elements.
///   Scales  chooses the first of them, from amax
template <class Scales>
class scale_search {
 public:
  /// Whether q's rule is such a search, and the vectors support its scales.
  [[nodiscard]] static bool serves(const quantization& q) {
    return is_searched_rule(q.rule) && q.format.element.signedness == signedness::with_sign &&
           Scales(starting(q)).known();
  }

  explicit scale_search(const quantization& q)
      : first_(starting(q)),
        to_four_(under(q, scale_rule::static_four)),
        rule_(q.rule),
        elements_(q.format.element) {}

  /// Scales of the blocks of a part.
  ///   returns  whether a block is unusual
  [[nodiscard]] HWY_INLINE bool choose(const block_batch& batch, block_part& part) {
    bool unusual = first_.choose(part, batch.count);
    if (is_four_over_six(rule_)) {
      std::copy_n(part.amax, block_part::blocks, others_[0].amax);
      std::copy_n(part.tensor_scales, block_part::blocks, others_[0].tensor_scales);
      unusual |= to_four_.choose(others_[0], batch.count);
    } else {
      unusual |= first_.move(part, neighbour::below, batch.count, others_[0]);
      unusual |= first_.move(part, neighbour::above, batch.count, others_[1]);
    }
    return choose_by_errors(batch, part) || unusual;
  }

 private:
  [[nodiscard]] static quantization under(quantization q, scale_rule rule) {
    q.rule = rule;
    return q;
  }
  [[nodiscard]] static quantization starting(const quantization& q) {
    const bool fractions = q.format.scale.fraction_bits > 0;
    return under(q, fractions ? scale_rule::ideal : scale_rule::rceil);
  }

  bool choose_by_errors(const block_batch& batch, block_part& part) {
    switch (rule_) {
      case scale_rule::four_over_six_mse:
        return each_block<squared_errors, 2>(batch, part);
      case scale_rule::four_over_six_mae:
        return each_block<error_magnitudes, 2>(batch, part);
      case scale_rule::four_over_six_abs_max:
        return each_block<largest_errors, 2>(batch, part);
      default:
        return each_block<squared_errors, 3>(batch, part);
    }
  }

  /// Returns whether a block is unusual, or its errors are too close.
  template <class Measure, int Count>
  bool each_block(const block_batch& batch, block_part& part) {
    bool unusual = false;
    for (int b = 0; b < batch.count; ++b) {
      bool usual = part.unusual[b] >= 0;
      for (int k = 1; k < Count; ++k) usual = usual && others_[k - 1].unusual[b] >= 0;
      const float* x = batch.x + static_cast<std::uint64_t>(b) * batch.stride;
      if (usual && of_block<Measure, Count>(x, batch.stride, part, b)) continue;
      part.unusual[b] = -1;
      unusual = true;
    }
    return unusual;
  }

  /// Chooses the scale of one block; returns false if errors are too close.
  template <class Measure, int Count>
  HWY_INLINE bool of_block(const float* x, std::uint64_t size, block_part& part, int b) const {
    scale_numbers scales[Count] = {Scales::numbers_of(part, b)};
    for (int k = 1; k < Count; ++k) scales[k] = Scales::numbers_of(others_[k - 1], b);
    double errors[Count];
    find_errors<Measure>(elements_, x, size, scales, errors);
    int best = 0;
    for (int k = 1; k < Count; ++k) {
      if (others_[k - 1].codes[b] == part.codes[b]) continue;
      auto less = is_less(errors[k], errors[best]);
      if (!less) {
        less = is_less_where_differing<Measure>(elements_, x, size, scales[best], scales[k]);
      }
      if (!less) return false;
      if (*less) best = k;
    }
    if (best > 0) take(others_[best - 1], part, b);
    return true;
  }

  static HWY_INLINE void take(const block_part& from, block_part& to, int b) {
    to.codes[b] = from.codes[b];
    to.reciprocals[b] = from.reciprocals[b], to.products[b] = from.products[b];
    to.inverses[b] = from.inverses[b], to.factors[b] = from.factors[b];
  }

  Scales first_, to_four_;
  scale_rule rule_;
  grid<F64> elements_;
  block_part others_[2]{};
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
