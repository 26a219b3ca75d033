// SPDX-License-Identifier: Apache-2.0
// tests/vectors/core_replay.h: the emulator's model of a section of committed words, and its bits.
#pragma once
#include <cstdint>
#include <string>

#include "committed_words.h"
#include "mx/dot/mixed_models.h"

namespace test {

/// The model of that name, with the formats of a section if it takes any.
///   errors  std::invalid_argument if there is no such model, or it has other formats
[[nodiscard]] mx::dot_model core_model(const std::string& name, const operand_names& operands);

[[nodiscard]] std::uint32_t core_result(const mx::dot_model& model, const dot_word& word);

/// Words of a section for which the model's bits differ from the file's.
[[nodiscard]] std::size_t mismatches(const mx::dot_model& model, const word_section& section);

}  // namespace test
