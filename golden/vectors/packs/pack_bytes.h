// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack_bytes.h: codes as the bytes of arrays.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/packs/pack.h"
#include "mx/number/format.h"

namespace golden::packs {

/// Codes, given one a byte, as an array (rows, along) of U8; codes of four bits are packed two a
/// byte, the first one low.
///   along  even for codes of four bits
[[nodiscard]] pack_array code_array(const std::string& name, const mx::format& element,
                                    std::uint64_t rows, std::uint64_t along,
                                    const std::vector<std::uint8_t>& codes);

/// Words as an array of a type of 8, 16 or 32 bits, little-endian.
[[nodiscard]] pack_array word_array(const std::string& name, io::dtype type,
                                    std::vector<std::uint64_t> shape,
                                    const std::vector<std::uint32_t>& words);

/// Bytes as words, for memories.
[[nodiscard]] std::vector<std::uint32_t> widened(const std::vector<std::uint8_t>& bytes);

}  // namespace golden::packs
