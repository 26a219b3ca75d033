// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/trailing.cpp: scans an output from its end.
#include "trailing.h"

#include <algorithm>

namespace golden::validator {
namespace {

bool is_zero_everywhere(const geometry& g, const subject& s, std::uint64_t position) {
  const std::uint64_t inner = g.shape().inner;
  const std::uint64_t lines = g.blocks() / std::max<std::uint64_t>(g.blocks_along(), 1);
  for (std::uint64_t b = 0; b < lines; ++b) {
    const block_place at = g.place(b / inner * g.blocks_along() * inner + b % inner);
    for (std::uint64_t r = 0; r < g.rows() && at.row + r < g.shape().rows; ++r) {
      if (code_in(s.codes, g.code_at(at, r, position)) != 0) return false;
    }
  }
  return true;
}

/// The byte that all scales of a line of blocks equal; no value where they differ.
std::optional<std::uint8_t> scale_byte_of(const geometry& g, const subject& s, std::uint64_t line) {
  const std::uint64_t first = line * g.blocks_along();
  const std::uint8_t byte = s.scales[g.scale_at(first)];
  for (std::uint64_t b = first; b < first + g.blocks_along(); ++b) {
    for (std::uint64_t k = 0; k < g.bytes_a_scale(); ++k) {
      if (s.scales[g.scale_at(b) + k] != byte) return {};
    }
  }
  return byte;
}

}  // namespace

std::uint64_t zeros_at_end(const hypothesis& declared, const subject& s) {
  const std::optional<geometry> g = fitting(declared, s);
  if (!g) return 0;
  const std::uint64_t padded = g->blocks_along() * g->columns();
  std::uint64_t count = 0;
  while (count < padded && is_zero_everywhere(*g, s, padded - 1 - count)) ++count;
  return count;
}

constant_rows constant_rows_at_end(const hypothesis& declared, const subject& s) {
  const std::optional<geometry> g = fitting(declared, s);
  if (!g || declared.axis != 0 || g->rows() != 1 || g->blocks() == 0) return {};
  const std::uint64_t lines = g->shape().outer, bytes = s.codes.size() / lines;
  constant_rows tail{0, s.codes.back(), scale_byte_of(*g, s, lines - 1)};
  for (std::uint64_t line = lines; line-- > 0; ++tail.rows) {
    const byte_span row = s.codes.subspan(line * bytes, bytes);
    const bool same =
        std::all_of(row.begin(), row.end(), [&](std::uint8_t byte) { return byte == tail.codes; });
    if (!same) break;
    if (tail.scales && scale_byte_of(*g, s, line) != tail.scales) tail.scales.reset();
  }
  return tail;
}

bool is_all_unwritten(const hypothesis& r, const subject& s) {
  const std::optional<geometry> g = geometry::of(r, s);
  if (!g) return false;
  const std::uint64_t lines = g->shape().outer * g->shape().rows;
  const bool tail = r.tail.elements > 0 && r.tail.elements >= g->blocks_along() * g->columns();
  const unwritten_rows& u = r.unwritten;
  return tail || (u.tile > 0 ? lines < u.tile : u.rows > 0 && u.rows >= lines);
}

tensor_traits traits_of(const hypothesis& declared, std::span<const subject> subjects) {
  tensor_traits t;
  for (const subject& s : subjects) {
    const magnitudes all = magnitudes_of(s, precision::as_given);
    t.special = t.special || all.nan || all.numbers != all.finite;
    const std::uint64_t zeros = zeros_at_end(declared, s);
    t.zero_elements = t.zero_elements == 0 ? zeros : std::min(t.zero_elements, zeros);
    const constant_rows tail = constant_rows_at_end(declared, s);
    if (t.tail.rows == 0 || (tail.rows > 0 && tail.rows < t.tail.rows)) t.tail = tail;
  }
  return t;
}

}  // namespace golden::validator
