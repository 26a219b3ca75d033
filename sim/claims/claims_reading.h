// SPDX-License-Identifier: Apache-2.0
// sim/claims/claims_reading.h: what the readers of a claims file share.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/claims/stated_claim.h"
#include "sim/study/listed_keys.h"

namespace sim {

inline constexpr real finite{"a finite number", [](double v) { return std::isfinite(v); }};

/// Null for a name that no arm has.
[[nodiscard]] inline const arm* arm_named(const study& s, const std::string& name) {
  const auto found =
      std::find_if(s.arms.begin(), s.arms.end(), [&](const arm& a) { return a.name == name; });
  return found == s.arms.end() ? nullptr : &*found;
}

inline void expect_arm(const table_reader& at, std::string_view key, const study& s,
                       const std::string& name) {
  if (arm_named(s, name) != nullptr) return;
  std::vector<std::string_view> names;
  for (const arm& a : s.arms) names.push_back(a.name);
  at.fail(key, "arms of the study: " + one_of(names), name);
}

}  // namespace sim
