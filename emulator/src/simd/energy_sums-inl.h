// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_sums-inl.h: the terms of the energies of quantized E2M1 blocks, added to
// their lanes, on vectors; included once for each target.
#if defined(MX_SIMD_ENERGY_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_SUMS_INL_H
#undef MX_SIMD_ENERGY_SUMS_INL_H
#else
#define MX_SIMD_ENERGY_SUMS_INL_H
#endif

#include <tuple>
#include <utility>

#include "simd/energy_parts-inl.h"
#include "simd/energy_stage-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

using M = hn::Mask<F64>;

/// One vector of lanes of a share, all its terms in registers.
///   Part  number of the vector
template <int Part>
class energy_sum {
 public:
  explicit HWY_INLINE energy_sum(energy_share& share)
      : share_(share),
        total_(loaded(energy_term::total)),
        scale_(loaded(energy_term::scale)),
        clip_(loaded(energy_term::clip)),
        deadzone_(loaded(energy_term::deadzone)),
        grid_(loaded(energy_term::grid)),
        scale_dead_(loaded(energy_term::scale_dead)),
        scale_deadzone_(loaded(energy_term::scale_deadzone)),
        scale_grid_(loaded(energy_term::scale_grid)),
        grid_clip_(loaded(energy_term::grid_clip)),
        x_squared_(loaded(energy_term::x_squared)),
        x_quantized_(loaded(energy_term::x_quantized)) {}
  HWY_INLINE void store() const {
    store(energy_term::total, total_), store(energy_term::scale, scale_);
    store(energy_term::clip, clip_), store(energy_term::deadzone, deadzone_);
    store(energy_term::grid, grid_), store(energy_term::scale_dead, scale_dead_);
    store(energy_term::scale_deadzone, scale_deadzone_);
    store(energy_term::scale_grid, scale_grid_), store(energy_term::grid_clip, grid_clip_);
    store(energy_term::x_squared, x_squared_), store(energy_term::x_quantized, x_quantized_);
  }

  /// Adds the elements of this part's lanes among 16 of a stage.
  ///   Clipped  whether any element of the block may lie beyond reach
  template <bool Clipped>
  HWY_INLINE void add(const energy_stage& stage, int at, Vd amax, Vd reach) {
    const Vd x = widened(stage.magnitude + at), quantized = widened(stage.tripled + at);
    // Every difference is exact: 3 |x|, 3 |Q| and amax g / 2 have at most 28 bits, and differ by
    // less than 2^34 units of x. So the parts of each element add up, and their sum is its error.
    const F64 d;
    const Vd three = hn::Set(d, 3), ideal = hn::Mul(widened(stage.halved + at), amax);
    const Vd scale = hn::Sub(quantized, ideal), grid = hn::NegMulAdd(three, x, ideal);
    const Vd error = hn::Add(scale, grid);
    const M dead = hn::Eq(ideal, hn::Zero(d));
    total_ = hn::MulAdd(error, error, total_);
    x_squared_ = hn::MulAdd(x, x, x_squared_);
    x_quantized_ = hn::MulAdd(x, quantized, x_quantized_);
    deadzone_ = added_where(dead, deadzone_, grid, grid);
    grid_ = added_where(hn::Not(dead), grid_, grid, grid);
    if constexpr (Clipped) {
      add_clipped(hn::Gt(x, reach), dead, scale, grid);
    } else {
      add_unclipped(hn::Eq(quantized, hn::Zero(d)), scale, grid);
    }
  }

 private:
  [[nodiscard]] HWY_INLINE double* lane(energy_term term) const {
    return share_.lanes[static_cast<int>(term)] + Part * part_lanes;
  }
  [[nodiscard]] HWY_INLINE Vd loaded(energy_term term) const {
    return hn::LoadU(F64(), lane(term));
  }
  HWY_INLINE void store(energy_term term, Vd sum) const { hn::StoreU(sum, F64(), lane(term)); }
  static HWY_INLINE Vd widened(const float* numbers) {
    return hn::PromoteTo(F64(), hn::Load(F32Half(), numbers + Part * part_lanes));
  }

  /// amax > 6 scale. No element is clipped and dead, since 6 scale > amax / 24. Where Q is zero,
  /// |x| <= scale / 4 < amax / 24: Q* is zero too, and so is e_scale.
  HWY_INLINE void add_clipped(M clipped, M dead, Vd scale, Vd grid) {
    const M inside = hn::Not(clipped);
    scale_ = added_where(inside, scale_, scale, scale);
    clip_ = added_where(clipped, clip_, scale, scale);
    scale_grid_ = added_where(hn::AndNot(dead, inside), scale_grid_, scale, grid);
    grid_clip_ = added_where(clipped, grid_clip_, scale, grid);
    scale_deadzone_ = added_where(dead, scale_deadzone_, scale, grid);
  }

  /// amax <= 6 scale. A dead element has |x| <= scale / 4: Q is zero, and so is e_scale.
  HWY_INLINE void add_unclipped(M none, Vd scale, Vd grid) {
    scale_ = hn::MulAdd(scale, scale, scale_);
    scale_grid_ = hn::MulAdd(scale, grid, scale_grid_);
    scale_dead_ = added_where(none, scale_dead_, scale, scale);
  }

  energy_share& share_;
  Vd total_, scale_, clip_, deadzone_, grid_, scale_dead_, scale_deadzone_, scale_grid_, grid_clip_,
      x_squared_, x_quantized_;
};

/// Adds some parts of the blocks of the stage in one pass.
template <int... Part, class Columns>
HWY_NOINLINE void add_parts(std::integer_sequence<int, Part...>, const energy_stage& stage,
                            int blocks, Columns columns, const upcoming_blocks& next,
                            energy_share& share) {
  const F64 d;
  std::tuple sums(energy_sum<Part>{share}...);
  for (int b = 0; b < blocks; ++b) {
    if (((Part == 0) || ...)) next.fetch(b, columns);
    const Vd amax = hn::Set(d, stage.amax[b]), reach = hn::Set(d, stage.reach[b]);
    const int begin = b * columns, end = begin + columns;
    if (stage.clips[b] != 0) {
      for (int at = begin; at < end; at += energy_lanes)
        (std::get<energy_sum<Part>>(sums).template add<true>(stage, at, amax, reach), ...);
    } else {
      for (int at = begin; at < end; at += energy_lanes)
        (std::get<energy_sum<Part>>(sums).template add<false>(stage, at, amax, reach), ...);
    }
  }
  (std::get<energy_sum<Part>>(sums).store(), ...);
}

/// Adds the blocks of the stage.
template <class Columns>
void add_stage(const energy_stage& stage, int blocks, Columns columns, const upcoming_blocks& next,
               energy_share& share) {
  each_pass_over_parts([&](auto numbers)
                           HWY_ATTR { add_parts(numbers, stage, blocks, columns, next, share); });
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
