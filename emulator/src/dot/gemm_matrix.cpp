// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_matrix.cpp: products of blocks of E2M1 by matrix instructions, on
// processors that have them.
#include "dot/gemm_matrix.h"
#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot/gemm_matrix.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/gemm_matrix_fused-inl.h"
#include "simd/gemm_matrix_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
namespace matrix_kernel {

template <int Unit>
constexpr matrix_kernels sequential_kernels{Unit,
                                            begin<Unit>,
                                            end,
                                            place_left<Unit>,
                                            place_right<Unit>,
                                            add_products<to_nearest, Unit, 1>,
                                            nullptr,
                                            nullptr};

constexpr matrix_kernels fused_kernels{32,
                                       begin<32>,
                                       end,
                                       place_left<32>,
                                       place_right<32>,
                                       nullptr,
                                       add_products<toward_zero, 32, 2>,
                                       fused_products};

}  // namespace matrix_kernel

const matrix_kernels* matrix_kernels_of_target(gemm_rounding how, int unit) {
  using namespace matrix_kernel;  // NOLINT(google-build-using-namespace)
  if (how == gemm_rounding::fused) return unit == 32 ? &fused_kernels : nullptr;
  return unit == 16 ? &sequential_kernels<16> : &sequential_kernels<32>;
}
#else
const matrix_kernels* matrix_kernels_of_target(gemm_rounding, int) { return nullptr; }
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "dot/amx_permission.h"

namespace mx {

HWY_EXPORT(matrix_kernels_of_target);

const matrix_kernels* matrix_kernels_for(gemm_rounding how, int unit) {
  static const bool permitted = may_multiply_matrices();
  return permitted ? HWY_DYNAMIC_DISPATCH(matrix_kernels_of_target)(how, unit) : nullptr;
}

}  // namespace mx
#endif  // HWY_ONCE
