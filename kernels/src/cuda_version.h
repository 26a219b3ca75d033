// SPDX-License-Identifier: Apache-2.0
// kernels/src/cuda_version.h: versions of CUDA's driver and runtime as texts.
#pragma once
#include <string>

namespace mx::kernels {

/// "12.8" of 12080, as cudaDriverGetVersion and cudaRuntimeGetVersion encode it.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace mx::kernels
