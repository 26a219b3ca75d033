// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_vectors.cpp: products of blocks of E2M1, tiles and single elements, for
// every instruction set.
#include "dot/dot_groups.h"
#include "dot/gemm_slices.h"
#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot/gemm_vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/dot_groups-inl.h"
#include "simd/gemm_fused-inl.h"
#include "simd/gemm_lines-inl.h"
#include "simd/gemm_near-inl.h"
#include "simd/gemm_registers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_GEMM
namespace gemm_kernel {

constexpr int sequential_rows = 3, fused_rows = 4;

template <class Dot, int Unit>
constexpr gemm_kernels sequential_kernels{{sequential_rows, columns},
                                          Unit,
                                          1,
                                          place_line<Unit>,
                                          sequential_tile<Dot, Unit, sequential_rows>,
                                          nullptr,
                                          nullptr,
                                          place_few<Unit>,
                                          few_tile<Dot, nearest_sum, Unit, sequential_rows>};

#if HWY_TARGET == HWY_AVX3
template <class Dot, int Unit>
constexpr auto near_function = near_tile<Dot, Unit, fused_rows>;
template <class Dot>
constexpr auto few_function = few_tile<Dot, cut_sum_of_two, 16, fused_rows>;
#else
template <class Dot, int Unit>
constexpr decltype(gemm_kernels::near) near_function = nullptr;
template <class Dot>
constexpr decltype(gemm_kernels::few) few_function = nullptr;
#endif

template <class Dot, int Unit>
constexpr gemm_kernels fused_kernels{
    {fused_rows, columns},
    Unit,
    64 / Unit,
    place_line<Unit>,
    nullptr,
    fused_tile<Dot, 64 / Unit, fused_rows>,
    near_function<Dot, Unit>,
    place_few<Unit>,
    Unit == 32 ? few_tile<Dot, nearest_sum, 32, fused_rows> : few_function<Dot>};

template <class Dot>
const gemm_kernels* kernels_with(gemm_rounding how, int unit) {
  if (how == gemm_rounding::sequential) {
    return unit == 16 ? &sequential_kernels<Dot, 16> : &sequential_kernels<Dot, 32>;
  }
  return unit == 16 ? &fused_kernels<Dot, 16> : &fused_kernels<Dot, 32>;
}

}  // namespace gemm_kernel

const gemm_kernels* kernels_of_target(gemm_rounding how, int unit, dot_instruction dot) {
  using namespace gemm_kernel;  // NOLINT(google-build-using-namespace)
  return dot == dot_instruction::four ? kernels_with<dot_of_four>(how, unit)
                                      : kernels_with<dot_of_pairs>(how, unit);
}

bool sum_groups_of_target(const group_codes& codes, dot_instruction dot, group_sums& sums) {
  if (dot == dot_instruction::four) {
    dot_kernel::sum_groups<gemm_kernel::dot_of_four>(codes, sums);
  } else {
    dot_kernel::sum_groups<gemm_kernel::dot_of_pairs>(codes, sums);
  }
  return true;
}

bool target_has_dot_of_four() {
#if HWY_TARGET == HWY_AVX3
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return __builtin_cpu_supports("avxvnni") != 0;
#endif
}

#else

const gemm_kernels* kernels_of_target(gemm_rounding, int, dot_instruction) { return nullptr; }

bool sum_groups_of_target(const group_codes&, dot_instruction, group_sums&) { return false; }

bool target_has_dot_of_four() { return false; }

#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(kernels_of_target);
HWY_EXPORT(sum_groups_of_target);
HWY_EXPORT(target_has_dot_of_four);

const gemm_kernels* gemm_kernels_for(gemm_rounding how, int unit, dot_instruction dot) {
  return HWY_DYNAMIC_DISPATCH(kernels_of_target)(how, unit, dot);
}

bool sum_groups(const group_codes& codes, dot_instruction dot, group_sums& sums) {
  return HWY_DYNAMIC_DISPATCH(sum_groups_of_target)(codes, dot, sums);
}

bool has_dot_of_four() { return HWY_DYNAMIC_DISPATCH(target_has_dot_of_four)(); }

}  // namespace mx
#endif  // HWY_ONCE
