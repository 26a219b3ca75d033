// SPDX-License-Identifier: Apache-2.0
// sim/study/shallow_json.h: JSON from untrusted files: deep nesting is refused while reading,
// since writing or copying a value takes stack for every level. And binary64 numbers in JSON.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sim {

inline constexpr int deepest_json = 16;

/// A text that is not JSON, or too deep; a message of one line.
struct json_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses a text.
///   Json    nlohmann::json or ordered_json
///   errors  json_error
template <class Json>
[[nodiscard]] Json shallow_json(std::string_view text) {
  const auto expect_shallow = [](int depth, typename Json::parse_event_t, const Json&) {
    if (depth > deepest_json) {
      throw json_error(fmt::format("lists and objects lie in more than {} others", deepest_json));
    }
    return true;
  };
  try {
    return Json::parse(text, expect_shallow);
  } catch (const nlohmann::json::parse_error& e) {
    throw json_error(fmt::format("is no JSON from byte {} on", e.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw json_error("has a number beyond binary64");
  }
}

/// A binary64 number; JSON lacks NaN and Inf, which become strings.
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
