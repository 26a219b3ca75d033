// SPDX-License-Identifier: Apache-2.0
// sim/sweep/condition.h: conditions on a point of a sweep, as text:
//
//   NAME == VALUE   NAME != VALUE   NAME < VALUE   NAME <= VALUE   NAME > VALUE   NAME >= VALUE
//
// and any number of these joined by `and`.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

/// One comparison. Numbers are compared as numbers, everything else as text; text has no order, and
/// the value `none` is neither below nor above anything.
struct comparison {
  std::string name, sign, value;
};

struct condition {
  std::string text;
  std::vector<comparison> all;
};

/// The value of a name at a point; none where the point has none.
using value_of_name = std::function<std::optional<std::string>(const std::string& name)>;

/// Parses a condition.
///   errors  input_error with what was expected
[[nodiscard]] condition condition_in(std::string_view text);

/// Whether it holds. A name without a value fulfils nothing.
///   errors  input_error where text is to be ordered
[[nodiscard]] bool holds(const condition& c, const value_of_name& value);

}  // namespace sim
