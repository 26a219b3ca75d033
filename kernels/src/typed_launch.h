// SPDX-License-Identifier: Apache-2.0
// kernels/src/typed_launch.h: launches of kernels that are instantiated for a type of numbers.
#pragma once
#include "mx/kernels/status.h"
#include "mx/tensor/blocks.h"

namespace mx::kernels {

/// Status of a launch, a function called with the type as a constant.
template <class Launch>
[[nodiscard]] status launched_for(number_type type, const Launch& launch) {
  switch (type) {
    case number_type::fp32:
      return launch.template operator()<number_type::fp32>();
    case number_type::fp16:
      return launch.template operator()<number_type::fp16>();
    case number_type::bf16:
      return launch.template operator()<number_type::bf16>();
  }
  return {launch_error::format, "this type of numbers"};
}

}  // namespace mx::kernels
