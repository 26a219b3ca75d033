// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_energy-inl.h: the energies of the parts of the error of E2M1 blocks under powers of
// two, on vectors; included once for each target. Equals mx::energy_share bit for bit.
// Magnitudes are enough: Q and Q* have the sign of x, and every term is a product of two numbers.
#if defined(MX_SIMD_ENERGY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_INL_H
#undef MX_SIMD_ENERGY_INL_H
#else
#define MX_SIMD_ENERGY_INL_H
#endif

#include <algorithm>

#include "simd_energy_stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if !HWY_NATIVE_FMA

inline void add_energy_of(const quantization& q, const energy_batch& batch, energy_share& share) {
  for (std::int64_t b = 0; b < batch.blocks; ++b) batch.add_clearly(q, b, share);
}

#else

/// The lanes of a share; those of the common terms are in registers, so that every index is a
/// constant.
template <bool Counted>
class energy_sum {
 public:
  explicit HWY_INLINE energy_sum(energy_share& share) : share_(share) { load<0>(); }
  HWY_INLINE void store() {
    store<0>();
    share_.counts.identity_violations += violations_;
  }
  /// Whether the parts of any element did not add up.
  [[nodiscard]] HWY_INLINE bool is_broken() const {
    const hn::RebindToUnsigned<F64> du;
    return !hn::AllTrue(du, hn::Eq(broken_, hn::Zero(du)));
  }

  /// Adds 16 elements of a stage.
  ///   Clipped  whether any element of the block may lie beyond 6 * scale
  template <bool Clipped, int Half = 0>
  HWY_INLINE void add(const energy_stage& stage, int at, W amax, W reach) {
    const int from = at + Half * (lanes / 2);
    add_half<Clipped, Half>(amax, reach, widened(stage.magnitude + from),
                            widened(stage.tripled + from), widened(stage.halved + from));
    if constexpr (Half + 1 < halves) add<Clipped, Half + 1>(stage, at, amax, reach);
  }

 private:
  static HWY_INLINE W widened(const float* numbers) {
    return hn::PromoteTo(F64(), hn::Load(F32Half(), numbers));
  }
  HWY_INLINE double* lane(energy_term term, int half) const {
    return share_.lanes[static_cast<int>(term)] + half * (lanes / 2);
  }
  HWY_INLINE W loaded(energy_term term, int half) const {
    return hn::LoadU(F64(), lane(term, half));
  }
  template <int Half>
  HWY_INLINE void load() {
    sums_[Half] = {loaded(energy_term::total, Half),      loaded(energy_term::scale, Half),
                   loaded(energy_term::deadzone, Half),   loaded(energy_term::grid, Half),
                   loaded(energy_term::scale_dead, Half), loaded(energy_term::scale_grid, Half),
                   loaded(energy_term::x_squared, Half),  loaded(energy_term::x_quantized, Half)};
    if constexpr (Half + 1 < halves) load<Half + 1>();
  }
  template <int Half>
  HWY_INLINE void store() {
    const F64 d;
    const common_sums& s = sums_[Half];
    hn::StoreU(s.total, d, lane(energy_term::total, Half));
    hn::StoreU(s.scale, d, lane(energy_term::scale, Half));
    hn::StoreU(s.deadzone, d, lane(energy_term::deadzone, Half));
    hn::StoreU(s.grid, d, lane(energy_term::grid, Half));
    hn::StoreU(s.scale_dead, d, lane(energy_term::scale_dead, Half));
    hn::StoreU(s.scale_grid, d, lane(energy_term::scale_grid, Half));
    hn::StoreU(s.x_squared, d, lane(energy_term::x_squared, Half));
    hn::StoreU(s.x_quantized, d, lane(energy_term::x_quantized, Half));
    if constexpr (Half + 1 < halves) store<Half + 1>();
  }

  static HWY_INLINE W added_where(hn::Mask<F64> mask, W sum, W a, W b) {
    return hn::IfThenElse(mask, hn::MulAdd(a, b, sum), sum);
  }
  HWY_INLINE void add_rarely(hn::Mask<F64> mask, energy_term term, int half, W a, W b) const {
    hn::StoreU(added_where(mask, loaded(term, half), a, b), F64(), lane(term, half));
  }

  /// Every difference is exact: 3 |x|, 3 |Q| and amax g / 2 have at most 28 bits, and differ by less
  /// than 2^34 units of x.
  template <bool Clipped, int Half>
  HWY_INLINE void add_half(W amax, W reach, W x, W quantized, W halved) {
    const F64 d;
    common_sums& s = sums_[Half];
    const W three = hn::Set(d, 3), ideal = hn::Mul(halved, amax);
    const W scale = hn::Sub(quantized, ideal), grid = hn::NegMulAdd(three, x, ideal);
    const W error = hn::Add(scale, grid), expected = hn::NegMulAdd(three, x, quantized);
    if constexpr (Counted) {
      violations_ += static_cast<std::int64_t>(hn::CountTrue(d, hn::Ne(error, expected)));
    } else {
      const hn::RebindToUnsigned<F64> du;
      broken_ = hn::Or(broken_, hn::Xor(hn::BitCast(du, error), hn::BitCast(du, expected)));
    }
    const auto dead = hn::Eq(ideal, hn::Zero(d)), alive = hn::Ne(ideal, hn::Zero(d));
    s.total = hn::MulAdd(error, error, s.total);
    s.x_squared = hn::MulAdd(x, x, s.x_squared);
    s.x_quantized = hn::MulAdd(x, quantized, s.x_quantized);
    s.deadzone = added_where(dead, s.deadzone, grid, grid);
    s.grid = added_where(alive, s.grid, grid, grid);
    s.scale_dead = added_where(hn::Eq(quantized, hn::Zero(d)), s.scale_dead, scale, scale);
    if constexpr (Clipped) {
      const auto clipped = hn::Gt(x, reach), inside = hn::Le(x, reach);
      s.scale = added_where(inside, s.scale, scale, scale);
      s.scale_grid = added_where(hn::And(inside, alive), s.scale_grid, scale, grid);
      add_rarely(clipped, energy_term::clip, Half, scale, scale);
      add_rarely(hn::And(clipped, alive), energy_term::grid_clip, Half, scale, grid);
      add_rarely(hn::And(clipped, dead), energy_term::deadzone_clip, Half, scale, grid);
      add_rarely(hn::And(inside, dead), energy_term::scale_deadzone, Half, scale, grid);
    } else {
      // Where amax <= 6 scale, a dead element has |x| <= scale / 4: Q is zero, and so is e_scale.
      s.scale = hn::MulAdd(scale, scale, s.scale);
      s.scale_grid = hn::MulAdd(scale, grid, s.scale_grid);
    }
  }

  energy_share& share_;
  common_sums sums_[halves];
  hn::Vec<hn::RebindToUnsigned<F64>> broken_ = hn::Zero(hn::RebindToUnsigned<F64>());
  std::int64_t violations_ = 0;
};

/// Adds the blocks of the stage; whether the parts of any element did not add up.
template <bool Counted>
HWY_NOINLINE bool add_stage(const energy_stage& stage, int blocks, int columns,
                            const upcoming_blocks& next, energy_share& share) {
  const F64 d;
  energy_sum<Counted> sum(share);
  for (int b = 0; b < blocks; ++b) {
    next.fetch(b, 1, columns);
    const W amax = hn::Set(d, double{stage.amax[b]});
    const W reach = hn::Set(d, 6 * double{stage.scale[b]});
    const int begin = b * columns, end = begin + columns;
    if (stage.amax[b] > 6 * stage.scale[b]) {
      for (int at = begin; at < end; at += energy_lanes)
        sum.template add<true>(stage, at, amax, reach);
    } else {
      for (int at = begin; at < end; at += energy_lanes)
        sum.template add<false>(stage, at, amax, reach);
    }
  }
  sum.store();
  return sum.is_broken();
}

/// Chooses E8M0 scales from the bits of amax.
class scale_chooser {
 public:
  explicit scale_chooser(const quantization& q) : q_(q) {
    if (q.rule == scale_rule::floor) return;
    const scale_rule rule = q.rule == scale_rule::static_four ? scale_rule::ceil : q.rule;
    by_bits_ = is_power_of_two_rule(rule);
    if (!by_bits_) return;
    // The bound lies in [2^emax, 2^(emax + 1)); its fraction is compared by a carry.
    const exponent_bound bound = exponent_bound_of(formats::e2m1, rule);
    const auto fraction = static_cast<std::int32_t>(bound.significand << 20) - (1 << 23);
    carry_ = (bound.at_bound ? 1 << 23 : (1 << 23) - 1) - fraction;
    lowered_ = (formats::e2m1.emax() + (rule == scale_rule::floor6 ? 1 : 0)) << 23;
  }
  /// Bits of the scale.
  ///   amax  bits of a normal binary32 number, far enough from the ends
  HWY_INLINE std::int32_t bits_of_scale(std::int32_t amax, const float* x) const {
    if (by_bits_) return ((amax + carry_) & 0x7F800000) - lowered_;
    return static_cast<std::int32_t>(scale_of(q_, x, q_.format.columns, no_tensor_scale).code
                                     << 23);
  }

 private:
  const quantization& q_;
  bool by_bits_ = true;
  std::int32_t carry_ = 0, lowered_ = formats::e2m1.emax() << 23;
};

HWY_INLINE std::int32_t largest_magnitude(const float* x, int columns) {
  const F32 d;
  const I32 di;
  Vi largest = hn::Zero(di);
  for (int i = 0; i < columns; i += lanes) {
    largest = hn::Max(largest, hn::BitCast(di, hn::Abs(hn::LoadU(d, x + i))));
  }
  return hn::GetLane(hn::MaxOfLanes(di, largest));
}

/// Finds the figures of blocks [first, first + count) of a batch, up to the first one that must be
/// left to the core; returns how many it found.
HWY_INLINE int find_figures(const scale_chooser& scales, const energy_batch& batch,
                            std::int64_t first, int count, int columns, energy_stage& stage) {
  constexpr std::int32_t least = (127 - 100) << 23, beyond = (127 + 100) << 23;
  for (int b = 0; b < count; ++b) {
    const float* x = batch.x + (first + b) * batch.stride;
    const std::int32_t amax = largest_magnitude(x, columns);
    const bool inside = amax >= least && amax < beyond;
    const std::int32_t scale = inside ? scales.bits_of_scale(amax, x) : 0;
    if (scale < 1 << 23 || scale > 230 << 23) return b;
    stage.amax[b] = float_of(static_cast<std::uint32_t>(amax));
    stage.scale[b] = float_of(static_cast<std::uint32_t>(scale));
  }
  return count;
}

/// How far ahead blocks are fetched from memory.
constexpr std::int64_t stages_ahead = 6;

/// Adds the blocks of a batch to a share.
///   q  E2M1 elements rounded to nearest-even, E8M0 scales, no tensor scale, rows of 16n elements, at
///      most 1024
inline void add_energy_of(const quantization& q, const energy_batch& batch, energy_share& share) {
  const scale_chooser scales(q);
  const int columns = q.format.columns;
  const std::int64_t most =
      std::min(energy_stage::most_blocks, energy_stage::most_elements / columns);
  energy_stage stage;
  for (std::int64_t b = 0; b < batch.blocks;) {
    const auto asked = static_cast<int>(std::min(most, batch.blocks - b));
    const int found = find_figures(scales, batch, b, asked, columns, stage);
    const std::int64_t stride = batch.stride;
    const float* x = batch.x + b * stride;
    const upcoming_blocks next{batch, b + stages_ahead * most};
    quantize_stage(stage, found, x, stride, columns, next);
    if (HWY_UNLIKELY(add_stage<false>(stage, found, columns, next, share))) {
      energy_share again;
      add_stage<true>(stage, found, columns, next, again);
      share.counts.identity_violations += again.counts.identity_violations;
    }
    for (int k = 0; k < found; ++k) share.counts.elements += batch.elements_of(b + k, q.format);
    share.counts.blocks += found;
    b += found;
    if (found < asked) batch.add_clearly(q, b++, share);
  }
  share.counts.dead += stage.dead, share.counts.dead_actual += stage.dead_actual;
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
