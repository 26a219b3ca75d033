// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/refusal.h: the message of a refusal.
#pragma once
#include <cstdint>
#include <string>

#include "golden/io/file.h"

namespace test {

/// The file_error's message, or "accepted".
template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const golden::io::file_error& error) {
    return error.what();
  }
  return "accepted";
}

/// The same for a file named f of so many bytes, where the message names one of these, or the end.
template <class Action>
std::string refusal_inside(std::uint64_t size, Action action) {
  try {
    action();
  } catch (const golden::io::file_error& error) {
    const std::string message = error.what();
    if (!error.byte()) return "names no byte: " + message;
    if (*error.byte() > size) return "names a byte beyond the end: " + message;
    const std::string begin = "f: byte " + std::to_string(*error.byte()) + ": ";
    return message.starts_with(begin) ? message : "does not begin with its place: " + message;
  }
  return "accepted";
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test
