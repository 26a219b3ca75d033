// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_figures-inl.h: magnitudes, amax and scales of E2M1 blocks under powers
// of two, on vectors; included once for each target.
#if defined(MX_SIMD_ENERGY_FIGURES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_FIGURES_INL_H
#undef MX_SIMD_ENERGY_FIGURES_INL_H
#else
#define MX_SIMD_ENERGY_FIGURES_INL_H
#endif

#include <algorithm>

#include "simd/block_scale-inl.h"
#include "simd/energy_intervals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// The vectors support blocks with amax from 2^-100 to 2^100.
constexpr std::int32_t least_amax = (127 - 100) << 23, beyond_amax = (127 + 100) << 23;

/// Chooses E8M0 scales.
class scale_chooser {
 public:
  explicit scale_chooser(const quantization& q)
      : q_(q), by_bits_(has_rule_bounds(q.rule)), fields_(formats::e2m1, q.rule) {}

  /// Bits of the scales of as many blocks as a vector has lanes.
  ///   amax   bits
  ///   first  number of the first block, of `count` in the batch
  HWY_INLINE Vi bits_of_scales(Vi amax, const energy_batch& batch, std::int64_t first,
                               int count) const {
    if (HWY_UNLIKELY(!by_bits_)) return searched(amax, batch, first, count);
    return fields_.of(hn::BitCast(F32(), amax));
  }

 private:
  /// Zero if amax is outside the range of the vectors.
  HWY_NOINLINE Vi searched(Vi amax, const energy_batch& batch, std::int64_t first,
                           int count) const {
    HWY_ALIGN std::int32_t bits[lanes] = {}, amaxes[lanes];
    hn::Store(amax, I32(), amaxes);
    for (int b = 0; b < std::min(count, lanes); ++b) {
      if (amaxes[b] < least_amax || amaxes[b] >= beyond_amax) continue;
      const float* x = batch.x + (first + b) * batch.stride;
      const chosen_scale chosen = scale_of(q_, x, q_.format.columns, no_tensor_scale);
      bits[b] = static_cast<std::int32_t>(chosen.code << 23);
    }
    return hn::Load(I32(), bits);
  }

  const quantization& q_;
  bool by_bits_;
  block_kernel::scale_fields<F32> fields_;
};

/// Maxima of the lanes whose numbers are equal modulo 4.
template <class D>
HWY_INLINE auto reduced_to_four(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return reduced_to_four(half, hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

/// Position of the four maxima of a block. A vector holds those of `lanes` / 4 blocks, four apart,
/// so that transposing each row of four of them puts the blocks of four vectors in order.
constexpr int place_of_quarters(int block) {
  const int in_group = block % lanes;
  return (block - in_group) * 4 + in_group % 4 * lanes + in_group / 4 * 4;
}

/// Pairwise maxima of a and of b, interleaved.
HWY_INLINE Vi paired(Vi a, Vi b) {
  return hn::Max(hn::InterleaveLower(I32(), a, b), hn::InterleaveUpper(I32(), a, b));
}

/// Bits of amax of as many blocks as a vector has lanes.
HWY_INLINE Vi amax_of_blocks(const std::int32_t* quarters) {
  const I32 di;
  const auto of = [&](int i) { return hn::Load(di, quarters + i * lanes); };
  return paired(paired(of(0), of(2)), paired(of(1), of(3)));
}

template <class Columns>
HWY_NOINLINE void find_magnitudes(const float* x, std::int64_t stride, int count, Columns columns,
                                  energy_stage& stage) {
  const F32 d;
  const I32 di;
  for (int b = 0; b < count; ++b, x += stride) {
    Vi largest = hn::Zero(di);
    for (int i = 0; i < columns; i += lanes) {
      const V magnitude = hn::Abs(hn::LoadU(d, x + i));
      hn::Store(magnitude, d, stage.magnitude + b * columns + i);
      largest = hn::Max(largest, hn::BitCast(di, magnitude));
    }
    const hn::CappedTag<std::int32_t, 4> four;
    hn::Store(reduced_to_four(di, largest), four, stage.quarters + place_of_quarters(b));
  }
}

HWY_INLINE void store_doubles(V numbers, double* out) {
  const doubles wide = widened(numbers);
  hn::Store(wide.low, F64(), out);
  hn::Store(wide.high, F64(), out + part_lanes);
}

HWY_INLINE hn::Mask<I32> is_between(Vi number, std::int32_t least, std::int32_t beyond) {
  const I32 di;
  return hn::And(hn::Gt(number, hn::Set(di, least - 1)), hn::Lt(number, hn::Set(di, beyond)));
}

/// Whether amax and scale, given by their bits, are in the ranges of the vectors and amax is below
/// 128 scale.
HWY_INLINE hn::Mask<I32> is_inside(Vi amax, Vi scale) {
  const auto near = hn::Lt(hn::Sub(amax, scale), hn::Set(I32(), 7 << 23));
  return hn::And(near, hn::And(is_between(amax, least_amax, beyond_amax),
                               is_between(scale, 1 << 23, 231 << 23)));
}

/// Figures of blocks [first, first + count) of a batch, up to the first one that requires the core;
/// returns the number of blocks done.
template <class Columns>
HWY_INLINE int find_figures(const scale_chooser& scales, const energy_batch& batch,
                            std::int64_t first, int count, Columns columns, energy_stage& stage) {
  const F32 d;
  const I32 di;
  find_magnitudes(batch.x + first * batch.stride, batch.stride, count, columns, stage);
  for (int b = 0; b < count; b += lanes) {
    const Vi bits = amax_of_blocks(stage.quarters + 4 * b);
    const Vi scale_bits = scales.bits_of_scales(bits, batch, first + b, count - b);
    const V amax = hn::BitCast(d, bits), scale = hn::BitCast(d, scale_bits);
    const V largest = hn::Mul(scale, hn::Set(d, 6));
    const auto clips = hn::RebindMask(di, hn::Gt(amax, largest));
    hn::Store(hn::VecFromMask(di, clips), di, stage.clips + b);
    hn::Store(scale, d, stage.scale + b);
    hn::Store(largest, d, stage.largest + b);
    hn::Store(hn::Div(hn::Set(d, intervals_of_amax), amax), d, stage.inverse + b);
    store_doubles(amax, stage.amax + b);
    store_doubles(largest, stage.reach + b);
    const auto inside = is_inside(bits, scale_bits);
    if (HWY_LIKELY(hn::AllTrue(di, inside))) continue;
    return std::min<int>(count, b + static_cast<int>(hn::FindFirstTrue(di, hn::Not(inside))));
  }
  return count;
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
