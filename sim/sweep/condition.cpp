// SPDX-License-Identifier: Apache-2.0
// sim/sweep/condition.cpp: see condition.h.
#include "sim/sweep/condition.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "sim/study/input_error.h"
#include "sim/study/number_in.h"

namespace sim {
namespace {

constexpr std::array<std::string_view, 6> signs{"==", "!=", "<", "<=", ">", ">="};

/// The sign of the order of two values: negative where the first is the smaller one.
int order_of(double a, double b) { return a < b ? -1 : (a > b ? 1 : 0); }

bool fulfils(const std::string& sign, int order) {
  if (sign == "==") return order == 0;
  if (sign == "!=") return order != 0;
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  return order >= 0;
}

bool holds(const comparison& c, const std::string& value) {
  const auto number = number_in<double>(value), wanted = number_in<double>(c.value);
  if (number && wanted) return fulfils(c.sign, order_of(*number, *wanted));
  if (c.sign == "==" || c.sign == "!=") return fulfils(c.sign, value == c.value ? 0 : 1);
  if (value == "none" && wanted) return false;
  throw input_error("'{} {} {}': '{}' is no number, so only == and != compare it", c.name, c.sign,
                    c.value, wanted ? value : c.value);
}

}  // namespace

condition condition_in(std::string_view text) {
  std::istringstream words{std::string(text)};
  condition result{std::string(text), {}};
  std::string joint;
  do {
    comparison& c = result.all.emplace_back();
    words >> c.name >> c.sign >> c.value;
    const bool known = std::ranges::find(signs, c.sign) != signs.end();
    if (c.value.empty() || !known) {
      throw input_error(
          "'{}': expected NAME SIGN VALUE, signs == != < <= > >=, joined by `and`, with blanks "
          "between",
          text);
    }
  } while (words >> joint && joint == "and");
  if (words) throw input_error("'{}': expected `and` or the end, found '{}'", text, joint);
  return result;
}

bool holds(const condition& c, const value_of_name& value) {
  return std::ranges::all_of(c.all, [&](const comparison& one) {
    const std::optional<std::string> found = value(one.name);
    return found && holds(one, *found);
  });
}

}  // namespace sim
