// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/parts.h: the parts of a spelled format, each read and written in one place.
#pragma once
#include <string>
#include <string_view>

#include "mx/spelling.h"

namespace mx::spelling {

/// ELEMENT
///   errors  std::invalid_argument, here and below, with the part and what was expected
[[nodiscard]] format element_spelled(std::string_view text);

/// NAME or ELEMENT:SCALE:BLOCK[:TENSOR]
[[nodiscard]] block_format block_format_spelled(std::string_view text);

/// CORRECTION, without its +, into what was read so far.
void read_correction(std::string_view part, spelled_format& result);

/// Every +CORRECTION that a format has.
[[nodiscard]] std::string corrections_spelling(const spelled_format& f);

}  // namespace mx::spelling
