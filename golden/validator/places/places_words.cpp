// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/places_words.cpp: the places of differences in words.
#include "places_words.h"

#include <algorithm>

namespace golden::validator {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

/// "2nd", "11th", "23rd"
std::string ordinal(std::uint64_t n) {
  const std::uint64_t last = n % 100 / 10 == 1 ? 0 : n % 10;
  return number(n) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

/// "row 3", "rows 3..5"
std::string run_text(std::uint64_t first, std::uint64_t length, const std::string& noun) {
  if (length == 1) return noun + " " + number(first);
  return noun + "s " + number(first) + ".." + number(first + length - 1);
}

/// "", " from row 64", " to row 99", " from row 64 to row 99": where a periodic set does not reach
/// the ends.
std::string reach_text(const pattern& p, std::uint64_t extent, const std::string& noun) {
  const std::string from = p.first >= p.period ? " from " + noun + " " + number(p.first) : "";
  const std::string to = extent - p.last > p.period ? " to " + noun + " " + number(p.last) : "";
  return from + to;
}

/// "rows 3, 7 and 19"
std::string list_text(const std::vector<std::uint64_t>& listed, const std::string& noun) {
  std::string text = noun + "s ";
  for (std::size_t k = 0; k < listed.size(); ++k) {
    if (k > 0) text += k + 1 < listed.size() ? ", " : " and ";
    text += number(listed[k]);
  }
  return text;
}

/// How many of a pattern's places differ, if not all.
std::string with_share(const std::string& text, const axis_places& a, const std::string& noun) {
  const bool few = !a.listed.empty() && a.regular.size() > a.touched;
  if (few && a.regular.period == 0) return list_text(a.listed, noun);
  if (a.touched == a.regular.size()) return text;
  if (a.covers_all()) return number(a.touched) + " of " + number(a.extent) + " " + noun + "s";
  return text + " (" + number(a.touched) + " of " + number(a.regular.size()) + ")";
}

bool is_of_block(const places& p, const pattern& columns) {
  return p.is_across && columns.period == p.block_columns && p.block_columns > 1;
}

/// "codes 8..15 of each block", of columns that are these of every block.
std::string in_block_text(const pattern& columns) {
  return run_text(columns.first % columns.period, columns.length, "code") + " of each block";
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

std::string text_unless_all(const pattern& p, std::uint64_t extent, const std::string& noun) {
  return p.covers(extent) ? "" : pattern_text(p, extent, noun);
}

/// A tile of the scale layouts 128x4.
bool is_tile(const pattern& p, std::uint64_t side, std::uint64_t extent) {
  const std::uint64_t end = std::min(p.first + side, extent);
  return p.period == 0 && p.first % side == 0 && p.last + 1 == end;
}

std::string tile_text(const places& p) {
  const matrix_places& m = p.scales;
  const bool alone = p.is_tiled && is_tile(m.rows.regular, 128, m.rows.extent) &&
                     is_tile(m.columns.regular, 4, m.columns.extent);
  const bool whole = m.rows.covers_all() && m.columns.covers_all();
  return alone && !whole ? " (one 128x4 tile)" : "";
}

/// Whether columns are of one block of each row, which they then place codes in.
bool is_in_one_block(const places& p, const pattern& columns) {
  const bool one = columns.first / p.block_columns == columns.last / p.block_columns;
  return one && p.is_across && p.block_rows == 1;
}

/// Positions of codes in their blocks; empty where columns say them, or there are few blocks.
std::string positions_unless_said(const places& p) {
  const pattern &in_block = p.positions.regular, &columns = p.codes.columns.regular;
  const bool part = p.blocks > 3 && in_block.size() * 2 <= p.positions.extent;
  const bool same_period = p.is_across && in_block.period > 0 && in_block.period == columns.period;
  const bool said = same_period || is_of_block(p, columns) || is_in_one_block(p, columns);
  if (!part || said) return "";
  return position_text(p);
}

std::string codes_text(const places& p) {
  const matrix_places& m = p.codes;
  const std::string rows = m.rows.extent > 1 ? axis_text(m.rows, "row") : "";
  const std::string columns =
      joined(rows, with_share(column_text(p, m.columns.regular), m.columns, "column"));
  return "codes in " + joined(columns, positions_unless_said(p));
}

bool is_half_touched(const axis_places& a) { return a.touched * 2 >= a.regular.size(); }

std::string scales_text(const places& p) {
  const matrix_places& m = p.scales;
  const grid_nouns nouns = nouns_of_scales(p);
  const std::string rows = m.rows.extent > 1 ? axis_text(m.rows, nouns.row) : "";
  return "scales in " + joined(rows, axis_text(m.columns, nouns.column)) + tile_text(p);
}

/// "macro fractions in row 3, columns 128..255"
std::string above_text(const places& p) {
  const matrix_places& m = p.above;
  const std::string rows = m.rows.extent > 1 ? axis_text(m.rows, "row") : "";
  const bool whole = m.columns.touched == m.columns.extent;
  return std::string(p.above_noun) + (m.count == 1 ? "" : "s") + " in " +
         joined(rows, whole ? "" : axis_text(m.columns, "column"));
}

}  // namespace

std::string pattern_text(const pattern& p, std::uint64_t extent, const std::string& noun) {
  if (p.covers(extent))
    return extent == 1 ? "the only " + noun : "all " + number(extent) + " " + noun + "s";
  if (p.period == 0) return run_text(p.first, p.size(), noun);
  if (p.length > 1) {
    return run_text(p.first % p.period, p.length, noun) + " of every " + number(p.period) +
           reach_text(p, extent, noun);
  }
  const std::string to = extent - p.last > p.period ? " to " + number(p.last) : "";
  return "every " + ordinal(p.period) + " " + noun + " from " + number(p.first) + to;
}

std::string axis_text(const axis_places& a, const std::string& noun) {
  return with_share(pattern_text(a.regular, a.extent, noun), a, noun);
}

grid_nouns nouns_of_scales(const places& p) {
  const bool rows = p.is_across ? p.block_rows > 1 : true;
  return {rows ? "block row" : "row", p.is_across ? "block column" : "column"};
}

std::string position_text(const places& p) {
  return pattern_text(p.positions.regular, p.positions.extent, "code") + " of each block";
}

std::string column_text(const places& p, const pattern& columns) {
  const std::uint64_t extent = p.elements.columns.extent;
  if (!is_of_block(p, columns)) return pattern_text(columns, extent, "column");
  return in_block_text(columns) + reach_text(columns, extent, "column");
}

std::string part_text(const places& p, const part& elements) {
  const matrix_places& m = p.elements;
  return joined(text_unless_all(elements.rows, m.rows.extent, "row"),
                elements.columns.covers(m.columns.extent) ? "" : column_text(p, elements.columns));
}

std::string scale_part_text(const places& p, const part& scales) {
  const grid_nouns nouns = nouns_of_scales(p);
  return joined(text_unless_all(scales.rows, p.scales.rows.extent, nouns.row),
                text_unless_all(scales.columns, p.scales.columns.extent, nouns.column));
}

std::string pattern_text(const places& p) {
  const matrix_places& m = p.elements;
  if (!is_half_touched(m.rows) || !is_half_touched(m.columns)) return "scattered";
  const std::string text =
      joined(part_text(p, {m.rows.regular, m.columns.regular}),
             p.scales.count + p.above.count > 0 ? "" : positions_unless_said(p));
  return text.empty() ? "all" : text;
}

std::string places_text(const places& p) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    text += (text.empty() ? "" : "; ") + words;
  };
  if (p.codes.count > 0) add(codes_text(p));
  if (p.padding > 0) add("codes of padding");
  if (p.scales.count > 0) add(scales_text(p));
  if (p.above.count > 0) add(above_text(p));
  return p.array + text;
}

}  // namespace golden::validator
