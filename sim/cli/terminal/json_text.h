// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/json_text.h: JSON with keys in the order of writing, and NaN and Inf as strings.
#pragma once
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace sim::cli {

using nlohmann::ordered_json;

[[nodiscard]] inline ordered_json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  return value;
}

/// One object on one line. Bytes of names that are not UTF-8 are replaced.
inline void print_json(const ordered_json& object) {
  const std::string text =
      object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace sim::cli
