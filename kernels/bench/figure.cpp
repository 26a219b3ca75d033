// SPDX-License-Identifier: Apache-2.0
// kernels/bench/figure.cpp: a figure of a device as text and as JSON.
#include "figure.h"

#include <cstdio>

#include "../verify/value_names.h"
#include "measures.h"

namespace mx::kernels {
namespace {

measure measure_of(const figure& f) {
  for (const measure& m : measures) {
    if (m.name == f.name) return m;
  }
  return {};
}

std::string formatted(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

constexpr named_value<goal_state> goal_words[] = {{goal_state::reached, "reached"},
                                                  {goal_state::missed, "missed"},
                                                  {goal_state::unknown, "unknown"}};

std::string goal_text(const figure& f) {
  const goal_state state = state_of_goal(f);
  if (state == goal_state::none) return "";
  const measure goals = measure_of(f);
  std::string text = "; goal ratio " + formatted("%.2f", goals.goal_ratio);
  if (goals.goal_value > 0) text += ", value " + formatted("%g", goals.goal_value);
  return text + ": " + name_in(goal_words, state);
}

std::string json_number(const std::optional<double>& number) {
  return number ? formatted("%.17g", *number) : "null";
}

std::string json_goal(double goal) { return goal > 0 ? formatted("%g", goal) : "null"; }

}  // namespace

std::string text_of(const device_in_use& d) {
  return d.name + ", compute capability " + d.compute_capability + ", driver " + d.driver +
         ", runtime " + d.runtime;
}

goal_state state_of_goal(const figure& f) {
  const measure goals = measure_of(f);
  if (goals.goal_ratio == 0 && goals.goal_value == 0) return goal_state::none;
  if (f.value && *f.value < goals.goal_value) return goal_state::missed;
  if (f.ratio() && *f.ratio() < goals.goal_ratio) return goal_state::missed;
  return f.ratio() ? goal_state::reached : goal_state::unknown;
}

std::string text_of(const figure& f) {
  std::string text = f.name;
  text.resize(text.size() < 44 ? 44 : text.size(), ' ');
  if (!f.value) return text + " not measured: " + f.yardstick;
  text += formatted(" %9.2f ", *f.value) + f.unit;
  if (f.ratio()) text += "  ratio " + formatted("%.3f", *f.ratio());
  text += "; " + f.yardstick;
  if (f.yardstick_value) text += ": " + formatted("%.2f", *f.yardstick_value);
  return text + goal_text(f);
}

std::string json_of(const figure& f) {
  const measure goals = measure_of(f);
  const goal_state state = state_of_goal(f);
  const std::string goal =
      state == goal_state::none ? "null" : json_string(name_in(goal_words, state));
  return "{\"name\": " + json_string(f.name) + ", \"value\": " + json_number(f.value) +
         ", \"unit\": " + json_string(f.unit) + ", \"yardstick\": " + json_string(f.yardstick) +
         ", \"yardstick_value\": " + json_number(f.yardstick_value) +
         ", \"ratio\": " + json_number(f.ratio()) +
         ", \"goal_ratio\": " + json_goal(goals.goal_ratio) +
         ", \"goal_value\": " + json_goal(goals.goal_value) + ", \"goal\": " + goal + "}";
}

std::string json_members_of(const device_in_use& d) {
  return "\"device\": " + json_string(d.name) +
         ", \"compute_capability\": " + json_string(d.compute_capability) +
         ", \"driver\": " + json_string(d.driver) + ", \"runtime\": " + json_string(d.runtime);
}

std::string json_of(const std::vector<figure>& figures) {
  std::string text = "[";
  for (const figure& f : figures) text += (text.size() == 1 ? "" : ", ") + json_of(f);
  return text + "]";
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped;
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace mx::kernels
