// SPDX-License-Identifier: Apache-2.0
// tests/train/named_figures.h: figures of a step by their names.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "sim/train/trainer.h"

namespace test {

inline double figure_of(const std::vector<sim::figure>& figures, const std::string& name) {
  INFO(name);
  const auto found = std::ranges::find(figures, name, &sim::figure::name);
  REQUIRE(found != figures.end());
  return found->value;
}

inline bool has_figure(const std::vector<sim::figure>& figures, const std::string& name) {
  return std::ranges::find(figures, name, &sim::figure::name) != figures.end();
}

}  // namespace test
