// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/rendering.h: the bytes of a file under a recipe.
#pragma once
#include <vector>

#include "prediction.h"

namespace golden::validator {

/// Places without a code or a scale are 0.
struct rendered {
  std::vector<std::uint8_t> codes, scales;

  friend bool operator==(const rendered&, const rendered&) = default;
};

[[nodiscard]] rendered render(const prediction& p);

}  // namespace golden::validator
