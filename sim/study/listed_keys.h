// SPDX-License-Identifier: Apache-2.0
// sim/study/listed_keys.h: keys that must be there, and lists of strings.
#pragma once
#include <string>
#include <vector>

#include "sim/study/table_reader.h"

namespace sim {

/// A key that must be there.
///   what  it is
[[nodiscard]] inline const toml::node& required(table_reader& at, std::string_view key,
                                                const char* what) {
  const toml::node* node = at.find(key);
  if (node == nullptr) at.fail(key, what, "nothing");
  return *node;
}

/// The strings of an array; none where the key is absent.
[[nodiscard]] inline std::vector<std::string> texts_in(table_reader& at, std::string_view key) {
  std::vector<std::string> result;
  const toml::node* node = at.find(key);
  if (node == nullptr) return result;
  for (const toml::node& element : at.array(key, *node, "strings")) {
    result.push_back(at.text(key, element));
  }
  return result;
}

}  // namespace sim
