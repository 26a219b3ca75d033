// SPDX-License-Identifier: Apache-2.0
// golden/validator/rendering.h: the bytes of a file as a recipe makes them.
#pragma once
#include <vector>

#include "golden/validator/prediction.h"

namespace golden::validator {

/// Places that no code and no scale has are 0.
struct rendered {
  std::vector<std::uint8_t> codes, scales;

  friend bool operator==(const rendered&, const rendered&) = default;
};

[[nodiscard]] rendered render(const prediction& p);

}  // namespace golden::validator
