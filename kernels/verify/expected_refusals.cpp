// SPDX-License-Identifier: Apache-2.0
// kernels/verify/expected_refusals.cpp: see expected_refusals.h.
// Source: PTX ISA, "Target ISA Notes" of wgmma.mma_async, tcgen05.mma and mma.sync with
// .block_scale, as kernels/src/device/architecture.h has them.
#include "expected_refusals.h"

namespace mx::kernels {

special_instructions instructions_of(std::string_view case_name) noexcept {
  const std::string_view kernel = case_name.substr(case_name.rfind('.') + 1);
  if (kernel == "wgmma" || kernel == "wgmma_e4m3") return special_instructions::wgmma;
  return kernel == "native" ? special_instructions::native : special_instructions::none;
}

bool has_instructions(std::string_view compute_capability, special_instructions which) noexcept {
  if (compute_capability.empty()) return false;
  const std::string_view major = compute_capability.substr(0, compute_capability.find('.'));
  switch (which) {
    case special_instructions::none:
      break;
    case special_instructions::wgmma:
      return major == "9";
    case special_instructions::native:
      return major == "10" || major == "11" || major == "12";
  }
  return true;
}

}  // namespace mx::kernels
