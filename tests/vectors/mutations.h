// SPDX-License-Identifier: Apache-2.0
// tests/vectors/mutations.h: models with one wrong parameter.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mx/dot/accumulation.h"

namespace test {

/// Changes one parameter of a model; returns whether results can show it.
struct mutation {
  std::string name;
  std::function<bool(mx::dot_model&)> apply;
};

[[nodiscard]] std::vector<mutation> mutations();

}  // namespace test
