// SPDX-License-Identifier: Apache-2.0
// sim/cli/terminal/json_text.h: JSON with keys in the order of writing, and NaN and Inf as strings.
#pragma once
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/study/shallow_json.h"

namespace sim::cli {

using nlohmann::ordered_json;

/// An array of what a function makes of each item.
template <class Items, class Function>
[[nodiscard]] ordered_json json_array(const Items& items, const Function& json_of_item) {
  ordered_json all = ordered_json::array();
  for (const auto& item : items) all.push_back(json_of_item(item));
  return all;
}

/// One object on one line. Bytes of names that are not UTF-8 are replaced.
inline void print_json(const ordered_json& object) {
  const std::string text =
      object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace sim::cli
