// SPDX-License-Identifier: Apache-2.0
// kernels/verify/kernel_names.h: names of the products' kernels, as suffixes of cases and figures.
#pragma once
#include <string>
#include <string_view>

#include "mx/kernels/gemm.h"

namespace mx::kernels {

struct named_kernel {
  gemm_kernel kernel;
  std::string_view name;
};
inline constexpr named_kernel kernel_names[] = {
    {gemm_kernel::best, "best"},     {gemm_kernel::core, "core"},
    {gemm_kernel::dp4a, "dp4a"},     {gemm_kernel::mma, "mma"},
    {gemm_kernel::wgmma, "wgmma"},   {gemm_kernel::wgmma_e4m3, "wgmma_e4m3"},
    {gemm_kernel::fma, "fma"},       {gemm_kernel::fma_small, "fma_small"},
    {gemm_kernel::native, "native"},
};

[[nodiscard]] inline std::string name_of(gemm_kernel kernel) {
  for (const named_kernel& one : kernel_names) {
    if (one.kernel == kernel) return std::string(one.name);
  }
  return {};
}

}  // namespace mx::kernels
