// SPDX-License-Identifier: Apache-2.0
// tests/cross/operation.cpp: an operation of a backend on a vector, as a value.
#include "operation.h"

#include <algorithm>
#include <array>

#include "twins.h"

namespace cross {
namespace {

constexpr std::array verb_names{"codes", "quantize", "inject", "operate", "correct"};

std::string parts_text(golden::component parts) {
  using golden::component;
  std::string text;
  if (contains(parts, component::scale)) text += " scale";
  if (contains(parts, component::deadzone)) text += " deadzone";
  if (contains(parts, component::grid)) text += " grid";
  if (contains(parts, component::clip)) text += " clip";
  return text.empty() ? " nothing" : text;
}

std::string name_of(golden::scale_rule rule) {
  return std::find_if(rules().begin(), rules().end(),
                      [&](const rule_twins& twins) { return twins.reference == rule; })
      ->name;
}

}  // namespace

std::vector<operation> block_operations(golden::scale_rule rule) {
  std::vector<operation> list{{verb::codes, rule}, {verb::quantize, rule}};
  for (unsigned set = 0; set < 16; ++set) {
    list.push_back({verb::inject, rule, static_cast<golden::component>(set)});
  }
  for (unsigned set = 0; set < 8; ++set) {
    list.push_back({verb::operate, rule, static_cast<golden::component>(set)});
  }
  return list;
}

std::vector<operation> few_block_operations(golden::scale_rule rule) {
  using enum golden::component;
  return {{verb::quantize, rule},
          {verb::inject, rule, clip},
          {verb::inject, rule, scale | grid},
          {verb::operate, rule, scale | deadzone}};
}

std::vector<operation> vector_operations(golden::scale_rule rule) {
  const auto none = golden::component::none;
  std::vector<operation> list;
  for (const float alpha : {0.5F, 1.0F, 0.3F}) {
    list.push_back({verb::correct, rule, none, {}, alpha});
  }
  for (const float alpha : {0.0F, 0.5F, 1.0F}) {
    list.push_back({verb::correct, rule, none, golden::macro_block_shape{128, 8}, alpha});
  }
  for (const golden::macro_block_shape shape :
       {golden::macro_block_shape{32, 8}, {64, 3}, {160, 1}}) {
    list.push_back({verb::correct, rule, none, shape, 0.0F});
  }
  return list;
}

std::string text_of(const operation& op) {
  std::string text = verb_names[static_cast<std::size_t>(op.verb)];
  text += ", rule " + name_of(op.rule);
  if (op.verb == verb::inject || op.verb == verb::operate) text += ", on:" + parts_text(op.parts);
  if (op.macro) {
    text += ", macro block " + std::to_string(op.macro->elements) + " with " +
            std::to_string(op.macro->fraction_bits) + " bits";
  }
  if (op.alpha != 0.0F) text += ", fallback alpha " + std::to_string(op.alpha);
  return text;
}

}  // namespace cross
