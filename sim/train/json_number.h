// SPDX-License-Identifier: Apache-2.0
// sim/train/json_number.h: binary64 numbers in JSON, which has neither NaN nor Inf: these are strings.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>

namespace sim {

[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return value;
}

/// The number that json_number wrote.
///   errors  nlohmann::json::exception where it is something else
[[nodiscard]] inline double number_from(const nlohmann::ordered_json& j) {
  if (!j.is_string()) return j.get<double>();
  if (j == "NaN") return std::nan("");
  return j == "Inf" ? HUGE_VAL : -HUGE_VAL;
}

}  // namespace sim
