// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/parts.h: the parts of a spelled format, each parsed and printed in one
// place.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "mx/spelling.h"

namespace mx::spelling {

/// ELEMENT
///   errors  here and below, throws std::invalid_argument with the part and what was expected
[[nodiscard]] format element_spelled(std::string_view text);

/// A format wider than an element, by its name or another that is read: f32, fp32, binary32.
[[nodiscard]] std::optional<format> wide_format_spelled(std::string_view name);

/// NAME or ELEMENT:SCALE:BLOCK[:TENSOR]
[[nodiscard]] block_format block_format_spelled(std::string_view text);

/// Parses a CORRECTION, without its +, into `result`, which has none of the same name.
void read_correction(std::string_view part, spelled_format& result);

/// Every +CORRECTION of a format.
[[nodiscard]] std::string corrections_spelling(const spelled_format& f);

}  // namespace mx::spelling
