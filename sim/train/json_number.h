// SPDX-License-Identifier: Apache-2.0
// sim/train/json_number.h: binary64 numbers in JSON, which has neither NaN nor Inf: these are strings.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/report/shallow_json.h"

namespace sim {

[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  return value;
}

/// The number that json_number wrote.
///   errors  json_error where it is something else
[[nodiscard]] inline double number_from(const nlohmann::ordered_json& j) {
  if (j.is_number()) return j.get<double>();
  if (j == "NaN") return std::nan("");
  if (j == "Inf") return HUGE_VAL;
  if (j == "-Inf") return -HUGE_VAL;
  throw json_error("has something else where a number is expected");
}

/// A whole number from 0 on that an int can hold.
///   errors  json_error where it is something else
[[nodiscard]] inline int count_from(const nlohmann::ordered_json& j) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (j.is_number_unsigned() && j.get<std::uint64_t>() <= most) return j.get<int>();
  throw json_error("has something else where a count is expected");
}

}  // namespace sim
