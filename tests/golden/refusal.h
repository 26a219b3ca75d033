// SPDX-License-Identifier: Apache-2.0
// tests/golden/refusal.h: the message with which something is refused.
#pragma once
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

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test
