// SPDX-License-Identifier: Apache-2.0
// sim/train/json_number.h: binary64 numbers in JSON, which lacks NaN and Inf: these are strings.
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

/// Reads a number written by json_number.
///   errors  json_error for any other value
[[nodiscard]] inline double number_from(const nlohmann::ordered_json& j) {
  if (j.is_number()) return j.get<double>();
  if (j == "NaN") return std::nan("");
  if (j == "Inf") return HUGE_VAL;
  if (j == "-Inf") return -HUGE_VAL;
  throw json_error("has something else where a number is expected");
}

/// A non-negative integer that fits in an int.
///   errors  json_error for any other value
[[nodiscard]] inline int count_from(const nlohmann::ordered_json& j) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (j.is_number_unsigned() && j.get<std::uint64_t>() <= most) return j.get<int>();
  throw json_error("has something else where a count is expected");
}

}  // namespace sim
