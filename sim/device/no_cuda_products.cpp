// SPDX-License-Identifier: Apache-2.0
// sim/device/no_cuda_products.cpp: of a build without the kernels.
#include "sim/device/device_products.h"

namespace sim {

std::unique_ptr<const value_products> cuda_products() {
  throw device_error(
      "run.device = \"cuda\": this build has no CUDA kernels (./bootstrap --cuda, then cmake "
      "--preset cuda); \"cpu\" gives the same bits");
}

}  // namespace sim
