// SPDX-License-Identifier: Apache-2.0
// golden/probe/card_text.h: a card in words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "golden/probe/variant_card.h"

namespace golden::probe {

/// "told", "equal", "several", "by preset" or "unknown".
[[nodiscard]] std::string_view name_of(knowledge k);

/// Every value, with data that would distinguish it from the first.
[[nodiscard]] std::string text_of(const card_line& line);

/// Whether a known recipe gives every byte, and of which blocks the properties are.
[[nodiscard]] std::string verdict_text(const variant_card& card);

/// A property, or what else the card tells.
struct card_entry {
  std::string name, text;
};

/// All but the verdict, in the order to read.
///   missing  tensors of the input without output
[[nodiscard]] std::vector<card_entry> entries_of(const variant_card& card,
                                                 const std::vector<std::string>& missing);

}  // namespace golden::probe
