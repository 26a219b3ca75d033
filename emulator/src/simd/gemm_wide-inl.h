// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/gemm_wide-inl.h: steps of tiles added up in binary64; included once for each
// target.
#if defined(MX_SIMD_GEMM_WIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_GEMM_WIDE_INL_H
#undef MX_SIMD_GEMM_WIDE_INL_H
#else
#define MX_SIMD_GEMM_WIDE_INL_H
#endif

#include "simd/gemm_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

/// The bits of a pattern of binary64 that a number of binary32 has.
constexpr std::uint64_t binary32_digits = ~((std::uint64_t{1} << 29) - 1);

/// RZ32 of zero, of Inf and of binary64 numbers that are not subnormal in binary32; may exceed
/// FLT_MAX.
HWY_INLINE W cut_to_binary32(W v) {
  const F64 d;
  const hn::RebindToUnsigned<F64> du;
  return hn::BitCast(d, hn::And(hn::BitCast(du, v), hn::Set(du, binary32_digits)));
}

HWY_INLINE V combined(hn::Vec<F32Half> high, hn::Vec<F32Half> low) {
#if HWY_TARGET == HWY_AVX3
  // hn::Combine fills the upper half with zeros first.
  return V{_mm512_insertf32x8(_mm512_castps256_ps512(low.raw), high.raw, 1)};
#else
  return hn::Combine(F32(), high, low);
#endif
}

/// Both halves of a vector, in binary64.
struct wide_sums {
  W low, high;

  [[nodiscard]] HWY_INLINE V cut() const {
    const F32Half half;
    return combined(hn::DemoteTo(half, cut_to_binary32(high)),
                    hn::DemoteTo(half, cut_to_binary32(low)));
  }
};

HWY_INLINE wide_sums promoted(V numbers) {
  const F64 d;
  const F32Half half;
  return {hn::PromoteTo(d, hn::LowerHalf(half, numbers)),
          hn::PromoteTo(d, hn::UpperHalf(half, numbers))};
}

HWY_INLINE wide_sums added(const wide_sums& a, const wide_sums& b) {
  return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)};
}

/// Integer sums of the units of a step for one vector.
template <int Units>
struct unit_set {
  Vi of[Units];
};

/// Integer sums of the units of a step: four 16ths of K = 64, or two halves with a scale each, which
/// begin with sum_start. They are in memory, from where half a vector is converted to binary64 by one
/// instruction.
template <int Units, int Rows>
struct step_sums {
  HWY_ALIGN std::int32_t sum[Units][Rows][columns];

  template <class Dot>
  HWY_INLINE void fill(gemm_slice a, gemm_slice b) {
    const I32 d;
    // Keeps the loop over units rolled: unrolled, all sums need more registers than the target has.
#pragma GCC unroll 1
    for (int u = 0; u < Units; ++u) {
      const auto unit = unit_sums<Rows>::template of<Dot, 64 / Units>(
          a, b, [&](int r) HWY_ATTR { return hn::Set(d, start(a, u, r)); });
      each_vector<Rows>([&](int r, int v) { hn::Store(unit.sum[r][v], d, sum[u][r] + v * lanes); });
      to_next_unit<64 / Units, Rows>(a, b);
    }
  }

  [[nodiscard]] HWY_INLINE unit_set<Units> of(int row, int v) const {
    unit_set<Units> all;
#pragma GCC unroll 4
    for (int u = 0; u < Units; ++u) all.of[u] = hn::Load(I32(), sum[u][row] + v * lanes);
    return all;
  }

 private:
  static HWY_INLINE std::int32_t start(const gemm_slice& a, int u, int r) {
    if constexpr (Units == 2) return static_cast<std::int32_t>(sum_start);
    return a.weights.starts[u * Rows + r] - (u % 2 == 0 ? 0 : gemm_weights::raised);
  }
};

/// A's scales of a step, and of two the offsets of its sums. Single numbers are broadcast to whole
/// vectors.
template <int Units, int Rows>
struct wide_scales {
  HWY_ALIGN double scale[Units][Rows], start[Units][Rows];

  explicit HWY_INLINE wide_scales(const gemm_slice& a) {
    static_assert(Units * Rows % (lanes / 2) == 0);
    widen(a.scales, scale[0]);
    if constexpr (Units == 2) widen(a.starts, start[0]);
  }

 private:
  static HWY_INLINE void widen(const float* from, double* to) {
    const F64 d;
    const F32Half half;
#pragma GCC unroll 4
    for (int i = 0; i < Units * Rows; i += lanes / 2) {
      hn::Store(hn::PromoteTo(d, hn::LoadU(half, from + i)), d, to + i);
    }
  }
};

/// B's scales of a step, half a vector of them.
template <int Units>
struct half_scales {
  W of[Units];

  explicit HWY_INLINE half_scales(const float* first) {
    const F32Half half;
#pragma GCC unroll 4
    for (int u = 0; u < Units; ++u) {
      of[u] = hn::PromoteTo(F64(), hn::Load(half, first + u * columns));
    }
  }
};

/// acc + terms of a step for half a vector. If the alignment cuts nothing off it is exact: terms
/// have at most 21 bits and lie no more than 33 binades apart, which is 48 bits with C.
template <int Units, int Rows>
HWY_INLINE W half_added(const step_sums<Units, Rows>& sums, const wide_scales<Units, Rows>& left,
                        const half_scales<Units>& right, int r, int column, const float* acc) {
  const F64 d;
  const F32Half half;
  const hn::RebindToSigned<F32Half> integers;
  W all = hn::PromoteTo(d, hn::LoadU(half, acc));
#pragma GCC unroll 4
  for (int u = 0; u < Units; ++u) {
    const W sum = hn::PromoteTo(d, hn::Load(integers, sums.sum[u][r] + column));
    const W scale = hn::Set(d, left.scale[u][r]);
    const W term =
        Units == 2 ? hn::MulAdd(sum, scale, hn::Set(d, left.start[u][r])) : hn::Mul(sum, scale);
    all = hn::MulAdd(term, right.of[u], all);
  }
  return all;
}

}  // namespace gemm_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
