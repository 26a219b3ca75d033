// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_parts-inl.h: the lanes of the sums of energies, in vectors of binary64;
// included once for each target.
#if defined(MX_SIMD_ENERGY_PARTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_PARTS_INL_H
#undef MX_SIMD_ENERGY_PARTS_INL_H
#else
#define MX_SIMD_ENERGY_PARTS_INL_H
#endif

#include <utility>

#include "mx/block/energy.h"
#include "simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

static_assert(hn::MaxLanes(F32()) <= energy_lanes);
constexpr int part_lanes = lanes / 2;
constexpr int parts = energy_lanes / part_lanes;  ///< vectors of binary64 that hold every lane

/// Number of zeros among `count` elements.
HWY_INLINE std::int64_t zeros_of(const float* x, std::int64_t count) {
  std::int64_t zeros = 0;
  for (std::int64_t i = 0; i < count; i += lanes) {
    zeros += static_cast<std::int64_t>(
        hn::CountTrue(F32(), hn::Eq(hn::LoadU(F32(), x + i), hn::Zero(F32()))));
  }
  return zeros;
}

/// sum + a b where the mask is set. A product of zero changes no sum: none is ever -0.
HWY_INLINE Vd added_where(hn::Mask<F64> mask, Vd sum, Vd a, Vd b) {
#if HWY_CAP_GE512
  return hn::IfThenElse(mask, hn::MulAdd(a, b, sum), sum);
#else
  return hn::MulAdd(hn::IfThenElseZero(mask, a), b, sum);
#endif
}

/// Calls pass(numbers) for the parts whose sums fit the registers, until all have been passed: two
/// at a time in vectors of 512 bits, so that a branch mispredicted at a block that clips, a quarter
/// of its time, is mispredicted once.
///   pass  takes a std::integer_sequence of the numbers of parts
template <class Pass>
HWY_INLINE void each_pass_over_parts(const Pass& pass) {
#if HWY_CAP_GE512
  pass(std::integer_sequence<int, 0, 1>());
#else
  const auto one_by_one = [&]<int... Part>(std::integer_sequence<int, Part...>) HWY_ATTR {
    (pass(std::integer_sequence<int, Part>()), ...);
  };
  one_by_one(std::make_integer_sequence<int, parts>());
#endif
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
