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

#include <tuple>

#include "simd/block_scale-inl.h"
#include "simd/energy_parts-inl.h"
#include "simd/magnitude_values-inl.h"
#include "tensor/coded_energy.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA
namespace coded_energy_kernel {

using M = hn::Mask<F64>;

/// Number of lanes.
HWY_INLINE std::int64_t count_of(M mask) {
  return static_cast<std::int64_t>(hn::CountTrue(F64(), mask));
}

/// Whether the elements of a block are added and counted: there are a magnitude and a scale.
HWY_INLINE bool is_added(const coded_energy& batch, std::int64_t block) {
  return batch.amax[block] != 0 && batch.scales[block] >= 0;
}

/// What the elements of a block share.
struct frame {
  Vd amax, inverse, scale, divisor, reach, least_binade, anchor;

  HWY_INLINE frame(const coded_energy& batch, double amax_of_block, double scale_of_block)
      : amax(hn::Set(F64(), amax_of_block)),
        inverse(hn::Set(F64(), 1 / amax_of_block)),
        scale(hn::Set(F64(), scale_of_block)),
        divisor(hn::Set(F64(), batch.divisor)),
        reach(hn::Set(F64(), batch.largest * scale_of_block)),
        least_binade(hn::Set(F64(), batch.grid.least_binade)),
        anchor(hn::Set(F64(), batch.grid.anchor)) {}

  /// divisor * |Q*|. The quotient |x| divisor / amax is below 2^8 and, in binary64, on the same
  /// side of every tie: a tie has at most 9 bits, so it is binary64 itself, and the exact quotient
  /// of numbers of 31 and 24 bits is a tie or differs from it by more than 2^-34 of it.
  /// Rounding to the even multiple is rounding to the even code: the multiples of one pitch have
  /// consecutive codes that begin with an even one.
  HWY_INLINE Vd ideal(Vd multiple_of_x) const {
    const F64 d;
    const U64 du;
    const Vd ratio = quotient(multiple_of_x);
    const Vd raised = hn::Max(ratio, least_binade);
    const Vd binade =
        hn::BitCast(d, hn::And(hn::BitCast(du, raised), hn::Set(du, std::uint64_t{0x7FF} << 52)));
    const Vd away = hn::Mul(binade, anchor);
    return hn::Mul(hn::Sub(hn::Add(ratio, away), away), amax);
  }

 private:
  /// Over amax, within 2^-51 of it; exact where the quotient is a binary64 number. The first
  /// product is within 2^-52 of the quotient, the remainder exact, and what the second product is
  /// wrong by, below 2^-103, is rounded away.
  HWY_INLINE Vd quotient(Vd dividend) const {
    const Vd about = hn::Mul(dividend, inverse);
    return hn::MulAdd(hn::NegMulAdd(about, amax, dividend), inverse, about);
  }
};

/// One vector of lanes of a share.
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
    share_.counts.dead += dead_, share_.counts.dead_actual += dead_actual_;
  }

  /// Adds the elements of this part's lanes among 16 of a block.
  ///   Clipped  whether any element of the block may lie beyond reach
  template <bool Clipped>
  HWY_INLINE void add(const float* x_at, const float* sizes, const frame& block) {
    const F64 d;
    const Vd zero = hn::Zero(d);
    const Vd x = hn::Abs(widened_part(x_at)), quantized = hn::Mul(widened_part(sizes), block.scale);
    const Vd multiple = hn::Mul(x, block.divisor), ideal = block.ideal(multiple);
    // The parts add up to Q - x: a code has the sign of its element.
    const Vd error = hn::Sub(quantized, multiple), scale = hn::Sub(quantized, ideal);
    const Vd grid = hn::Sub(ideal, multiple);
    const M dead = hn::Eq(ideal, zero), none = hn::Eq(quantized, zero);
    dead_ += count_of(dead), dead_actual_ += count_of(none);
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
  HWY_INLINE void add_where(M mask, energy_term term, Vd a, Vd b) {
    Vd& sum = sum_[static_cast<int>(term)];
    sum = added_where(mask, sum, a, b);
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
  std::int64_t dead_ = 0, dead_actual_ = 0;
};

/// Adds the elements of some parts' lanes in one pass.
template <int... Part>
HWY_NOINLINE void add_parts(std::integer_sequence<int, Part...>, const coded_energy& batch,
                            energy_share& share) {
  std::tuple sums(lane_sums<Part>{share}...);
  for (std::int64_t b = 0; b < batch.blocks; ++b) {
    if (!is_added(batch, b)) continue;
    const double amax = float_of(static_cast<std::uint32_t>(batch.amax[b]));
    const frame block(batch, amax, batch.scales[b]);
    const float *x = batch.x + b * batch.stride, *sizes = batch.sizes + b * batch.stride;
    if (amax * batch.divisor > batch.largest * batch.scales[b]) {
      for (std::int64_t i = 0; i < batch.stride; i += energy_lanes) {
        (std::get<lane_sums<Part>>(sums).template add<true>(x + i, sizes + i, block), ...);
      }
    } else {
      for (std::int64_t i = 0; i < batch.stride; i += energy_lanes) {
        (std::get<lane_sums<Part>>(sums).template add<false>(x + i, sizes + i, block), ...);
      }
    }
  }
  (std::get<lane_sums<Part>>(sums).store(), ...);
}

/// Magnitudes of codes, times the divisor.
class decoder {
 public:
  HWY_INLINE decoder(const format& element, double divisor)
      : magnitudes_(element),
        divisor_(hn::Set(F32(), static_cast<float>(divisor))),
        above_(hn::Set(I32(), 32 - element.width())),
        magnitude_mask_(hn::Set(I32(), static_cast<int>(element.sign_mask() - 1))),
        negated_(element.sign_form == sign_form::twos_complement) {}

  HWY_INLINE V sizes(const std::uint8_t* codes) const {
    const I32 d;
    const hn::Rebind<std::uint8_t, I32> narrow;
    const Vi code = hn::PromoteTo(d, hn::LoadU(narrow, codes));
    const Vi size =
        negated_ ? hn::Abs(hn::Shr(hn::Shl(code, above_), above_)) : hn::And(code, magnitude_mask_);
    return hn::Mul(magnitudes_.of(size), divisor_);
  }

 private:
  block_kernel::magnitude_values magnitudes_;
  V divisor_;
  Vi above_, magnitude_mask_;
  bool negated_;
};

}  // namespace coded_energy_kernel

/// Adds the terms of the elements, and counts dead ones.
inline bool add_coded_energy(const coded_energy& batch, energy_share& share) {
  using namespace coded_energy_kernel;
  const auto stride = static_cast<std::uint64_t>(batch.stride);
  block_kernel::largest_of_blocks(batch.x, stride, static_cast<int>(batch.blocks), batch.amax);
  const decoder decode(batch.element, batch.divisor);
  for (std::int64_t i = 0; i < batch.blocks * batch.stride; i += lanes) {
    hn::StoreU(decode.sizes(batch.codes + i), F32(), batch.sizes + i);
  }
  std::int64_t zeros = 0;
  for (std::int64_t b = 0; b < batch.blocks; ++b) {
    if (is_added(batch, b)) zeros += zeros_of(batch.x + b * batch.stride, batch.stride);
  }
  share.counts.dead -= zeros, share.counts.dead_actual -= zeros;
  each_pass_over_parts([&](auto numbers) HWY_ATTR { add_parts(numbers, batch, share); });
  return true;
}

#else

inline bool add_coded_energy(const coded_energy&, energy_share&) { return false; }

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
