// SPDX-License-Identifier: Apache-2.0
// tests/vectors/core_replay.cpp: the emulator's model of committed words, and its bits.
#include "core_replay.h"

#include <algorithm>
#include <stdexcept>

#include "mx/dot/dot.h"

namespace test {
namespace {

struct named_format {
  std::string_view name;
  mx::format format;
};

namespace of_core = mx::formats;
const named_format formats[] = {
    {"e2m1", of_core::e2m1},         {"e2m3", of_core::e2m3},         {"e3m2", of_core::e3m2},
    {"e4m3", of_core::e4m3},         {"e5m2", of_core::e5m2},         {"int8", of_core::int8},
    {"e4m3fnuz", of_core::e4m3fnuz}, {"e5m2fnuz", of_core::e5m2fnuz}, {"fp16", of_core::binary16},
    {"bf16", of_core::bfloat16},     {"tf32", of_core::tf32},         {"fp32", of_core::binary32},
    {"e8m0", of_core::e8m0},         {"ue4m3", of_core::ue4m3}};

const mx::format& format_named(const std::string& name) {
  const auto* found = std::find_if(std::begin(formats), std::end(formats),
                                   [&](const named_format& each) { return each.name == name; });
  if (found == std::end(formats)) throw std::invalid_argument("no format " + name);
  return found->format;
}

mx::dot_model with_operands(const mx::dot_model& model, const operand_names& operands) {
  mx::dot_model made = mx::with_formats(model, format_named(operands.a), format_named(operands.b));
  made.block = operands.block;
  if (operands.block > 0) made.scale = format_named(operands.scale);
  return made;
}

}  // namespace

mx::dot_model core_model(const std::string& name, const operand_names& operands) {
  const mx::named_model* known = mx::any_model_named(name);
  if (known == nullptr) throw std::invalid_argument("no model " + name);
  const mx::dot_model made = with_operands(known->model, operands);
  const bool fits = known->operands == mx::operands::any || made == known->model;
  if (!fits || format_of_c(made.sum) != format_named(operands.c) ||
      made.sum.result != format_named(operands.d)) {
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
