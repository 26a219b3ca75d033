// SPDX-License-Identifier: Apache-2.0
// kernels/verify/kernel_names.h: names of the products' kernels, as suffixes of cases and figures.
#pragma once
#include "mx/kernels/gemm.h"
#include "value_names.h"

namespace mx::kernels {

inline constexpr named_value<gemm_kernel> kernel_names[] = {
    {gemm_kernel::best, "best"},     {gemm_kernel::core, "core"},
    {gemm_kernel::dp4a, "dp4a"},     {gemm_kernel::mma, "mma"},
    {gemm_kernel::wgmma, "wgmma"},   {gemm_kernel::wgmma_e4m3, "wgmma_e4m3"},
    {gemm_kernel::fma, "fma"},       {gemm_kernel::fma_small, "fma_small"},
    {gemm_kernel::native, "native"},
};

}  // namespace mx::kernels
