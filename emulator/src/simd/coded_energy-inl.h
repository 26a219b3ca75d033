// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/coded_energy-inl.h: the energies of the parts of the error of quantized blocks
// of any format, on vectors; included once for each target. Equals mx::energy_share bit for bit.
// Magnitudes are enough: Q and Q* have the sign of x, and every term is a product of two numbers.
#if defined(MX_SIMD_CODED_ENERGY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_CODED_ENERGY_INL_H
#undef MX_SIMD_CODED_ENERGY_INL_H
#else
#define MX_SIMD_CODED_ENERGY_INL_H
#endif

#include "simd/vectors-inl.h"
#include "tensor/coded_energy.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
namespace coded_energy_kernel {

constexpr int part_lanes = lanes / 2;
constexpr int parts = energy_lanes / part_lanes;  ///< vectors of binary64 that hold every lane

using M = hn::Mask<F64>;

/// Numbers of lanes.
class lane_count {
 public:
  HWY_INLINE lane_count() : count_(hn::Zero(I64())) {}
  HWY_INLINE void add(M mask) {
    count_ = hn::Sub(count_, hn::VecFromMask(I64(), hn::RebindMask(I64(), mask)));
  }
  [[nodiscard]] HWY_INLINE std::int64_t total() const {
    return hn::GetLane(hn::SumOfLanes(I64(), count_));
  }

 private:
  hn::Vec<I64> count_;
};

/// What the elements of a block share.
struct frame {
  Vd amax, scale, divisor, reach, least_binade, anchor;

  HWY_INLINE frame(const coded_energy& batch, double amax_of_block, double scale_of_block)
      : amax(hn::Set(F64(), amax_of_block)),
        scale(hn::Set(F64(), scale_of_block)),
        divisor(hn::Set(F64(), batch.divisor)),
        reach(hn::Set(F64(), batch.largest * scale_of_block)),
        least_binade(hn::Set(F64(), batch.grid.least_binade)),
        anchor(hn::Set(F64(), batch.grid.anchor)) {}

  /// divisor * |Q*|. The quotient |x| divisor / amax is below 2^8 and, rounded to binary64, on the
  /// same side of every tie: a tie has at most 9 bits, so it is binary64 itself, and the exact
  /// quotient of numbers of 31 and 24 bits is a tie or differs from it by more than 2^-34 of it.
  /// Rounding to the even multiple is rounding to the even code: the multiples of one pitch have
  /// consecutive codes that begin with an even one.
  HWY_INLINE Vd ideal(Vd multiple_of_x) const {
    const F64 d;
    const U64 du;
    const Vd ratio = hn::Div(multiple_of_x, amax);
    const Vd raised = hn::Max(ratio, least_binade);
    const Vd binade = hn::BitCast(
        d, hn::And(hn::BitCast(du, raised), hn::Set(du, std::uint64_t{0x7FF} << 52)));
    const Vd away = hn::Mul(binade, anchor);
    return hn::Mul(hn::Sub(hn::Add(ratio, away), away), amax);
  }
};

/// One vector of lanes of a share; the lanes of the other vectors are added in separate passes.
///   Part  number of the vector
template <int Part>
class lane_sums {
 public:
  explicit HWY_INLINE lane_sums(energy_share& share) : share_(share) {
#pragma GCC unroll 12
    for (int t = 0; t < energy_terms; ++t) sum_[t] = hn::LoadU(F64(), lane(t));
  }
  HWY_INLINE void store() const {
#pragma GCC unroll 12
    for (int t = 0; t < energy_terms; ++t) hn::StoreU(sum_[t], F64(), lane(t));
    share_.counts.dead += dead_.total(), share_.counts.dead_actual += dead_actual_.total();
    share_.counts.identity_violations += turned_.total();
  }

  /// Adds the elements of this part's lanes among 16 of a block.
  ///   Clipped  whether any element of the block may lie beyond reach
  template <bool Clipped>
  HWY_INLINE void add(const float* x_at, const float* values, const frame& block) {
    const F64 d;
    const Vd zero = hn::Zero(d);
    const Vd given = widened_part(x_at), value = widened_part(values);
    const Vd x = hn::Abs(given), quantized = hn::Mul(hn::Abs(value), block.scale);
    const Vd multiple = hn::Mul(x, block.divisor), ideal = block.ideal(multiple);
    const Vd error = hn::Sub(quantized, multiple), scale = hn::Sub(quantized, ideal);
    const Vd grid = hn::Sub(ideal, multiple);
    const M dead = hn::Eq(ideal, zero), none = hn::Eq(quantized, zero), some = hn::Gt(x, zero);
    dead_.add(hn::And(dead, some)), dead_actual_.add(hn::And(none, some));
    // The parts add up to Q - x unless the code has the other sign.
    turned_.add(hn::Lt(hn::Mul(given, value), zero));
    add_product(energy_term::total, error, error);
    add_product(energy_term::x_squared, x, x);
    add_product(energy_term::x_quantized, x, quantized);
    add_where(dead, energy_term::deadzone, grid, grid);
    add_where(hn::Not(dead), energy_term::grid, grid, grid);
    if constexpr (Clipped) {
      const M clipped = hn::Gt(multiple, block.reach);
      add_clipped(clipped, dead, scale, grid);
      add_unclipped(hn::Not(clipped), dead, none, scale, grid);
    } else {
      add_product(energy_term::scale, scale, scale);
      add_where(none, energy_term::scale_dead, scale, scale);
      add_where(dead, energy_term::scale_deadzone, scale, grid);
      add_where(hn::Not(dead), energy_term::scale_grid, scale, grid);
    }
  }

 private:
  [[nodiscard]] HWY_INLINE double* lane(int term) const {
    return share_.lanes[term] + Part * part_lanes;
  }
  static HWY_INLINE Vd widened_part(const float* numbers) {
    return hn::PromoteTo(F64(), hn::LoadU(F32Half(), numbers + Part * part_lanes));
  }
  HWY_INLINE void add_product(energy_term term, Vd a, Vd b) {
    Vd& sum = sum_[static_cast<int>(term)];
    sum = hn::MulAdd(a, b, sum);
  }
  /// A product of zero changes no sum: none is ever -0.
  HWY_INLINE void add_where(M mask, energy_term term, Vd a, Vd b) {
    add_product(term, hn::IfThenElseZero(mask, a), b);
  }
  HWY_INLINE void add_clipped(M clipped, M dead, Vd scale, Vd grid) {
    add_where(clipped, energy_term::clip, scale, scale);
    add_where(hn::And(clipped, dead), energy_term::deadzone_clip, scale, grid);
    add_where(hn::AndNot(dead, clipped), energy_term::grid_clip, scale, grid);
  }
  HWY_INLINE void add_unclipped(M inside, M dead, M none, Vd scale, Vd grid) {
    add_where(inside, energy_term::scale, scale, scale);
    add_where(hn::And(inside, none), energy_term::scale_dead, scale, scale);
    add_where(hn::And(inside, dead), energy_term::scale_deadzone, scale, grid);
    add_where(hn::AndNot(dead, inside), energy_term::scale_grid, scale, grid);
  }

  energy_share& share_;
  Vd sum_[energy_terms];
  lane_count dead_, dead_actual_, turned_;
};

/// Adds the elements of one part's lanes.
///   amax  of the blocks
template <int Part>
HWY_NOINLINE void add_part(const coded_energy& batch, const double* amax, energy_share& share) {
  lane_sums<Part> sums(share);
  for (std::int64_t b = 0; b < batch.blocks; ++b) {
    if (amax[b] == 0 || !(batch.scales[b] >= 0)) continue;
    const frame block(batch, amax[b], batch.scales[b]);
    const float *x = batch.x + b * batch.stride, *values = batch.values + b * batch.stride;
    if (amax[b] * batch.divisor > batch.largest * batch.scales[b]) {
      for (std::int64_t i = 0; i < batch.stride; i += energy_lanes) {
        sums.template add<true>(x + i, values + i, block);
      }
    } else {
      for (std::int64_t i = 0; i < batch.stride; i += energy_lanes) {
        sums.template add<false>(x + i, values + i, block);
      }
    }
  }
  sums.store();
}

template <int Part = 0>
void add_parts(const coded_energy& batch, const double* amax, energy_share& share) {
  if constexpr (Part < parts) {
    add_part<Part>(batch, amax, share);
    add_parts<Part + 1>(batch, amax, share);
  }
}

}  // namespace coded_energy_kernel

/// Adds the terms of the elements and counts them: dead ones, and those whose parts do not add up.
///   amax  space for as many numbers as there are blocks
inline bool add_coded_energy(const coded_energy& batch, double* amax, energy_share& share) {
  for (std::int64_t b = 0; b < batch.blocks; ++b) {
    const auto stride = static_cast<std::uint64_t>(batch.stride);
    const Vi largest = largest_lane(largest_lanes(batch.x + b * batch.stride, stride));
    amax[b] = static_cast<double>(hn::GetLane(hn::BitCast(F32(), largest)));
  }
  coded_energy_kernel::add_parts(batch, amax, share);
  return true;
}

#else

inline bool add_coded_energy(const coded_energy&, double*, energy_share&) { return false; }

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
