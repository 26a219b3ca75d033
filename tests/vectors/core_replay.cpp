// SPDX-License-Identifier: Apache-2.0
// tests/vectors/core_replay.cpp: the emulator's model of committed words, and its bits.
#include "core_replay.h"

#include <algorithm>
#include <stdexcept>

#include "mx/dot/dot.h"
#include "mx/spelling.h"

namespace test {
namespace {

mx::dot_model with_operands(const mx::dot_model& model, const operand_names& operands) {
  mx::dot_model made = mx::with_formats(model, mx::number_format_spelled(operands.a),
                                        mx::number_format_spelled(operands.b));
  made.block = operands.block;
  if (operands.block > 0) made.scale = mx::scale_format_spelled(operands.scale);
  return made;
}

}  // namespace

mx::dot_model core_model(const std::string& name, const operand_names& operands) {
  const mx::named_model* known = mx::any_model_named(name);
  if (known == nullptr) throw std::invalid_argument("no model " + name);
  const mx::dot_model made = with_operands(known->model, operands);
  const bool fits = known->operands == mx::operands::any || made == known->model;
  if (!fits || format_of_c(made.sum) != mx::number_format_spelled(operands.c) ||
      made.sum.result != mx::number_format_spelled(operands.d)) {
    throw std::invalid_argument(name + " has other formats");
  }
  return made;
}

std::uint32_t core_result(const mx::dot_model& model, const dot_word& word) {
  const std::uint32_t* none = nullptr;
  const bool scaled = !word.scale_a.empty();
  return mx::dot(model, word.a.data(), word.b.data(), static_cast<int>(word.a.size()), word.c,
                 scaled ? word.scale_a.data() : none, scaled ? word.scale_b.data() : none);
}

std::size_t mismatches(const mx::dot_model& model, const word_section& section) {
  const auto differs = [&](const dot_word& word) { return core_result(model, word) != word.d; };
  return static_cast<std::size_t>(
      std::count_if(section.words.begin(), section.words.end(), differs));
}

}  // namespace test
