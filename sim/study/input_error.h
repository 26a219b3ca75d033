// SPDX-License-Identifier: Apache-2.0
// sim/study/input_error.h: bad usage and bad input, in one line.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace sim {

/// What the user gave cannot be used. The message says what was expected.
struct input_error : std::runtime_error {
  using std::runtime_error::runtime_error;
  /// words  of fmt::format
  template <class First, class... Rest>
  input_error(fmt::format_string<First, Rest...> words, First&& first, Rest&&... rest)
      : std::runtime_error(
            fmt::format(words, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

}  // namespace sim
