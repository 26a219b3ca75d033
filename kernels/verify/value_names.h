// SPDX-License-Identifier: Apache-2.0
// kernels/verify/value_names.h: tables of names in the names of cases and in files.
#pragma once
#include <iterator>
#include <string>
#include <string_view>

namespace mx::kernels {

template <class T>
struct named_value {
  T value;
  std::string_view name;
};

/// The name of a value in a table, or another text.
template <class Table, class Value>
[[nodiscard]] std::string name_in(const Table& table, const Value& value,
                                  std::string_view otherwise = "own") {
  for (const auto& entry : table) {
    if (entry.value == value) return std::string(entry.name);
  }
  return std::string(otherwise);
}

/// The entry of a name; null if there is none.
template <class Table>
[[nodiscard]] const auto* entry_named(const Table& table, std::string_view name) {
  for (const auto& entry : table) {
    if (entry.name == name) return &entry;
  }
  return static_cast<decltype(&*std::begin(table))>(nullptr);
}

}  // namespace mx::kernels
