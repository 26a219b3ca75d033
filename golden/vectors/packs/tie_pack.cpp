// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/tie_pack.cpp: numbers halfway between two elements, in MX formats.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "golden/vectors/packs/quantized_rows.h"

namespace golden::packs {
namespace {

using mx::number_type;

/// Ties of one row: six numbers each, after the largest element.
constexpr std::size_t ties_a_row = 5;
/// Exponents of scales: 1, odd and even, far from 1, and the smallest, where numbers are subnormal.
constexpr std::array exponents{0, 7, -50, 90, -127};

/// A tie, a step to either side of it, and their negatives; nothing if `type` lacks one.
void put_tie(std::vector<float>& x, float tie, number_type type) {
  if (std::isnan(tie)) return;
  for (const float value : {tie, stepped(tie, type, -1), stepped(tie, type, 1)}) {
    x.push_back(value);
    x.push_back(-value);
  }
}

void add_rows_of_ties(std::vector<noted_row>& rows, const mx::block_format& f, number_type type,
                      int exponent) {
  const std::vector<double> grid = magnitudes(f.element);
  for (std::size_t first = 0; first + 1 < grid.size(); first += ties_a_row) {
    const std::size_t end = std::min(first + ties_a_row, grid.size() - 1);
    noted_row row;
    row.x.push_back(scaled(grid.back(), exponent, type));
    for (std::size_t code = first; code < end; ++code) {
      put_tie(row.x, scaled((grid[code] + grid[code + 1]) / 2, exponent, type), type);
    }
    row.x.resize(static_cast<std::size_t>(f.columns));
    row.sentence = fmt::format(
        "scale 2^{}: halfway between codes {} and {}{}, and a step to either side, of both signs",
        exponent, first, first + 1,
        end - first > 1 ? fmt::format(", up to {} and {}", end - 1, end) : "");
    rows.push_back(std::move(row));
  }
}

/// The largest amax for which the rule `floor` gives 2^exponent.
void add_row_of_overflow(std::vector<noted_row>& rows, const mx::block_format& f, number_type type,
                         int exponent) {
  const std::vector<double> grid = magnitudes(f.element);
  const double largest = grid.back(), next = 2 * largest - grid[grid.size() - 2];
  const float bound = scaled(1, f.element.emax() + 1 + exponent, type);
  noted_row row;
  row.x = {stepped(bound, type, -1), -stepped(bound, type, -1)};
  put_tie(row.x, scaled((largest + next) / 2, exponent, type), type);
  put_tie(row.x, scaled(largest, exponent, type), type);
  row.x.resize(static_cast<std::size_t>(f.columns));
  row.sentence = fmt::format(
      "amax a step below 2^{}: beyond the largest element `floor` saturates and others take the "
      "next scale; the tie above it, and a step to either side",
      f.element.emax() + 1 + exponent);
  rows.push_back(std::move(row));
}

std::vector<noted_row> tie_rows_of(const mx::block_format& f, number_type type) {
  std::vector<noted_row> rows;
  for (const int exponent : exponents) {
    add_rows_of_ties(rows, f, type, exponent);
    add_row_of_overflow(rows, f, type, exponent);
  }
  return rows;
}

}  // namespace

pack_contents tie_pack() {
  pack_contents pack;
  add_power_of_two_formats(pack, tie_rows_of);
  return pack;
}

}  // namespace golden::packs
