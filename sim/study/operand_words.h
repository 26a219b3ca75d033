// SPDX-License-Identifier: Apache-2.0
// sim/study/operand_words.h: formats of operands as keys of a study file, and why one is refused.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mx/tensor/operand.h"

namespace sim {

/// Whether the key `numbers` and those beside it express an operand; else `recipe` or `variant`.
[[nodiscard]] bool has_number_keys(const mx::operand& f);

/// The word of a tensor scale: none, tensor, row, tensor256 or row256.
[[nodiscard]] std::string tensor_word(const mx::block_format& f);

/// Words of the parts that a toggle switches on.
[[nodiscard]] std::vector<std::string_view> parts_of(mx::component parts);

/// Why an operand is refused, as a sentence with the remedy.
[[nodiscard]] std::string sentence_of(const mx::operand& f, mx::operand_refusal why);

}  // namespace sim
