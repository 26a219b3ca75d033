// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/places_words.h: the places of differences in words.
#pragma once
#include <string>

#include "part.h"

namespace golden::validator {

/// "every 2nd row from 1", "rows 128..255", "row 3", "rows 128..255 of every 512", "all 4 rows".
///   noun  of one place: "row"
[[nodiscard]] std::string pattern_text(const pattern& p, std::uint64_t extent,
                                       const std::string& noun);

/// Words for the places of one direction: those of its pattern, or where few of it differ
/// "rows 3, 7 and 19", "40 of rows 128..255".
[[nodiscard]] std::string axis_text(const axis_places& a, const std::string& noun);

/// Nouns of rows and columns of a tensor's grid of scales.
struct grid_nouns {
  std::string row, column;
};
[[nodiscard]] grid_nouns nouns_of_scales(const places& p);

/// Words for columns of a tensor: as pattern_text, or "codes 8..15 of each block".
[[nodiscard]] std::string column_text(const places& p, const pattern& columns);

/// Words for a part, without the directions that it covers: "rows 128..255, columns 64..127";
/// empty if it is everything.
[[nodiscard]] std::string part_text(const places& p, const part& elements);
[[nodiscard]] std::string scale_part_text(const places& p, const part& scales);

/// Words for the positions of codes in their blocks: "codes 8..15 of each block".
[[nodiscard]] std::string position_text(const places& p);

/// Elements that differ, in a few words: "all", "rows 128..255", "every 2nd row from 1, columns
/// 64..127", "codes 8..15 of each block"; "scattered" where fewer than half of the smallest such
/// set of rows, or of columns, have any.
[[nodiscard]] std::string pattern_text(const places& p);

/// One line: "codes in every 2nd row from 1; scales in rows 128..255, all 32 block columns".
[[nodiscard]] std::string places_text(const places& p);

}  // namespace golden::validator
