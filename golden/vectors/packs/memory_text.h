// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/memory_text.h: memories as text for $readmemh.
// Source: IEEE 1800-2017, 21.4 "Loading memory array data from a file".
#pragma once
#include <string>

#include "golden/vectors/packs/pack.h"

namespace golden::packs {

/// A head of comments with widths, order and the matching declaration, then one hexadecimal word a
/// row. Code 0 of a row occupies the lowest bits.
///   sentences  of the rows, appended to them as comments; may be empty
[[nodiscard]] std::string memory_text(const pack& of, const pack_memory& memory,
                                      const std::vector<std::string>& sentences);

}  // namespace golden::packs
