// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part.h: a part of a tensor, or of its grid of scales.
#pragma once
#include <optional>

#include "places.h"

namespace golden::validator {

/// The places of these rows that are in these columns.
struct part {
  pattern rows, columns;

  [[nodiscard]] bool contains(std::uint64_t row, std::uint64_t column) const {
    return rows.contains(row) && columns.contains(column);
  }
  [[nodiscard]] bool covers(const matrix_places& all) const {
    return rows.covers(all.rows.extent) && columns.covers(all.columns.extent);
  }
};

/// Parts with every differing place, the simplest first.
[[nodiscard]] std::vector<part> parts_around(const matrix_places& differing);

/// A part of each subject; no value where nothing differs.
using parts = std::vector<std::optional<part>>;

}  // namespace golden::validator
